"""Run: `pip install numpy torch safetensors && python deep.py`, here. Writes deep.safetensors.

The losses of CNC, EDESC, DEPICT and VaDE in PyTorch, in float64 from float32 starting values, written as their authors' formulas are,
with the gradients that autograd finds.

Shapes: m = 12 rows, k = 3 clusters; EDESC has 2 dimensions per subspace; codes of VaDE have 4 numbers.
"""

import numpy as np
import torch
from safetensors.numpy import save_file

rng = np.random.default_rng(0)
m, k, dims, p = 12, 3, 2, 4
written = {}


def given(name, array):
    written[name] = array.astype(np.float32)
    return torch.tensor(written[name].astype(np.float64), requires_grad=True)


def record(name, loss, **by):
    written[f"{name}.loss"] = np.array([loss.item()], np.float32)
    for of, gradient in zip(by, torch.autograd.grad(loss, list(by.values()))):
        written[f"{name}.{of}"] = gradient.numpy().astype(np.float32)


# CNC: sum over pairs of w_ij P(rows in different clusters) / volume, and equal sizes; the graph has loops of weight one
upper = np.triu(rng.random((m, m)) * (rng.random((m, m)) < 0.4), 1)
weights = given("cnc.weights", upper + upper.T)
logits = given("cnc.logits", rng.normal(size=(m, k)))
looped = weights.detach() + torch.eye(m, dtype=torch.float64)
y = torch.softmax(logits, dim=1)
volumes = (looped.sum(dim=1)[:, None] * y).sum(dim=0)
cut = (((y / volumes) @ (1 - y).T) * looped).sum()
record("cnc", cut + 0.01 * ((y.sum(dim=0) - m / k) ** 2).mean(), gradient=logits)

# EDESC: KL(targets, s) summed over clusters, mean over rows; directions of length one, subspaces that are orthogonal
eta = 5
codes = given("edesc.codes", 3 * rng.normal(size=(m, p)))
bases = given("edesc.bases", rng.normal(size=(p, k * dims)))
s = ((codes @ bases) ** 2).reshape(m, k, dims).sum(dim=2)
s = (s + eta * dims) / ((eta + 1) * dims)
s = s / s.sum(dim=1, keepdim=True)
written["edesc.memberships"] = s.detach().numpy().astype(np.float32)
target = s.detach() ** 2 / s.detach().sum(dim=0)
target = target / target.sum(dim=1, keepdim=True)
written["edesc.targets"] = target.numpy().astype(np.float32)
record("edesc", torch.nn.functional.kl_div(s.log(), target, reduction="batchmean"), codes_gradient=codes, bases_gradient=bases)
gram = bases.T @ bases
across = 1 - torch.block_diag(*[torch.ones(dims, dims, dtype=torch.float64)] * k)
own = torch.norm(gram * torch.eye(k * dims, dtype=torch.float64) - torch.eye(k * dims, dtype=torch.float64))
record("dependence", own + torch.norm(gram * across), gradient=bases)

# DEPICT: cross-entropy of memberships to the targets of other memberships
logits = given("depict.logits", rng.normal(size=(m, k)))
loss = -(target * torch.log_softmax(logits, dim=1)).sum(dim=1).mean()
record("depict", loss, gradient=logits)

# VaDE: the evidence bound without the reconstruction
mu = given("vade.mu", rng.normal(size=(m, p)))
log_s2 = given("vade.log_s2", rng.normal(size=(m, p)))
z = given("vade.z", rng.normal(size=(m, p)))
shares = given("vade.shares", rng.normal(size=(1, k)))
means = given("vade.means", rng.normal(size=(k, p)))
log_l = given("vade.log_l", rng.normal(size=(k, p)))
log_pi = torch.log_softmax(shares, dim=1)
density = -0.5 * (np.log(2 * np.pi) + log_l + (z[:, None] - means) ** 2 / log_l.exp()).sum(dim=2)
gamma = torch.softmax(log_pi + density, dim=1)
terms = (log_l + log_s2.exp()[:, None] / log_l.exp() + (mu[:, None] - means) ** 2 / log_l.exp()).sum(dim=2)
loss = 0.5 * (gamma * terms).sum(dim=1) - 0.5 * (1 + log_s2).sum(dim=1)
loss = loss - (gamma * log_pi).sum(dim=1) + (gamma * gamma.log()).sum(dim=1)
record("vade", loss.mean(), d_mu=mu, d_log_s2=log_s2, d_z=z, d_shares=shares, d_means=means, d_log_l=log_l)

save_file(written, "deep.safetensors")
