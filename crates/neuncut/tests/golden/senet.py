"""Run: `pip install numpy torch safetensors && python senet.py`, here. Writes senet.safetensors.

The self-expression loss of SENet, Eq. (senet), and ten Adam steps with clipped gradients in PyTorch, in float64 from float32
starting values: what the Rust code must reproduce.

Shapes: 60 unit rows of 7 columns; query and key networks 7-12-10-8 (ReLU between, tanh at the end); 15 rows per batch; 40 keys.

    rows                                         f32 (60, 7)
    batch.{t}, keys.{t}                          f32 row numbers, t = 0..9; the batch and the block of keys of a step
    init.{query,key}.layer{i}.{weight,bias}      f32; weights are (in, out)
    init.threshold                               f32 (1)
    step{t}.{loss,reconstruction,penalty}        f32 (1), before the t-th update
    grad0.*, clipped0.*                          f32, gradients at step 0 before and after clip_grad_norm_(0.001)
    final.*                                      f32, after the tenth update

    c_ij   = sign(s_ij) relu(|s_ij| - threshold) / 8,  s_ij = q(x_i) . k(x_j),  0 where row i is key j
    loss   = (200/2 sum |x_i - sum_j c_ij x_j|^2 + sum 0.9 |c_ij| + 0.1/2 c_ij^2) / 15

Adam: lr 0.001, betas 0.9 and 0.999, eps 1e-8. The threshold starts at 0.05, so that its gradient is not that of a corner.
"""

import math
import pathlib

import numpy as np
import torch
from safetensors.numpy import save_file

ROWS, BATCH, KEYS, STEPS = 60, 15, 40, 10
WIDTHS = [7, 12, 10, 8]
ETA, LAMBDA, LONGEST = 200.0, 0.9, 1e-3


def starting_values(rng):
    """He-uniform hidden layers, Xavier-uniform outputs, small biases."""
    values = {}
    last = len(WIDTHS) - 2
    for network in ["query", "key"]:
        for i, (fan_in, fan_out) in enumerate(zip(WIDTHS, WIDTHS[1:])):
            bound = math.sqrt(6 / (fan_in + fan_out)) if i == last else math.sqrt(6 / fan_in)
            values[f"{network}.layer{i}.weight"] = rng.uniform(-bound, bound, (fan_in, fan_out)).astype(np.float32)
            values[f"{network}.layer{i}.bias"] = rng.uniform(-0.1, 0.1, fan_out).astype(np.float32)
    values["threshold"] = np.array([0.05], np.float32)
    return values


def codes(x, network, values):
    last = len(WIDTHS) - 2
    for i in range(last + 1):
        x = x @ values[f"{network}.layer{i}.weight"] + values[f"{network}.layer{i}.bias"]
        x = torch.tanh(x) if i == last else torch.relu(x)
    return x


def loss_terms(rows, batch, keys, values):
    """loss, reconstruction and penalty."""
    x, z = rows[batch], rows[keys]
    s = codes(x, "query", values) @ codes(z, "key", values).T
    c = torch.sign(s) * torch.relu(s.abs() - values["threshold"]) / WIDTHS[-1]
    c = c * torch.tensor(batch[:, None] != keys[None, :], dtype=c.dtype)
    reconstruction = ((x - c @ z) ** 2).sum() / len(batch)
    penalty = (LAMBDA * c.abs() + (1 - LAMBDA) / 2 * c**2).sum() / len(batch)
    return ETA / 2 * reconstruction + penalty, reconstruction, penalty


def main():
    rng = np.random.default_rng(7)
    rows = rng.normal(0, 1, (ROWS, WIDTHS[0]))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    start = starting_values(rng)
    record = {"rows": rows} | {f"init.{name}": value for name, value in start.items()}
    values = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in start.items()}
    adam = torch.optim.Adam(values.values(), lr=1e-3, eps=1e-8)
    x = torch.tensor(rows, dtype=torch.float64)
    for t in range(STEPS):
        batch = rng.choice(ROWS, BATCH, replace=False)
        keys = np.sort(rng.choice(ROWS, KEYS, replace=False))
        record |= {f"batch.{t}": batch.astype(np.float32), f"keys.{t}": keys.astype(np.float32)}
        terms = loss_terms(x, batch, keys, values)
        for name, term in zip(["loss", "reconstruction", "penalty"], terms):
            record[f"step{t}.{name}"] = np.array([term.item()], np.float32)
        adam.zero_grad()
        terms[0].backward()
        if t == 0:
            record |= {f"grad0.{name}": value.grad.numpy().astype(np.float32) for name, value in values.items()}
        torch.nn.utils.clip_grad_norm_(values.values(), LONGEST)
        if t == 0:
            record |= {f"clipped0.{name}": value.grad.numpy().astype(np.float32) for name, value in values.items()}
        adam.step()
    record |= {f"final.{name}": value.detach().numpy().astype(np.float32) for name, value in values.items()}
    record = {name: np.array(value, order="C") for name, value in record.items()}
    save_file(record, pathlib.Path(__file__).with_name("senet.safetensors"))


main()
