"""Compiles users' CUDA sources for the GPUs of this process: by nvcc, by NVRTC where there is none, or by g++ for the
emulated GPU. The results are cached.
"""

import functools
import hashlib
import os
import re
import subprocess
import sys

from tfcore.gpu import build, driver, host_build, nvrtc

STANDARD = "-std=c++17"
MOST_SECONDS = 1800  # for nvcc
# Options that nvcc and NVRTC share and that concern the code alone. A graph may come from elsewhere, so none names a
# file or a program.
_MACRO = re.compile(r"-D(?P<defined>[A-Za-z_]\w*)(=(?P<value>[^\r\n]*))?|-U(?P<undefined>[A-Za-z_]\w*)", re.A)
_OPTION = re.compile(
    r"--?(use_fast_math|restrict|generate-line-info|extra-device-vectorization)"
    r"|--?(fmad|ftz|prec-div|prec-sqrt)=(true|false)|--?maxrregcount=\d+|--?std=c\+\+\d\d",
    re.A,
)

_nvrtc = functools.cache(nvrtc.Nvrtc)


def check_options(options):
    """Raises ValueError unless all are options that sources may have, TypeError for a text instead of a list."""
    if isinstance(options, str):
        raise TypeError(f"options must be a list of texts, but is the text {options!r}")
    for option in options:
        if not (_MACRO.fullmatch(option) or _OPTION.fullmatch(option)):
            raise ValueError(
                f"{option!r} is not an option for a kernel's source. There are -DNAME=VALUE, -UNAME, --use_fast_math, "
                "--fmad=, --ftz=, --prec-div= and --prec-sqrt= with true or false, --maxrregcount=N, --restrict, "
                "--extra-device-vectorization, --generate-line-info and --std=c++NN"
            )


def compile_source(source, name, options=(), capability=None):
    """The path of a module.

    Args:
      source: CUDA C++.
      name: of the kernel for which it is compiled, in messages.
      options: of nvcc. The emulated GPU heeds macros and the standard.
      capability: of the card, such as 90.

    Raises: BuildError with the compiler's message.
    """
    if not name.isidentifier():  # files are named by it
        raise build.BuildError(f"{name!r} can't be the name of a kernel")
    try:
        check_options(options)
    except ValueError as error:
        raise build.BuildError(str(error)) from None
    if driver.emulation_is_wanted():
        checked = driver.checks_are_wanted()
        return host_build.compile_source(source, options=options, checked=checked, name=f"{name}.cu")
    return compile_for_card(source, f"{name}.cu", f"sm_{capability}", options)


def compile_for_card(source, label, target, options=()):
    """The path of a cubin for one architecture, such as "sm_90"; label: the source's name in messages."""
    source = _with_macros(source, label, options)
    options = [option for option in options if not _MACRO.fullmatch(option)]
    if not any("std=" in option for option in options):
        options.append(STANDARD)
    version, compile_with = _compiler()
    digest = hashlib.sha256(repr((version, target, source, *options)).encode()).hexdigest()
    path = os.path.join(build.cache_folder(), f"source-{digest[:24]}.cubin")
    return build.keep_source(path, lambda product: compile_with(source, label, target, options, product))


def _with_macros(source, label, options):
    """A source that begins with the macros of options: nvcc gives its own options to a shell, values with them."""
    lines = []
    for match in filter(None, map(_MACRO.fullmatch, options)):
        name, value, undefined = match.group("defined", "value", "undefined")
        lines.append(f"#undef {undefined}" if undefined else f"#define {name} {'1' if value is None else value}")
    return "\n".join([*lines, f'#line 1 "{label}"', source])


def _compiler():
    """What tells a compiler's version, and a function that compiles with it."""
    try:
        nvcc = build.find_nvcc()
    except build.BuildError as error:
        path = nvrtc.find()
        if path is None:
            raise build.BuildError(
                f"{error}. Or pip install 'tfcore[nvrtc]', which is smaller and compiles kernels of your own"
            ) from None
        return _nvrtc(path).version, functools.partial(_by_nvrtc, path)
    return build.version(nvcc), functools.partial(_by_nvcc, nvcc)


def _by_nvcc(nvcc, source, label, target, options, product):
    folder = os.path.dirname(product)
    with open(os.path.join(folder, label), "w", encoding="utf-8") as file:
        file.write(source)
    command = [nvcc, *options, "-O3", "-cubin", f"-arch={target}", "-o", product, label]
    done = _run(command, "nvcc", label, cwd=folder)
    if done.returncode:
        raise build.BuildError(f"nvcc does not compile {label} for {target}:\n{done.stdout}{done.stderr}")


def _by_nvrtc(path, source, label, target, options, product):
    """In a process of its own: NVRTC has crashed in one that had run many other things."""
    command = [sys.executable, "-m", "tfcore.gpu.nvrtc", path, label, target, product, *options]
    done = _run(command, "NVRTC", label, input=source)
    if done.returncode:
        raise build.BuildError(done.stderr.strip() or f"NVRTC ended with {done.returncode} when it compiled {label}")


def _run(command, compiler, label, **how):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=MOST_SECONDS, **how)
    except subprocess.TimeoutExpired:
        raise build.BuildError(f"{compiler} compiles {label} for more than {MOST_SECONDS} seconds") from None
