"""Writes scattering.safetensors: images and kymatio's coefficients of them.

    pip install kymatio==0.3.0 'scipy<1.15' torch numpy pillow safetensors
    python scattering.py DATA            # DATA holds mnist/ and fashion-mnist/ with the idx.gz files

For the first 16 images of each training set: the bytes, and of all 217 paths (J=3, L=8, 32x32 as PIL resizes) four of the 16
coefficients; of the first image of each all of them. Then two small images of other sizes in full: 12x20 with J=2, L=5, and 8x8
with J=3, L=8, where the padding is as large as the image. Pixels are divided by 255, as torchvision does.
"""
import gzip
import sys

import numpy as np
import torch
from kymatio.torch import Scattering2D
from PIL import Image
from safetensors.numpy import save_file

POSITIONS = [0, 6, 9, 15]


def images(folder, count):
    with gzip.open(f"{sys.argv[1]}/{folder}/train-images-idx3-ubyte.gz") as file:
        return np.frombuffer(file.read(16 + count * 784)[16:], "u1").reshape(count, 28, 28)


def scatter(pixels, J, L):
    x = torch.from_numpy(pixels.astype(np.float32) / 255)
    return Scattering2D(J=J, shape=pixels.shape[1:], L=L)(x).numpy().reshape(len(pixels), -1, pixels.shape[1] * pixels.shape[2] >> 2 * J)


tensors = {"positions": np.array(POSITIONS, np.float32)}
for name, folder in [("mnist", "mnist"), ("fashion", "fashion-mnist")]:
    raw = images(folder, 16)
    large = np.stack([np.asarray(Image.fromarray(image).resize((32, 32), Image.BILINEAR)) for image in raw])
    found = scatter(large, 3, 8)  # (16, 217, 16)
    tensors[f"{name}.images"] = raw.reshape(16, -1)
    tensors[f"{name}.some"] = np.ascontiguousarray(found[:, :, POSITIONS])
    tensors[f"{name}.first"] = found[0]
rng = np.random.default_rng(0)
for height, width, J, L in [(12, 20, 2, 5), (8, 8, 3, 8)]:
    raw = rng.integers(0, 256, (1, height, width)).astype("u1")
    tensors[f"{width}x{height}.image"] = raw.reshape(1, -1)
    tensors[f"{width}x{height}.all"] = scatter(raw, J, L)[0]
save_file(tensors, "scattering.safetensors")
