"""What a .pxd says of a C function is checked against the header: a wrong type ends the build."""

import importlib.util
import os
import subprocess
import sysconfig

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
pytestmark = pytest.mark.skipif(not os.path.exists(os.path.join(ROOT, "setup.py")), reason="needs the source tree")
MODULE = """
cdef extern from "step/step.h" nogil:
    ctypedef struct tfc_step:
        pass
    void tfc_set_signal_hook(void (*)({argument}) noexcept nogil)

cdef void hook({argument} step) noexcept nogil:
    pass

tfc_set_signal_hook(hook)
"""


@pytest.fixture(scope="module")
def setup():
    spec = importlib.util.spec_from_file_location("setup_of_tfcore", os.path.join(ROOT, "setup.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(setup, folder, argument):
    """The C compiler's exit code and messages for a module with a hook that takes `argument`."""
    from Cython.Build import cythonize

    path = folder / f"hook_{len(argument)}.pyx"
    path.write_text(MODULE.format(argument=argument))
    extension = cythonize([setup.Extension(path.stem, [str(path)])], language_level=3, quiet=True)[0]
    includes = [*setup.NATIVE, ".", setup.INCLUDE, sysconfig.get_path("include")]
    flags = [*setup.CORE_FLAGS, *setup.GENERATED_FLAGS, *(f"-I{folder}" for folder in includes)]
    command = ["gcc", "-fsyntax-only", *flags, extension.sources[0]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.returncode, done.stderr


def test_the_right_type_of_a_function_pointer_compiles(setup, tmp_path):
    assert compiled(setup, tmp_path, "tfc_step *") == (0, "")


@pytest.mark.parametrize("argument", ["int *", "double"])
def test_a_wrong_type_of_a_function_pointer_ends_the_build(setup, tmp_path, argument):
    code, messages = compiled(setup, tmp_path, argument)
    assert code == 1 and "[-Werror=incompatible-pointer-types]" in messages
