"""Stubs say what is there, and every example runs."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import neuncut
from neuncut import _core, metrics

DOCS = Path(__file__).parents[3] / "docs"
INSIDE = [module.name for module in pkgutil.walk_packages(neuncut.__path__, "neuncut.")]
MODULES = ["neuncut", *(name for name in INSIDE if name not in ("neuncut.__main__", "neuncut._core"))]


def test_stubs_name_what_is_there():
    stub = ast.parse((Path(neuncut.__file__).parent / "_core.pyi").read_text())
    members = {}
    for node in stub.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and not node.name.startswith("_"):
            inside = [n.name for n in getattr(node, "body", []) if isinstance(n, ast.FunctionDef)]
            members[node.name] = set(inside) if isinstance(node, ast.ClassDef) else None
    public = {name for name in dir(_core) if not name.startswith("_")}
    assert public == set(members)
    for name, inside in members.items():
        if inside is not None:
            assert {m for m in dir(getattr(_core, name)) if not m.startswith("_")} == inside, name


def test_all_names_can_be_imported_and_are_documented():
    assert neuncut.__version__
    for name in neuncut.__all__:
        assert inspect.getdoc(getattr(neuncut, name)), name
        assert name in dir(neuncut)


def own_methods(kind):
    """Public methods of a class that this package wrote."""
    for name, method in inspect.getmembers(kind, callable):
        if not name.startswith("_") and str(getattr(method, "__module__", "")).startswith("neuncut"):
            yield f"{kind.__name__}.{name}", method


def test_every_class_and_method_has_an_example():
    kinds = [getattr(neuncut, name) for name in neuncut.__all__] + [neuncut.features.Features, *map(metrics.__dict__.get, metrics.__all__)]
    documented = [(kind.__name__, kind) for kind in kinds if kind is not neuncut.set_threads]
    methods = [method for kind in kinds if inspect.isclass(kind) for method in own_methods(kind)]
    assert len(documented) > 30 and len(methods) > 100
    without = sorted({name for name, item in documented + methods if ">>>" not in (inspect.getdoc(item) or "")})
    assert not without


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def blocks(page):
    """Blocks of Python in a page, as one program a page; those that follow `<!-- not run -->` are left out."""
    text = re.sub(r"<!-- not run[^>]*-->\s*```python\n.*?```", "", page.read_text(), flags=re.DOTALL)
    return re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)


# pages for users of the command alone have no Python
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if "```python" in page.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_in_docs(page, tmp_path):
    found = blocks(page)
    assert found
    if "import ray" in "".join(found):
        pytest.importorskip("ray")
    if "pyspark" in "".join(found):
        if shutil.which("java") is None:
            pytest.skip("Spark needs `java`, which is not installed")
    # a process of its own, as a reader has it: engines that a page starts end with it
    program = tmp_path / "page.py"
    program.write_text("".join(found))
    run = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-3000:]
