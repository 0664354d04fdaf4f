"""Layers, private names, READMEs and the sizes of folders."""

import os

import pytest

from tests import structure
from tfcore.framework import lazy

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
pytestmark = pytest.mark.skipif(not os.path.exists(os.path.join(ROOT, "kernels_c")), reason="needs the source tree")

# Folders whose README names every source file. Those of `tests` say what the folder as a whole is about: its files are
# named after what they test.
SOURCES = (".py", ".pyx", ".pxi", ".pxd", ".c", ".h", ".cu", ".cuh")
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


def test_names_of_tf_gpu_are_late():
    assert all(target.startswith("late ") for target in lazy.public_names()["tf.gpu"].values())


def test_no_cycle_of_imports_crosses_layers(sources):
    assert not structure.import_cycles_between_layers(sources)


# Packages with circles of imports, which their READMEs explain, and how many modules take part at most.
CIRCLES = {"framework": 6, "ops": 9, "core": 2, "variables": 2, "distributed": 2}


def test_no_cycle_of_imports_is_longer_than_stated(sources):
    longest = {}
    for cycle in structure.import_cycles(sources):
        layer = structure.layer_of(cycle[0])
        longest[layer] = max(longest.get(layer, 0), len(cycle))
    assert longest == CIRCLES
    for layer in CIRCLES:
        assert "import each other" in " ".join(read("tfcore", layer, "README.md").split()), layer


PLANTED = {
    "import in a function": ("framework/types/nest.py", "\n\ndef f():\n    from tfcore.ops.array.array import shape\n"),
    "module in a function": ("framework/types/nest.py", "\n\ndef f():\n    from tfcore.ops import array\n"),
    "import for types": ("ops/array/array.py", "\nif TYPE_CHECKING:\n    import tfcore.client.session as s\n"),
    "importlib": (
        "core/registry/elf.py",
        '\n\ndef f():\n    return importlib.import_module("tfcore.ops.array.array")\n',
    ),
    "lazy names": (
        "framework/types/nest.py",
        '\nlazy_names(globals(), {"Session": "tfcore.client.session:Session"})\n',
    ),
    "a lazy module": ("framework/types/nest.py", '\nlazy_names(globals(), {"session": "tfcore.client.session"})\n'),
    "the public namespace": ("train/optimizers/optimizer.py", "\n\ndef f():\n    import tfcore as tf\n"),
    "relative": ("framework/types/nest.py", "\n\ndef f():\n    from ...ops import array\n"),
    "import in Cython": (
        "core/memory/tensor.pyx",
        "\n\ndef f():\n    from tfcore.ops.array.array import (\n        shape,\n    )\n",
    ),
    "cimport in Cython": ("core/memory/tensor.pyx", "\nfrom tfcore.distributed.fabric.fabric cimport fabric\n"),
    "cimport in a declaration": ("core/step/plan.pxd", "\nfrom tfcore.distributed cimport fabric\n"),
    "cimport of a module": ("core/step/plan.pxd", "\ncimport tfcore.distributed.fabric.fabric as f\n"),
    "importlib in Cython": (
        "core/memory/tensor.pyx",
        "\n\ndef f():\n    importlib.import_module('tfcore.ops.array.array')\n",
    ),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_an_upward_import_is_found(sources, order, planted):
    file, text = PLANTED[planted]
    path = f"tfcore/{file}"
    found = structure.upward_imports({**sources, path: sources[path] + text}, order)
    assert len(found) == 1 and found[0].startswith(path)


@pytest.mark.parametrize(
    "line, path, module",
    [
        ("tf.foo = tools.cluster:main", "tfcore/__init__.py", "tfcore.tools.cluster"),
        ("tf.math.foo = late tools.cluster:main", "tfcore/__init__.py", "tfcore.tools.cluster"),
        ("tf.io.foo = late train.training_util:get_global_step", "tfcore/io/__init__.py", "tfcore.train.training_util"),
        ("tf.contrib.rnn.foo = test.case", "tfcore/contrib/__init__.py", "tfcore.test.case"),
        ("tf.nn.rnn_cell.foo = contrib.layers", "tfcore/rnn/rnn_cell.py", "tfcore.contrib.layers"),
    ],
)
def test_an_upward_import_by_a_public_name_is_found(sources, order, line, path, module):
    changed = {**sources, structure.NAMES: f"{sources[structure.NAMES]}{line}\n"}
    assert structure.upward_imports(changed, order) == [f"{path}:{line.partition(' ')[0]} imports {module}"]


def test_an_import_in_a_function_closes_a_cycle(sources):
    path = "tfcore/framework/types/nest.py"
    changed = sources[path] + "\n\ndef f():\n    from tfcore.client.session import Session\n"
    cycles = structure.import_cycles_between_layers({**sources, path: changed})
    assert any("tfcore.framework.types.nest" in c and "tfcore.client.session" in c for c in cycles)


def test_a_package_without_a_place_is_found(sources, order):
    found = structure.upward_imports({**sources, "tfcore/new/a.py": "import tfcore.framework.types.nest\n"}, order)
    assert found == ["tfcore/new/a.py:1 imports tfcore.framework.types.nest"]


# ---- Private names

# Names with a leading underscore that other modules use. Those of Python and of libraries:
FOREIGN = """
    _add_inbound_node _addressof _asdict _at_fork_reinit _exit _getframe _handle
    _make _re2 _replace _sizeof _strip_protocol
"""
# TensorFlow's own, by which programs and the libraries that were written for it reach into its objects:
TENSORFLOWS = """
    _add_control_input _add_control_inputs _add_function _add_input _as_graph_element _as_ref _back_prop _branch
    _check_not_finalized _collections _control_dependencies_for_inputs _control_flow_context _create_slots
    _distribute_coordinator_mode _external_values _functions _get_control_flow_context _get_function _get_partitions
    _get_save_slice_info _grad_func _grad_state _id _indices _init_distributed_setting_from_environment_var _is_function
    _is_injective _is_loss_scaled_by_optimizer _is_ref_dtype _key_op _last_id _lock _loop_enters _loop_exits
    _maximum_iterations _names_in_use _nested_contexts _nodes_by_name _original_op _override_operator
    _parallel_iterations _pivot _pivot_for_body _pivot_for_pred _pred _record_op_seen_by_control_dependencies _ref
    _remove_all_control_inputs _save_slice_info _set_control_flow_context _set_device _set_save_slice_info _shared_name
    _swap_memory _tf_decorator _type_spec _unsafe_unfinalize _update_input _values _vars
"""
# What sessions, variables, tables, checkpoints, datasets and coordinators have for tfcore's other modules only:
INTERNAL = """
    _cancel_steps _closed _cluster_changes _control _dead_handles _define _fill _forked _inter_op
    _is_lost_by_checkpoints
    _make_signature _new_slot _next_number _on_collectives _set_initial_value _sources _threads _timeout_ms _updated
    _wait_for_end
"""
STATED_NAMES = {*FOREIGN.split(), *TENSORFLOWS.split(), *INTERNAL.split()}


def test_other_modules_use_no_private_names(sources):
    uses = structure.private_uses(sources)
    assert not [f"{path}:{line} uses {name}" for path, line, name in uses if name not in STATED_NAMES]
    assert {name for _, _, name in uses} == STATED_NAMES


@pytest.mark.parametrize(
    "path, text",
    [
        ("framework/types/nest.py", "\n\ndef f(x):\n    return x.y()._planted\n"),
        ("framework/types/nest.py", "\n\ndef f(x):\n    x._planted = 1\n"),
        ("framework/types/nest.py", "\n\ndef f(x):\n    return f'{x._planted}'\n"),
        ("ops/array/array.py", "\nfrom tfcore.framework.types.nest import _planted\n"),
        ("core/memory/tensor.pyx", "\n\ndef f(x):\n    return x[0]._planted\n"),
    ],
)
def test_a_use_of_a_private_name_is_found(sources, path, text):
    path = f"tfcore/{path}"
    found = structure.private_uses({**sources, path: sources[path] + text})
    assert [(p, name) for p, _, name in found if name not in STATED_NAMES] == [(path, "_planted")]


# ---- READMEs


def source_folders():
    """{folder: its source files}"""
    found = {}
    for top in NAMED:
        for folder, subfolders, files in os.walk(os.path.join(ROOT, top)):
            subfolders[:] = [s for s in subfolders if s not in ("__pycache__", "build", "lib", "include")]
            mine = [f for f in files if f.endswith(SOURCES)]
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


# ---- Sizes of folders

MOST_FILES = 35  # hand-written source files in a folder
# Folders that hold one file each: paths that users were promised.
PROMISED = ("tfcore/include/tfcore", "kernels_c/include/tfcore")


def all_folders():
    """{folder: its source files, but for __init__.py}, of all trees; fixtures are data."""
    found = {}
    for top in (*NAMED, "tests"):
        for folder, subfolders, files in os.walk(os.path.join(ROOT, top)):
            subfolders[:] = [s for s in subfolders if s not in ("__pycache__", "build", "lib", "fixtures")]
            mine = [f for f in files if f.endswith(SOURCES) and f != "__init__.py"]
            found[os.path.relpath(folder, ROOT).replace(os.sep, "/")] = mine
    return found


def wrong_sizes(folders):
    """Folders with too many files, and those of a single file."""
    return [
        folder
        for folder, files in folders.items()
        if len(files) > MOST_FILES or len(files) == 1 and folder not in PROMISED
    ]


def test_no_folder_is_too_large_or_holds_one_file():
    assert not wrong_sizes(all_folders())


def test_a_folder_of_the_wrong_size_is_found():
    planted = {"tfcore/a": [f"{i}.py" for i in range(36)], "tfcore/b": ["one.py"], "tfcore/c": ["a.c", "b.c"]}
    assert wrong_sizes({**all_folders(), **planted}) == ["tfcore/a", "tfcore/b"]


# ---- Rooms: the order of the folders in a package

ROOMS = ("core", "distributed", "train")
# Imports of a higher room that have a reason, which the README of the package gives.
STATED = {"tfcore/core/memory/tensor.pyx": "device"}


@pytest.mark.parametrize("package", ROOMS)
def test_rooms_import_those_above_them(sources, package):
    rooms = structure.rooms(read("tfcore", package, "README.md"))
    assert len(rooms) > 3 and all(os.path.isdir(os.path.join(ROOT, "tfcore", package, room)) for room in rooms)
    assert not structure.imports_of_higher_rooms(sources, package, rooms, STATED)


def test_an_import_of_a_higher_room_is_found(sources):
    rooms = structure.rooms(read("tfcore", "train", "README.md"))
    path = "tfcore/train/threads/coordinator.py"
    changed = {**sources, path: sources[path] + "\n\ndef f():\n    import tfcore.train.sessions.scaffold\n"}
    (found,) = structure.imports_of_higher_rooms(changed, "train", rooms, {})
    assert found.startswith(path) and found.endswith("imports tfcore.train.sessions.scaffold")
