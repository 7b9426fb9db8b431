"""Run: `pip install numpy torch safetensors && python replay.py`, here. Writes replay.safetensors.

The cut loss and ten Adam steps in PyTorch, in float64 from float32 starting values: what the Rust code must reproduce.

Shapes: d = 6 columns, hidden widths 16 and 12, k = 4 clusters, m = 40 rows per batch, 10 batches.

    sigma                                   f64 ()      bandwidth: a_ij = exp(-|x_i - x_j|^2 / (2 sigma^2)), a_ii = 0
    init.layer{0,1,2}.weight                f32 (in, out)
    init.layer{0,1,2}.bias                  f32 (out)
    batch.{t}                               f32 (40, 6), t = 0..9
    affinity.dense.0, affinity.sparse.0     f32 (40, 40): of batch 0, to check an affinity by itself
    {case}.step{t}.{lap,orth,loss}          f64 (), before the t-th update
    {case}.grad0.layer{i}.{weight,bias}     f32, d loss / d parameter at step 0, without weight decay
    {case}.grad0.memberships                f32 (40, 4), d loss / d Y at step 0, Y = softmax(g(x)) taken as free variables
    {case}.final.layer{i}.{weight,bias}     f32, after the tenth update

A case is `{ncut,rcut}-{squared,normed}-{flow,held}-sparse`, or `ncut-squared-flow-dense`:

    dense, sparse    all affinities; or the 5 largest of each row, then W = (W + W^T) / 2
    ncut             vol_l = sum_i D_i y_il,  R = H^T D H - I      with D_i = sum_j w_ij, H = Y / sqrt(vol)
    rcut             vol_l = sum_i y_il,      R = H^T H - I
    squared          loss = lap + 100/2 |R|_F^2,   orth = |R|_F^2
    normed           loss = lap + 80 |R|_F / k,    orth = |R|_F        (the form of the authors' published code)
    flow, held       the gradient flows through vol; or vol is a constant
    lap              tr(H^T (diag(D) - W) H)

Adam: lr_t = 0.005 * (1 + cos(pi t / 10)) / 2, betas 0.9 and 0.999, eps 1e-8, weight decay 1e-4 added to the gradient.
"""

import math
import pathlib

import numpy as np
import torch
from safetensors.numpy import save_file

WIDTHS = [6, 16, 12, 4]
ROWS, STEPS, NEIGHBOURS = 40, 10, 5
LEARNING_RATE, WEIGHT_DECAY = 5e-3, 1e-4
GAMMA = {"squared": 100.0, "normed": 80.0}
SIGMA = 1.0


def starting_values(rng):
    """He-uniform hidden layers, a Xavier-uniform output layer, zero biases."""
    values = {}
    last = len(WIDTHS) - 2
    for i, (fan_in, fan_out) in enumerate(zip(WIDTHS, WIDTHS[1:])):
        bound = math.sqrt(6 / (fan_in + fan_out)) if i == last else math.sqrt(6 / fan_in)
        values[f"layer{i}.weight"] = rng.uniform(-bound, bound, (fan_in, fan_out)).astype(np.float32)
        values[f"layer{i}.bias"] = np.zeros(fan_out, np.float32)
    return values


def draw_batches(rng):
    """Rows around four centres."""
    centres = rng.normal(0, 1.2, (WIDTHS[-1], WIDTHS[0]))
    classes = rng.integers(0, WIDTHS[-1], (STEPS, ROWS))
    return (centres[classes] + rng.normal(0, 0.4, (STEPS, ROWS, WIDTHS[0]))).astype(np.float32)


def affinity(x, kind):
    w = torch.exp(-torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist") ** 2 / (2 * SIGMA**2))
    w.fill_diagonal_(0)
    if kind == "sparse":
        kept = torch.topk(w, NEIGHBOURS, dim=1)
        w = torch.zeros_like(w).scatter_(1, kept.indices, kept.values)
        w = (w + w.T) / 2
    return w


def memberships(x, values):
    last = len(WIDTHS) - 2
    for i in range(last + 1):
        x = x @ values[f"layer{i}.weight"] + values[f"layer{i}.bias"]
        x = torch.softmax(x, dim=1) if i == last else torch.relu(x)
    return x


def cut_loss(y, w, cut, penalty, volumes):
    """lap, orth and the total loss."""
    degrees = w.sum(1)
    measure = degrees if cut == "ncut" else torch.ones_like(degrees)
    vol = measure @ y
    h = y / (vol.detach() if volumes == "held" else vol).sqrt()
    lap = torch.trace(h.T @ (torch.diag(degrees) - w) @ h)
    residual = h.T @ (measure[:, None] * h) - torch.eye(y.shape[1], dtype=y.dtype)
    squared = (residual**2).sum()
    if penalty == "squared":
        return lap, squared, lap + GAMMA[penalty] / 2 * squared
    return lap, squared.sqrt(), lap + GAMMA[penalty] * squared.sqrt() / y.shape[1]


def replay(case, start, batches):
    cut, penalty, volumes, kind = case.split("-")
    values = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in start.items()}
    adam = torch.optim.Adam(values.values(), lr=LEARNING_RATE, betas=(0.9, 0.999), eps=1e-8, weight_decay=WEIGHT_DECAY)
    record = {}
    for t, batch in enumerate(batches):
        x = torch.tensor(batch, dtype=torch.float64)
        y = memberships(x, values)
        y.retain_grad()
        parts = cut_loss(y, affinity(x, kind), cut, penalty, volumes)
        adam.zero_grad()
        parts[2].backward()
        for name, part in zip(["lap", "orth", "loss"], parts):
            record[f"{case}.step{t}.{name}"] = np.array(part.item(), np.float64)
        if t == 0:
            record[f"{case}.grad0.memberships"] = y.grad.numpy().astype(np.float32)
            for name, value in values.items():
                record[f"{case}.grad0.{name}"] = value.grad.numpy().astype(np.float32)
        adam.param_groups[0]["lr"] = LEARNING_RATE * (1 + math.cos(math.pi * t / STEPS)) / 2
        adam.step()
    for name, value in values.items():
        record[f"{case}.final.{name}"] = value.detach().numpy().astype(np.float32)
    return record


def main():
    # With this seed a row's 5th and 6th neighbours differ by 0.2% or more in squared distance: single precision keeps the same.
    rng = np.random.default_rng(300)
    start, batches = starting_values(rng), draw_batches(rng)
    record = {"sigma": np.array(SIGMA)}
    record |= {f"init.{name}": value for name, value in start.items()}
    record |= {f"batch.{t}": batch for t, batch in enumerate(batches)}
    first = torch.tensor(batches[0], dtype=torch.float64)
    record |= {f"affinity.{kind}.0": affinity(first, kind).numpy().astype(np.float32) for kind in ["dense", "sparse"]}
    cases = [f"{c}-{p}-{v}-sparse" for c in ["ncut", "rcut"] for p in ["squared", "normed"] for v in ["flow", "held"]]
    for case in [*cases, "ncut-squared-flow-dense"]:
        record |= replay(case, start, batches)
    record = {name: np.array(value, order="C") for name, value in record.items()}
    save_file(record, pathlib.Path(__file__).with_name("replay.safetensors"))


main()
