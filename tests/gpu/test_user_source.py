"""Users' CUDA sources: what compiles them for cards, their options, and what the cache keeps."""

import os

import pytest

from tfcore.gpu import build, nvrtc, user_source

SOURCE = """#include <stdint.h>
#include <math.h>
#include <cuda_fp16.h>
#line 1 "mine.cu"
extern "C" __global__ void mine(const float* x, __half* y, int64_t n) {
  if ((uintptr_t)x % 4 == 0 && (intptr_t)threadIdx.x < n) y[threadIdx.x] = __float2half(VALUE * expf(x[threadIdx.x]));
}
"""
OPTIONS = [
    "-DVALUE=2 * 3",
    "-UOTHER",
    "--use_fast_math",
    "--fmad=false",
    "--ftz=true",
    "--prec-div=false",
    "--prec-sqrt=true",
    "--maxrregcount=32",
    "--restrict",
    "--extra-device-vectorization",
    "--generate-line-info",
    "--std=c++20",
]


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """An empty cache, and no nvcc."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("TFCORE_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture(params=["nvcc", "NVRTC"])
def compiler(request, monkeypatch, tmp_path):
    """Either compiler, with an empty cache."""
    if request.param == "nvcc":
        try:
            build.find_nvcc()
        except build.BuildError as error:
            pytest.skip(str(error))
        monkeypatch.setenv("TFCORE_CACHE", str(tmp_path))
    else:
        if nvrtc.find() is None:
            pytest.skip("nvidia-cuda-nvrtc is not installed")
        request.getfixturevalue("folder")
        monkeypatch.setattr(build, "find_nvcc", no_nvcc)
    return request.param


def no_nvcc():
    raise build.BuildError("No CUDA compiler")


def compiled(*options, source=SOURCE):
    path = user_source.compile_for_card(source, "mine.cu", "sm_90", options)
    with open(path, "rb") as file:
        return file.read()


def test_a_source_becomes_a_cubin(compiler):
    code = compiled("-DVALUE=2")
    assert code[:4] == b"\x7fELF" and b"mine" in code
    assert compiled("-DVALUE=2") == code
    assert len(set(map(compiled, ("-DVALUE=2", "-DVALUE=3")))) == 2


def test_options_reach_the_compiler(compiler):
    assert compiled("-DVALUE=2", "--use_fast_math") != compiled("-DVALUE=2")
    assert compiled(*OPTIONS)
    newer = SOURCE + "static_assert(__cplusplus > 201703L);"
    assert compiled("-DVALUE=2", "--std=c++20", source=newer)
    with pytest.raises(build.BuildError, match="static assertion"):
        compiled("-DVALUE=2", source=newer)


def test_values_of_macros_reach_no_shell(compiler, tmp_path):
    made = tmp_path / "made"
    for command in (f"$(touch {made})", f"`touch {made}`", f'"; touch {made}; "', "std="):
        assert compiled(f"-DVALUE=2 /*{command}*/")
    assert not made.exists()
    assert compiled("-DVALUE") and compiled("-DVALUE=1", "-DVALUE2=std=c++14", "-UVALUE2")
    with pytest.raises(build.BuildError, match='"VALUE" is undefined'):
        compiled("-DVALUE=2", "-UVALUE")


@pytest.mark.parametrize("name", ["../x", "", "a b", "$(x)", "-o", "x\n"])
def test_names_that_are_not_those_of_functions_are_refused(name):
    with pytest.raises(build.BuildError, match="can't be the name of a kernel"):
        user_source.compile_source(SOURCE, name, ["-DVALUE=2"], 90)


def test_an_error_has_the_line_of_the_source(compiler):
    said = rf'^{compiler}.* does not compile mine\.cu for sm_90:(.|\n)*mine\.cu\(2\): error: .*"VALUE"'
    with pytest.raises(build.BuildError, match=said):
        compiled()


def test_without_a_compiler_both_ways_to_get_one_are_named(monkeypatch, folder):
    monkeypatch.setattr(build.sysconfig, "get_paths", lambda: {"purelib": str(folder)})
    with pytest.raises(build.BuildError, match=r"No CUDA compiler: .*tfcore\[cuda\](.|\n)*tfcore\[nvrtc\]"):
        compiled()


def test_nvcc_has_a_limit_of_time(monkeypatch, folder):
    nvcc = folder / "bin" / "nvcc"
    nvcc.parent.mkdir()
    nvcc.write_text('#!/bin/sh\n[ "$1" = --version ] || exec /bin/sleep 60\n')
    nvcc.chmod(0o755)
    monkeypatch.setenv("CUDA_HOME", str(folder))
    monkeypatch.setattr(user_source, "MOST_SECONDS", 0.1)
    with pytest.raises(build.BuildError, match=r"nvcc compiles mine\.cu for more than 0\.1 seconds"):
        compiled("-DVALUE=2")


def test_headers_of_the_packages_of_cuda_12(tmp_path):
    for name in ("cuda_nvrtc", "cuda_runtime", "cublas"):
        (tmp_path / name / "include").mkdir(parents=True)
    found = nvrtc.header_folders(str(tmp_path / "cuda_nvrtc"))
    assert found == [f"-I{tmp_path / name / 'include'}" for name in ("cuda_nvrtc", "cuda_runtime")]


def test_a_cache_that_can_not_have_the_headers(monkeypatch, tmp_path):
    path = nvrtc.find()
    if path is None:
        pytest.skip("nvidia-cuda-nvrtc is not installed")
    monkeypatch.setenv("TFCORE_CACHE", str(tmp_path))
    library = nvrtc.Nvrtc(path)
    (tmp_path / library.version.replace(" ", "-").lower()).touch()
    with pytest.raises(build.BuildError, match="can't unpack CUDA's headers into .*: ."):
        library.compile(SOURCE, "mine.cu", "sm_90", ["-DVALUE=2"])


def test_the_newest_library_is_taken(monkeypatch, tmp_path):
    for name in ("cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12", "cuda_nvrtc/lib/libnvrtc.so.11.2"):
        (tmp_path / "nvidia" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "nvidia" / name).touch()
    monkeypatch.setattr(nvrtc.sysconfig, "get_paths", lambda: {"purelib": str(tmp_path)})
    assert nvrtc.find() == str(tmp_path / "nvidia" / "cu13" / "lib" / "libnvrtc.so.13")
    with pytest.raises(build.BuildError, match="libnvrtc.so.13 can't be loaded"):
        nvrtc.Nvrtc(nvrtc.find())


@pytest.mark.parametrize("option", OPTIONS)
def test_options_of_the_code(option):
    user_source.check_options([option])


@pytest.mark.parametrize(
    "option",
    [
        "-I/x", "-o", "--output-file=x", "-ccbin=x", "--restrict -ccbin=x", "-D", "--run", "--fmad=x", "-Xcompiler=-x",
        "-D$(x)", "-D1=1", "-DX=1\ny", "-DX=1\ry", "-DX=1\n", "-UX=1", "-U1", "--restrict\n",
    ],
)  # fmt: skip
def test_options_that_name_files_or_programs_are_refused(option):
    with pytest.raises(ValueError, match="is not an option for a kernel's source"):
        user_source.check_options([option])
    with pytest.raises(build.BuildError, match="is not an option"):
        user_source.compile_source(SOURCE, "mine", [option], 90)


def test_a_cache_beside_the_program(compiler, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TFCORE_CACHE", "cache")
    path = user_source.compile_for_card(SOURCE, "mine.cu", "sm_90", ["-DVALUE=2"])
    assert os.path.dirname(path) == str(tmp_path / "cache") and os.path.exists(path)


def test_a_cache_that_can_not_be_made(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("TFCORE_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(build.BuildError, match="can't be kept: .*file.*Set TFCORE_CACHE to another folder"):
        build.cache_folder()
    monkeypatch.delenv("TFCORE_CACHE")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(build.BuildError, match="There is no home folder .*: set TFCORE_CACHE"):
        build.cache_folder()


def test_options_are_a_list():
    with pytest.raises(TypeError, match="options must be a list of texts, but is the text '-DX'"):
        user_source.check_options("-DX")


def test_the_cache_keeps_the_sources_used_last(monkeypatch, tmp_path):
    tmp_path = tmp_path / "[a]"  # which is a pattern of names
    tmp_path.mkdir()
    monkeypatch.setattr(build, "MOST_SOURCES", 2)
    (tmp_path / "family.so").touch()

    def keep(name):
        path = tmp_path / f"source-{name}"
        build.keep_source(str(path), lambda product: open(product, "w").close())
        os.utime(path, ns=(0, keep.time))
        keep.time += 10**9

    keep.time = 0
    for name in ("a", "b"):
        keep(name)
    assert build.keep_source(str(tmp_path / "source-a"), None)  # now it is the one used last
    keep("c")
    assert sorted(os.listdir(tmp_path)) == ["family.so", "source-a", "source-c"]


def test_sources_of_other_users_stay(monkeypatch, tmp_path):
    monkeypatch.setattr(build, "MOST_SOURCES", 1)
    (tmp_path / "source-theirs").mkdir()  # os.remove fails, as with another user's file in a folder with a sticky bit
    os.utime(tmp_path / "source-theirs", ns=(0, 0))
    build.keep_source(str(tmp_path / "source-mine"), lambda product: open(product, "w").close())
    assert sorted(os.listdir(tmp_path)) == ["source-mine", "source-theirs"]
