"""Run: `pip install numpy torch safetensors && python heads.py`, here. Writes heads.safetensors.

The losses of heads on pairs of near rows and five Adam steps in PyTorch, by its own differentiation, in float64 from float32 starting values:
what the Rust code must reproduce. Nothing is averaged over batches by a formula of its own: the average is a running one of decay 0.9, started
at zero and divided by the weight it has so far, and gradients go through it as if it were the batch (value of the average, gradient of the batch).

Shapes: d = 6 columns, k = 4 clusters, m = 20 pairs per batch, 5 batches; rows m + i are the partners of rows i.

    batch.{t}                           f32 (40, 6), t = 0..4
    linear.init.{weight,bias}           f32 (6, 4), (4): a linear head, for icon and scan
    {icon,scan}.step{t}                 f64 (), the loss before the t-th update
    {icon,scan}.final.{weight,bias}     f32, after the fifth update
    cosine.init.{0,1}.{weight,bias}     f32, d-8-5: layers that make codes, with ReLU between them
    cosine.init.last.{weight,bias}      f32 (5, 4), (4): directions, and the lengths they have in the product
    temi.step{t}                        f64 ()
    temi.{student,teacher}.{0,1,last}.{weight,bias}   f32, after the fifth update; the teacher has seen four

icon: debiasing 0.4. scan: entropy weight 5. temi: exponent 0.6, temperature 0.1, teacher 0.9 of itself, one head.
Adam: rate 0.01, betas 0.9 and 0.999, eps 1e-8.
"""

import pathlib

import numpy as np
import torch
from safetensors.numpy import save_file

D, K, M, STEPS = 6, 4, 20, 5
DEBIASING, ENTROPY_WEIGHT, EXPONENT, TEMPERATURE, KEPT = 0.4, 5.0, 0.6, 0.1, 0.9
RATE, DECAY = 1e-2, 0.9
rng = np.random.default_rng(7)
out = {}


class Average:
    """A running average, and the same with the gradient of the batch."""

    def __init__(self):
        self.sum, self.mass = 0.0, 0.0

    def of(self, batch):
        self.sum = DECAY * self.sum + (1 - DECAY) * batch.detach()
        self.mass = DECAY * self.mass + (1 - DECAY)
        return self.sum / self.mass

    def straight_through(self, batch):
        return self.of(batch) + batch - batch.detach()


def icon(y, average):
    shares = average.straight_through(y.mean(0))
    ratios = (y[:M] / shares) @ y[M:].T
    mixed = torch.log((1 - DEBIASING) * ratios + DEBIASING)
    return -(1 - DEBIASING) * mixed.diagonal().mean() - DEBIASING * mixed.mean()


def scan(y, average):
    shares = average.straight_through(y.mean(0))
    consistency = -torch.log((y[:M] * y[M:]).sum(1) + 1e-8).mean()
    return consistency + ENTROPY_WEIGHT * (shares * torch.log(shares)).sum()


def temi(student, teacher, average):
    shares = average.of(teacher.mean(0))
    weights = (teacher[:M] * teacher[M:]).sum(1)

    def information(s, t):
        return -torch.log(((s * t) ** EXPONENT / shares).sum(1))

    both = information(student[:M], teacher[M:]) + information(student[M:], teacher[:M])
    return (weights * both / 2).mean()


def parameters(values):
    return {name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in values.items()}


def cosines(x, p):
    codes = torch.relu(x @ p["0.weight"] + p["0.bias"]) @ p["1.weight"] + p["1.bias"]
    directions = p["last.weight"] / p["last.weight"].norm(dim=0) * p["last.bias"]
    return codes / codes.norm(dim=1, keepdim=True) @ directions


def keep(prefix, values):
    for name, value in values.items():
        out[f"{prefix}.{name}"] = np.asarray(value.detach() if torch.is_tensor(value) else value, np.float32)


centres = rng.normal(0, 1.2, (K, D))
classes = rng.integers(0, K, (STEPS, M))
classes = np.concatenate([classes, classes], axis=1)
batches = (centres[classes] + rng.normal(0, 0.5, (STEPS, 2 * M, D))).astype(np.float32)
for t, batch in enumerate(batches):
    out[f"batch.{t}"] = batch

start = {"weight": rng.uniform(-0.7, 0.7, (D, K)).astype(np.float32), "bias": np.zeros(K, np.float32)}
keep("linear.init", start)
for name, loss in [("icon", icon), ("scan", scan)]:
    p, average = parameters(start), Average()
    adam = torch.optim.Adam(p.values(), lr=RATE)
    for t, batch in enumerate(batches):
        x = torch.tensor(batch, dtype=torch.float64)
        value = loss(torch.softmax(x @ p["weight"] + p["bias"], 1), average)
        out[f"{name}.step{t}"] = np.asarray(value.item(), np.float64)
        adam.zero_grad()
        value.backward()
        adam.step()
    keep(f"{name}.final", p)

start = {}
for name, (a, b) in [("0", (D, 8)), ("1", (8, 5)), ("last", (5, K))]:
    start[f"{name}.weight"] = rng.uniform(-0.8, 0.8, (a, b)).astype(np.float32)
    start[f"{name}.bias"] = np.ones(b, np.float32) if name == "last" else np.zeros(b, np.float32)
keep("cosine.init", start)
student, average = parameters(start), Average()
teacher = {name: value.detach().clone() for name, value in student.items()}
adam = torch.optim.Adam(student.values(), lr=RATE)
for t, batch in enumerate(batches):
    with torch.no_grad():
        for name, value in teacher.items():
            value += (1 - KEPT) * (student[name] - value)
    x = torch.tensor(batch, dtype=torch.float64)
    taught = torch.softmax(cosines(x, teacher) / TEMPERATURE, 1)
    value = temi(torch.softmax(cosines(x, student) / TEMPERATURE, 1), taught, average)
    out[f"temi.step{t}"] = np.asarray(value.item(), np.float64)
    adam.zero_grad()
    value.backward()
    adam.step()
keep("temi.student", student)
keep("temi.teacher", teacher)
save_file(out, pathlib.Path(__file__).with_name("heads.safetensors"))
print({name: float(value) for name, value in out.items() if value.ndim == 0})
