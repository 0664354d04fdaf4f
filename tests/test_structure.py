"""Layers: no import points upward, and READMEs say what is there."""

import os

import pytest

from tests import structure

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
pytestmark = pytest.mark.skipif(not os.path.exists(os.path.join(ROOT, "kernels_c")), reason="needs the source tree")

# Folders whose README names every source file. Those of `tests` say what the folder as a whole is about: its files are
# named after what they test.
NAMED = ("tfcore", "bench", "kernels_c", "kernels_cuda")


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


@pytest.fixture(scope="module")
def sources():
    return structure.read_tree(ROOT)


@pytest.fixture(scope="module")
def order():
    return structure.layers(read("tfcore", "README.md"))


def test_the_order_has_every_package_and_module_once(sources, order):
    assert sorted(order) == sorted({structure.layer_of(structure.module_of(p)) for p in sources})


def test_no_import_points_upward(sources, order):
    assert len(structure.imports(sources)) > 1000
    assert not structure.upward_imports(sources, order)


def test_no_cycle_of_imports_crosses_layers(sources):
    assert not structure.import_cycles_between_layers(sources)


PLANTED = {
    "import in a function": ("framework/nest.py", "\n\ndef f():\n    from tfcore.ops.array import shape\n"),
    "module in a function": ("framework/nest.py", "\n\ndef f():\n    from tfcore.ops import array\n"),
    "import for types": ("ops/array.py", "\nif TYPE_CHECKING:\n    import tfcore.client.session as s\n"),
    "importlib": ("core/elf.py", '\n\ndef f():\n    return importlib.import_module("tfcore.ops.array")\n'),
    "lazy names": ("framework/nest.py", '\nlazy_names(globals(), {"Session": "tfcore.client.session"})\n'),
    "a lazy module": ("framework/nest.py", '\nlazy_names(globals(), {"session": "tfcore.client.session."})\n'),
    "the public namespace": ("train/optimizer.py", "\n\ndef f():\n    import tfcore as tf\n"),
    "relative": ("framework/nest.py", "\n\ndef f():\n    from ..ops import array\n"),
    "import in Cython": (
        "core/tensor.pyx",
        "\n\ndef f():\n    from tfcore.ops.array import (\n        shape,\n    )\n",
    ),
    "cimport in Cython": ("core/tensor.pyx", "\nfrom tfcore.distributed.fabric cimport fabric\n"),
    "cimport in a declaration": ("core/plan.pxd", "\nfrom tfcore.distributed cimport fabric\n"),
    "cimport of a module": ("core/plan.pxd", "\ncimport tfcore.distributed.fabric as f\n"),
    "importlib in Cython": ("core/tensor.pyx", "\n\ndef f():\n    importlib.import_module('tfcore.ops.array')\n"),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_an_upward_import_is_found(sources, order, planted):
    file, text = PLANTED[planted]
    path = f"tfcore/{file}"
    found = structure.upward_imports({**sources, path: sources[path] + text}, order)
    assert len(found) == 1 and found[0].startswith(path)


def test_an_import_in_a_function_closes_a_cycle(sources):
    path = "tfcore/framework/nest.py"
    changed = sources[path] + "\n\ndef f():\n    from tfcore.client.session import Session\n"
    cycles = structure.import_cycles_between_layers({**sources, path: changed})
    assert any("tfcore.framework.nest" in c and "tfcore.client.session" in c for c in cycles)


def test_a_package_without_a_place_is_found(sources, order):
    found = structure.upward_imports({**sources, "tfcore/new/a.py": "import tfcore.framework.nest\n"}, order)
    assert found == ["tfcore/new/a.py:1 imports tfcore.framework.nest"]


# ---- READMEs


def source_folders():
    """{folder: its source files}"""
    found = {}
    for top in NAMED:
        for folder, subfolders, files in os.walk(os.path.join(ROOT, top)):
            subfolders[:] = [s for s in subfolders if s not in ("__pycache__", "build", "lib", "include")]
            mine = [f for f in files if f.endswith((".py", ".pyx", ".pxi", ".pxd", ".c", ".h", ".cu", ".cuh"))]
            if mine:
                found[os.path.relpath(folder, ROOT)] = mine
    return found


def test_readmes_name_every_source_file():
    missing = {}
    for folder, files in source_folders().items():
        if set(files) == {"__init__.py"}:
            continue
        unnamed = structure.unnamed_files(files, read(folder, "README.md"))
        if unnamed:
            missing[folder] = unnamed
    assert not missing


def test_a_file_that_no_readme_names_is_found():
    folders = source_folders()
    for folder, files in folders.items():
        if set(files) != {"__init__.py"}:
            assert structure.unnamed_files([*files, "planted.py"], read(folder, "README.md")) == ["planted.py"]
    assert len(folders) > 20
    assert structure.unnamed_files(["a.h", "a.c", "b.h"], "`a.c`") == ["b.h"]


def test_readmes_state_what_a_package_imports(sources):
    real = structure.imported_layers(sources)
    wrong = {}
    for layer, imported in real.items():
        if os.path.isdir(os.path.join(ROOT, "tfcore", layer)):
            stated = structure.stated_imports(read("tfcore", layer, "README.md"))
            if stated != imported:
                wrong[layer] = (stated, imported)
    assert not wrong


def test_a_false_statement_is_found(sources):
    real = structure.imported_layers(sources)["ops"]
    assert real == structure.stated_imports(read("tfcore", "ops", "README.md"))
    assert structure.stated_imports("Imports: framework.\n") != real
    assert structure.stated_imports("") is None
    assert structure.stated_imports("Imports: nothing.\nImports: nothing.\n") is None
    assert structure.stated_imports("Imports: nothing.\n") == set()
