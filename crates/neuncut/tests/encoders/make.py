# /// script
# dependencies = ["onnx", "numpy"]
# ///
"""Makes the small networks of this folder: `uv run make.py`, or `python make.py` where `onnx` is installed.

`mlp.safetensors`, `mlp.onnx`, `v5.safetensors` and `v2-steps.safetensors` are made by `neuncut` itself: see README.md.
"""

from onnx import TensorProto, checker, helper, save

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def network(name, nodes, inputs, outputs):
    graph = helper.make_graph(nodes, name, inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    save(model, f"{name}.onnx")


def value(name, *sides, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, sides)


node = helper.make_node

pool = [node("GlobalAveragePool", ["images"], ["means"]), node("Flatten", ["means"], ["out"])]
network("channel-means", pool, [value("images", "batch", 3, 4, 4)], [value("out", "batch", 3)])
network("free-size", pool, [value("images", "batch", 1, "height", "width")], [value("out", "batch", 1)])
network("two-inputs", [node("Add", ["a", "b"], ["out"])], [value("a", "batch", 6), value("b", "batch", 6)], [value("out", "batch", 6)])
network("logarithm", [node("Log", ["rows"], ["out"])], [value("rows", "batch", 6)], [value("out", "batch", 6)])
network(
    "whole-numbers",
    [node("Cast", ["ids"], ["out"], to=FLOAT)],
    [value("ids", "batch", 6, kind=INT64)],
    [value("out", "batch", 6)],
)
network(
    "mixes-rows",
    [node("ReduceMean", ["rows"], ["mean"], axes=[0], keepdims=1), node("Sub", ["rows", "mean"], ["out"])],
    [value("rows", "batch", 6)],
    [value("out", "batch", 6)],
)
