"""Compilation of CUDA kernels for the host: the cache, several processes at once, and errors."""

import os
import subprocess
import sys

import pytest

from tfcore.gpu import host_build

KERNEL = """#include "kernels_cuda/common/kernel.cuh"
struct empty { int x; };
TFC_KERNEL(nothing, empty, p) { (void)p; }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TFCORE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "family.cu").write_text(KERNEL)
    return tmp_path


def test_a_family_is_compiled_once(folder):
    first = host_build.compile_family("family", sources=str(folder))
    written = os.stat(first).st_mtime_ns
    assert host_build.compile_family("family", sources=str(folder)) == first
    assert os.stat(first).st_mtime_ns == written
    assert host_build.compile_family("family", True, str(folder)) != first
    (folder / "family.cu").write_text(KERNEL + "// changed\n")
    assert host_build.compile_family("family", sources=str(folder)) != first


def test_a_changed_header_counts(folder):
    (folder / "family.cu").write_text('#include "own.h"\n' + KERNEL)
    (folder / "own.h").write_text("// first\n")
    first = host_build.compile_family("family", sources=str(folder))
    (folder / "own.h").write_text("// second\n")
    assert host_build.compile_family("family", sources=str(folder)) != first


def test_several_processes_compile_at_once(folder):
    code = f"from tfcore.gpu import host_build; print(host_build.compile_family('family', True, {str(folder)!r}))"
    started = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    paths = {process.communicate()[0].strip() for process in started}
    assert all(process.returncode == 0 for process in started)
    assert len(paths) == 1
    assert os.listdir(folder / "cache") == [os.path.basename(paths.pop())]


def test_errors_name_the_line(folder):
    (folder / "family.cu").write_text(KERNEL + "int f() { return nowhere; }\n")
    with pytest.raises(host_build.BuildError, match=r"family.cu:4.*nowhere"):
        host_build.compile_family("family", sources=str(folder))
    assert os.listdir(folder / "cache") == []


def test_a_family_that_is_not_there(folder):
    with pytest.raises(host_build.BuildError, match="no family 'other'"):
        host_build.compile_family("other", sources=str(folder))


@pytest.mark.parametrize("language, variable", [("c", "CC"), ("c++", "CXX")])
def test_a_compiler_that_is_not_there(monkeypatch, language, variable):
    monkeypatch.setenv(variable, "no-such-compiler")
    with pytest.raises(host_build.BuildError, match=f"no-such-compiler is not in PATH. {variable} may"):
        host_build.find_compiler(language)


def test_a_compiler_that_does_not_run(folder, monkeypatch):
    broken = folder / "broken"
    broken.write_text("#!/bin/sh\necho sorry >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("CXX", str(broken))
    with pytest.raises(host_build.BuildError, match="sorry"):
        host_build.compile_family("family", sources=str(folder))


def test_gaps_follow_variables_only():
    assembly = (
        "\t.local\tvalues\n\t.comm\tvalues,64,32\n"
        '\t.section\t.bss.other,"awG",@nobits,other,comdat\nother:\n\t.zero\t16\n'
        "\t.data\ntable:\n\t.zero\t8\n"
    )
    text = host_build.with_gaps(assembly)
    assert ".size values, 64" in text and ".zero 128" in text
    assert "\t.zero\t80\n" in text and "\t.zero\t8\n" in text
