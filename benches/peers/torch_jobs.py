"""The jobs `step` and `predict` in PyTorch, written for speed: the same work as `examples/jobs` does.

    python torch_jobs.py step|predict [--rows N] [--dim N] [--batch N] [--hidden 512,512] [--clusters N] [--neighbors N] [--steps N]

Prints one JSON line. All cores are used.
"""

import argparse
import json
import os
import time

import torch


def network(dim, hidden, clusters):
    sizes = [dim, *hidden]
    layers = []
    for inputs, outputs in zip(sizes, sizes[1:]):
        layers += [torch.nn.Linear(inputs, outputs), torch.nn.ReLU(inplace=True)]
    return torch.nn.Sequential(*layers, torch.nn.Linear(sizes[-1], clusters))


def affinity(batch, neighbors):
    """The heat kernel of bandwidth 3 among the rows of a batch, and its row sums."""
    norms = batch.square().sum(1)
    weights = torch.addmm(norms, batch, batch.t(), beta=1, alpha=-2)
    weights.add_(norms[:, None]).clamp_(min=0).div_(-18).exp_()
    if neighbors:
        values, places = weights.topk(neighbors, dim=1)
        weights = torch.zeros_like(weights).scatter_(1, places, values)
        weights = weights.add(weights.t()).mul_(0.5)
    return weights, weights.sum(0)


def train(net, optimizer, batch, neighbors, eye):
    with torch.no_grad():
        weights, degrees = affinity(batch, neighbors)
    memberships = net(batch).softmax(1)
    scaled = memberships / (degrees @ memberships + 1e-6).sqrt()
    weighted = scaled * degrees[:, None]
    cut = (scaled * weighted).sum() - (scaled * (weights @ scaled)).sum()
    loss = cut + 50 * (scaled.t() @ weighted - eye).square().sum()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()


def step(given, rows):
    net = network(given.dim, given.hidden, given.clusters)
    optimizer = torch.optim.Adam(net.parameters(), lr=5e-3, weight_decay=1e-4)
    eye = torch.eye(given.clusters)
    batches = rows.split(given.batch)
    for batch in batches[:3]:
        train(net, optimizer, batch, given.neighbors, eye)
    count, best = max(1, given.steps // 5), float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        for i in range(count):
            train(net, optimizer, batches[i % (len(rows) // given.batch)], given.neighbors, eye)
        best = min(best, (time.perf_counter() - begin) / count)
    return {"job": "step", "step_ms": 1e3 * best}


def predict(given, rows):
    net = network(given.dim, given.hidden, given.clusters).eval()
    best = float("inf")
    with torch.inference_mode():
        for _ in range(5):
            begin = time.perf_counter()
            for part in rows.split(10_000):
                net(part).argmax(1)
            best = min(best, time.perf_counter() - begin)
    return {"job": "predict", "rows_per_s": len(rows) / best}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("job", choices=["step", "predict"])
    parser.add_argument("--rows", type=int)
    parser.add_argument("--dim", type=int, default=500)
    parser.add_argument("--batch", type=int, default=1000)
    parser.add_argument("--hidden", type=lambda text: [int(part) for part in text.split(",")], default=[512, 512])
    parser.add_argument("--clusters", type=int, default=10)
    parser.add_argument("--neighbors", type=int, default=0)
    parser.add_argument("--steps", type=int, default=100)
    given = parser.parse_args()
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    torch.manual_seed(0)
    rows = torch.randn(given.rows or {"step": 20_000, "predict": 70_000}[given.job], given.dim)
    rows /= rows.norm(dim=1, keepdim=True)
    print(json.dumps({"step": step, "predict": predict}[given.job](given, rows)))


main()
