"""What a wheel has of the CUDA kernels: their sources, and what nvcc made of them when it was built."""

import glob
import importlib.util
import os
import subprocess
import sys

import pytest

from tfcore.gpu import build, host_build

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Stands in for nvcc: tells its version, or writes its last argument to the file after -o and a line to the log.
COMPILER = """#!{python}
import sys
if "--version" in sys.argv:
    print("nvcc {version}")
elif "broken" in sys.argv[-1]:
    sys.exit("no such thing")
else:
    open(sys.argv[sys.argv.index("-o") + 1], "w").write(sys.argv[-1])
    open({log!r}, "a").write(sys.argv[-1] + "\\n")
"""

pytestmark = pytest.mark.skipif(not os.path.exists(os.path.join(ROOT, "setup.py")), reason="needs the repository")


def load(path):
    """A module by its file, outside of any package."""
    spec = importlib.util.spec_from_file_location("loaded_by_path", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The Python files of a wheel, with the sources that belong to them."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder


@pytest.fixture
def packaged(built, monkeypatch):
    """`build.py` of the wheel, and `host_build.py` as if it were in it."""
    in_wheel = load(built / "tfcore" / "gpu" / "build.py")
    monkeypatch.setattr(host_build, "SOURCES", in_wheel.SOURCES)
    monkeypatch.setattr(host_build, "EMULATOR", str(built / "tfcore" / "gpu" / "emulator"))
    monkeypatch.setattr(host_build, "RUNTIME", os.path.join(host_build.EMULATOR, "threads"))
    return in_wheel


def test_a_wheel_has_the_sources_of_every_family(built, packaged):
    assert packaged.SOURCES == str(built / "tfcore" / "kernels_cuda")
    assert packaged.families() == build.families() and len(build.families()) > 10
    for family in build.families():
        there = [os.path.relpath(p, os.path.dirname(packaged.SOURCES)) for p in packaged.sources_of(family)]
        assert there == [os.path.relpath(p, ROOT) for p in build.sources_of(family)]
        assert not [path for path in there if path.startswith("..")]


def test_the_tree_keeps_its_own_sources(built):
    assert not os.path.exists(os.path.join(ROOT, "tfcore", "kernels_cuda"))
    assert os.path.join(ROOT, "kernels_cuda") == build.SOURCES


def test_a_wheel_compiles_for_emulated_gpus(packaged, monkeypatch, tmp_path):
    monkeypatch.setenv("TFCORE_CACHE", str(tmp_path))
    path = host_build.compile_family("cwise/clip", sources=packaged.SOURCES, few_types=True)
    assert os.path.dirname(path) == str(tmp_path) and os.path.getsize(path) > 1000
    assert os.path.getsize(host_build.compile_runtime()) > 1000


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A small package: `tree.compile_into` as setup.py calls it, and then `tree.find` where it is installed."""
    return Tree(tmp_path, monkeypatch)


class Tree:
    def __init__(self, folder, monkeypatch):
        self.sources, self.installed = str(folder / "sources"), str(folder / "tfcore" / "lib" / "cuda")
        self.folder, self.log, self.nvcc = folder, folder / "log", folder / "cuda" / "bin" / "nvcc"
        for made in (self.sources, self.nvcc.parent):
            os.makedirs(made)
        monkeypatch.setattr(build, "INSTALLED", self.installed)
        monkeypatch.setenv("TFCORE_CACHE", str(folder / "cache"))
        monkeypatch.setenv("CUDA_HOME", str(folder / "cuda"))
        self.set_compiler("13.0")
        for family in ("one", "two"):
            self.write(family, family)

    def set_compiler(self, version):
        self.nvcc.write_text(COMPILER.format(python=sys.executable, version=version, log=str(self.log)))
        self.nvcc.chmod(0o755)
        build.version.cache_clear()

    def write(self, family, text):
        with open(os.path.join(self.sources, family + ".cu"), "w") as file:
            file.write(text)

    def compile_into(self):
        build.compile_into(self.installed, 2, self.sources)

    def find(self, family):
        return build.compile_family(family, sources=self.sources).fatbin

    def compilations(self):
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


def test_what_was_compiled_at_install_time_needs_no_compiler(tree, monkeypatch):
    tree.compile_into()
    assert tree.compilations() == 2
    tree.nvcc.unlink()
    build.version.cache_clear()
    for family in ("one", "two"):
        assert os.path.dirname(tree.find(family)) == tree.installed
    tree.write("one", "changed")
    with pytest.raises(build.BuildError, match="nvcc is not there"):
        tree.find("one")


def test_another_compiler_does_not_replace_what_is_installed(tree):
    tree.compile_into()
    tree.set_compiler("13.5")
    assert os.path.dirname(tree.find("one")) == tree.installed and tree.compilations() == 2
    tree.write("one", "changed")
    assert os.path.dirname(tree.find("one")) == str(tree.folder / "cache") and tree.compilations() == 3


def test_a_second_build_compiles_what_changed_and_removes_the_rest(tree):
    tree.compile_into()
    before = set(glob.glob(os.path.join(tree.installed, "*")))
    tree.compile_into()
    assert tree.compilations() == 2 and set(glob.glob(os.path.join(tree.installed, "*"))) == before
    tree.write("two", "changed")
    os.remove(os.path.join(tree.sources, "one.cu"))
    tree.compile_into()
    assert tree.compilations() == 3 and len(os.listdir(tree.installed)) == 3  # the fatbin, its usage, the compiler


def test_a_family_that_does_not_compile_fails_the_build(tree):
    tree.write("broken", "")
    with pytest.raises(build.BuildError, match=r"does not compile .*broken\.cu"):
        tree.compile_into()


@pytest.fixture
def setup(monkeypatch, tmp_path):
    """setup.py in a folder that has nothing but build.py and one family."""
    (tmp_path / "tfcore" / "gpu").mkdir(parents=True)
    with open(build.__file__) as file:
        (tmp_path / "tfcore" / "gpu" / "build.py").write_text(file.read())
    (tmp_path / "kernels_cuda").mkdir()
    monkeypatch.chdir(tmp_path)
    module = load(os.path.join(ROOT, "setup.py"))
    monkeypatch.delenv("TFCORE_BUILD_CUDA", raising=False)
    return module


@pytest.mark.parametrize("value, compiles", [("", False), ("0", False), ("1", True)])
def test_when_an_install_compiles(setup, tree, monkeypatch, value, compiles):
    with open("kernels_cuda/one.cu", "w") as file:
        file.write("one")
    monkeypatch.setenv("TFCORE_BUILD_CUDA", value)
    setup.compile_cuda("target")
    assert bool(glob.glob("target/tfcore/lib/cuda/one-*.fatbin")) == compiles


def test_an_install_without_a_compiler_says_so(setup, monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    monkeypatch.setenv("TFCORE_BUILD_CUDA", "1")
    with pytest.raises(SystemExit, match="TFCORE_BUILD_CUDA=1: CUDA_HOME is"):
        setup.compile_cuda("target")
    monkeypatch.setenv("TFCORE_BUILD_CUDA", "yes")
    with pytest.raises(SystemExit, match="may be 0 or 1"):
        setup.compile_cuda("target")
