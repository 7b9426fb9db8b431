"""Writes pictures.safetensors: small PNG and JPEG files of every kind, and the pixels PIL reads from them.

    pip install pillow numpy safetensors
    python pictures.py

`NAME.file` holds a file's bytes, `NAME.pixels` (height, width, channels) what it shows: grey or colour, without transparency.
"""
import io

import numpy as np
from PIL import Image
from safetensors.numpy import save_file

rng = np.random.default_rng(0)
grey = (np.add.outer(np.arange(9) * 20, np.arange(12) * 7) % 256).astype("u1")
colour = np.stack([grey, 255 - grey, np.roll(grey, 3, 1)], -1)
alpha = rng.integers(0, 256, grey.shape).astype("u1")
pictures = {
    "grey.png": (Image.fromarray(grey), grey),
    "colour.png": (Image.fromarray(colour), colour),
    "grey-alpha.png": (Image.fromarray(np.dstack([grey, alpha]), "LA"), grey),
    "colour-alpha.png": (Image.fromarray(np.dstack([colour, alpha]), "RGBA"), colour),
    "sixteen.png": (Image.fromarray(grey.astype("u2") * 256 + 77), grey),
    "one-bit.png": (Image.fromarray(grey > 100), (grey > 100) * np.uint8(255)),
    "palette.png": (Image.fromarray(colour).quantize(16), None),
    "grey.jpg": (Image.fromarray(grey), None),
    "colour.jpg": (Image.fromarray(colour), None),
    "progressive.jpg": (Image.fromarray(colour), None),
}
tensors = {}
for name, (image, pixels) in pictures.items():
    file = io.BytesIO()
    options = {"quality": 95, "subsampling": 0, "progressive": name.startswith("progressive")} if name.endswith("jpg") else {}
    image.save(file, "JPEG" if name.endswith("jpg") else "PNG", **options)
    if pixels is None:
        decoded = Image.open(file)
        pixels = np.asarray(decoded.convert("RGB" if decoded.mode == "P" else decoded.mode))
    tensors[f"{name}.file"] = np.frombuffer(file.getvalue(), "u1")
    tensors[f"{name}.pixels"] = np.ascontiguousarray(np.atleast_3d(pixels))
save_file(tensors, "pictures.safetensors")
