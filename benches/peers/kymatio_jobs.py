"""The scattering transform of 32 x 32 images in kymatio's torch backend (J = 3, 8 angles). Prints one JSON line."""

import json
import time

import torch
from kymatio.torch import Scattering2D

images = torch.rand(500, 32, 32)
scattering = Scattering2D(J=3, shape=(32, 32), L=8)
best = float("inf")
with torch.inference_mode():
    scattering(images[:50])
    for _ in range(2):
        begin = time.perf_counter()
        scattering(images)
        best = min(best, time.perf_counter() - begin)
print(json.dumps({"job": "scattering", "ms_per_image": 1e3 * best / len(images)}))
