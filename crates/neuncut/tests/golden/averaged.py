"""Run: `pip install numpy torch safetensors && python averaged.py`, here. Reads replay.safetensors and writes averaged.safetensors.

The losses whose volumes or joint distributions are averaged over batches, and ten Adam steps of each in PyTorch: the starting values,
batches and sparse affinity of replay.py, in float64 from float32.

    {case}.step{t}.loss                     f64 (), before the t-th update
    {case}.grad0.memberships                f32 (40, 4), d loss / d Y at step 0
    {case}.grad0.layer{i}.{weight,bias}     f32, d loss / d parameter at step 0, without weight decay
    {case}.final.layer{i}.{weight,bias}     f32, after the tenth update

A case is `log`, `min-max` or `mutual-information`. With w = sum W, q_c = y_c' W y_c / w, v_c = d' y_c / w and J = Y' W Y / w:

    log                  sum_c -ln(q_c / v_c)
    min-max              sum_c v_c / q_c - 1
    mutual-information   -sum_cd J_cd ln(A_cd / (a_c a_d) + 1e-3), A the average of J and a its row sums, both held fixed

In log and min-max q and v have the values of their averages and the gradients of the batch. An average is that of the batches so far,
the one t batches ago weighing 0.95^t. Adam as in replay.py.
"""

import math
import pathlib

import numpy as np
import torch
from safetensors.numpy import load_file, save_file

STEPS, NEIGHBOURS, SIGMA, KEEPS = 10, 5, 1.0, 0.95
LEARNING_RATE, WEIGHT_DECAY = 5e-3, 1e-4
HERE = pathlib.Path(__file__).parent


class Average:
    def __init__(self):
        self.parts = []

    def moved(self, new):
        """The average, with the gradient of its latest part as if it were that part."""
        self.parts.append(new.detach())
        weights = [KEEPS ** (len(self.parts) - 1 - t) for t in range(len(self.parts))]
        mean = sum(w * part for w, part in zip(weights, self.parts)) / sum(weights)
        return new + (mean - new).detach()


def affinity(x):
    w = torch.exp(-torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist") ** 2 / (2 * SIGMA**2))
    w.fill_diagonal_(0)
    kept = torch.topk(w, NEIGHBOURS, dim=1)
    w = torch.zeros_like(w).scatter_(1, kept.indices, kept.values)
    return (w + w.T) / 2


def memberships(x, values):
    for i in range(3):
        x = x @ values[f"layer{i}.weight"] + values[f"layer{i}.bias"]
        x = torch.softmax(x, dim=1) if i == 2 else torch.relu(x)
    return x


def loss_of(case, y, w, averages):
    joint = y.T @ w @ y / w.sum()
    if case == "mutual-information":
        average = averages[0].moved(joint).detach()
        sums = average.sum(1)
        return -(joint * torch.log(average / torch.outer(sums, sums) + 1e-3)).sum()
    inside, volume = averages[0].moved(torch.diag(joint)), averages[1].moved(w.sum(1) @ y / w.sum())
    return -torch.log(inside / volume).sum() if case == "log" else (volume / inside - 1).sum()


def replay(case, golden):
    start = {name[5:]: value for name, value in golden.items() if name.startswith("init.")}
    values = {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in start.items()}
    adam = torch.optim.Adam(values.values(), lr=LEARNING_RATE, betas=(0.9, 0.999), eps=1e-8, weight_decay=WEIGHT_DECAY)
    averages, record = [Average(), Average()], {}
    for t in range(STEPS):
        x = torch.tensor(golden[f"batch.{t}"], dtype=torch.float64)
        y = memberships(x, values)
        y.retain_grad()
        loss = loss_of(case, y, affinity(x), averages)
        adam.zero_grad()
        loss.backward()
        record[f"{case}.step{t}.loss"] = np.array(loss.item(), np.float64)
        if t == 0:
            record[f"{case}.grad0.memberships"] = y.grad.numpy().astype(np.float32)
            record |= {f"{case}.grad0.{name}": value.grad.numpy().astype(np.float32) for name, value in values.items()}
        adam.param_groups[0]["lr"] = LEARNING_RATE * (1 + math.cos(math.pi * t / STEPS)) / 2
        adam.step()
    return record | {f"{case}.final.{name}": value.detach().numpy().astype(np.float32) for name, value in values.items()}


def main():
    golden, record = load_file(HERE / "replay.safetensors"), {}
    for case in ["log", "min-max", "mutual-information"]:
        record |= replay(case, golden)
    record = {name: np.array(value, order="C") for name, value in record.items()}
    save_file(record, HERE / "averaged.safetensors")


main()
