"""`tf.load_op_library`: loads op types and kernels from a user's shared library.

A library is first read and checked as a whole (`tfcore.core.registry.registry.Library`), then compared with the
existing op types, and only then registered: a load either succeeds or changes nothing.
"""

import errno
import importlib.util
import os
import re
import sys
import threading
import types

from tfcore.core.registry import registry
from tfcore.framework import errors
from tfcore.framework.definitions.op_call import compile_call, normalize_attr
from tfcore.framework.definitions.op_def import OpDef, get_op_def, is_registered, register
from tfcore.framework.definitions.op_parts import REQUIRED
from tfcore.framework.fork_safety import fork_safe
from tfcore.framework.types import dtypes

_lock = fork_safe(threading.Lock())
_modules = {}  # handle of the loaded library -> module
_versions = {}  # path -> identity of the file that was loaded


def load_op_library(library_filename):
    """Loads a library of op types and kernels that was built against `tfcore/kernel.h` (see `tf.sysconfig`).

    Its kernels implement the op types that it defines, or add element types or device types to existing ones. A kernel
    that exists already is replaced. Types that an existing op did not allow are allowed from then on.

    Files that are not libraries, are truncated, or have damaged headers or tables are rejected. Damage to parts that
    the system's loader itself relies on (code, relocations, symbol tables) cannot be detected and may crash the
    process.

    Args:
      library_filename: Path of the shared object, relative to the working directory. A Cython extension module works,
        too.

    Returns:
      A module with a function for each op type of the library: `lib.log_cosh(x, scale=2.0)` for LogCosh, and
      `lib.LogCosh`. Loading a library again returns the same module.

    Raises:
      tf.errors.NotFoundError: The file cannot be loaded, or a kernel is for an undefined op type.
      tf.errors.InvalidArgumentError: It is not a kernel library, or an entry of its tables is invalid. Nothing is
        registered then.
      tf.errors.FailedPreconditionError: It was built for another version of the kernel ABI, or has changed since it was
        loaded.
      tf.errors.AlreadyExistsError: It defines an existing op type with another signature, or one kernel twice.
    """
    path = os.path.abspath(os.fsdecode(library_filename))
    with _lock:
        version = _version(path)
        if _versions.get(path, version) != version:
            raise errors.FailedPreconditionError(
                None, None, f"{path} has changed since it was loaded; load it under another name, or restart Python"
            )
        library = registry.Library(path)
        module = _modules.get(library.handle)
        if module is None:
            try:
                module = _register(library)
            except BaseException:
                library.close()
                raise
            _modules[library.handle] = module
            _versions[path] = version
    return module


def load_library(library_location):
    """Loads a library as `tf.load_op_library` does, or all libraries of a folder.

    Args:
      library_location: Path of a shared object, or of a folder with files `*.so`.

    Raises:
      OSError: There is no such file or folder.
      tf.errors.OpError: A library is refused, see `tf.load_op_library`.
    """
    if not os.path.exists(library_location):
        raise OSError(
            errno.ENOENT, "The file or folder to load kernel libraries from does not exist.", library_location
        )
    if not os.path.isdir(library_location):
        load_op_library(library_location)
        return
    for name in sorted(os.listdir(library_location)):
        if name.endswith(".so"):
            load_op_library(os.path.join(library_location, name))


def _version(path):
    try:
        info = os.stat(path)
    except OSError:
        return None
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


def _register(library):
    fresh = [d for d in (_op_def(library, spec) for spec in library.ops) if d is not None]
    defined = {op_def.name: op_def for op_def in fresh}
    wider = {}  # (existing op, attribute) -> types to allow
    for kernel in library.kernels:
        _check_kernel(library, kernel, defined, wider)
    _initialize_extension(library)
    for op_def in fresh:
        register(op_def)
        sys.modules["tfcore.raw_ops"].__dict__[op_def.name] = op_def
    for (_, attr), extra in wider.items():
        attr.allowed += tuple(sorted(extra, key=lambda t: t.as_datatype_enum))
    registry.add_library(library)
    return _make_module(library)


def _op_def(library, spec):
    """The OpDef of a library's op definition; None if the same definition exists already."""
    try:
        op_def = OpDef(
            spec.name, spec.inputs, spec.outputs, spec.attrs, None, spec.stateful, spec.commutative, spec.doc
        )
        for attr in op_def.attrs.values():
            if attr.default is not REQUIRED:
                normalize_attr(op_def, attr, attr.default)
    except (TypeError, ValueError) as error:
        raise errors.InvalidArgumentError(
            None, None, f"{library.path}: definition of op '{spec.name}': {error}"
        ) from None
    if not is_registered(spec.name):
        return op_def
    existing = get_op_def(spec.name)
    if existing.signature() != op_def.signature():
        raise errors.AlreadyExistsError(
            None,
            None,
            f"{library.path} defines the op type '{spec.name}', which exists with another definition.\n"
            f"  existing: {existing.signature()}\n  library:  {op_def.signature()}",
        )
    return None


def _check_kernel(library, kernel, defined, wider):
    """Checks a kernel against its op's definition, and collects element types that are new for an existing op."""
    op_def = defined.get(kernel.op)
    if op_def is None and not is_registered(kernel.op):
        raise errors.NotFoundError(
            None,
            None,
            f"{library.path} has a kernel for the op type '{kernel.op}', which neither it nor tfcore defines",
        )
    existing = op_def is None
    op_def = op_def or get_op_def(kernel.op)
    where = f"{library.path}: kernel of op '{kernel.op}' for {kernel.device}"
    for name, allowed in kernel.constraints.items():
        attr = op_def.attrs.get(name)
        if attr is None or not attr.type.endswith(("type", "type)")):
            raise errors.InvalidArgumentError(
                None,
                None,
                f'{where}: types "{kernel.types}" name {name}, which is not a type attribute of {op_def.signature()}',
            )
        extra = allowed.difference(attr.allowed or allowed)
        if extra and not existing:
            names = ", ".join(dtypes.SHORT_NAMES[t] for t in extra)
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{where}: it is for {name}={names}, which the library's own definition does not allow: "
                f"{op_def.signature()}",
            )
        if extra:
            wider.setdefault((op_def, attr), set()).update(extra)
    arguments = {arg.name for arg in (*op_def.inputs, *op_def.outputs)}
    for name in kernel.host_args:
        if name not in arguments and kernel.host_args != ["*"]:
            raise errors.InvalidArgumentError(
                None, None, f"{where}: host_args name '{name}', which is not an argument of {op_def.signature()}"
            )


def _initialize_extension(library):
    """Runs the module initialization of a Cython extension, on which its kernels may rely."""
    name = os.path.basename(library.path).split(".")[0]
    if hasattr(library.loaded, f"PyInit_{name}"):
        spec = importlib.util.spec_from_file_location(name, library.path)
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def _make_module(library):
    name = os.path.basename(library.path).split(".")[0]
    module = types.ModuleType(name, f"Ops of {library.path}.")
    module.__file__ = library.path
    module.__all__ = []
    for op_type in (spec.name for spec in library.ops):
        op_def = get_op_def(op_type)
        function = compile_call(op_def)
        function.__name__ = function.__qualname__ = _snake_case(op_type)
        function.__module__ = name
        for public, value in ((function.__name__, function), (op_type, op_def)):
            setattr(module, public, value)
            module.__all__.append(public)
    return module


def _snake_case(op_type):
    """TensorFlow's name for a wrapper: log_cosh for `LogCosh`, mat_mul_v2 for `MatMulV2`, fft_shift for `FFTShift`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])", "_", op_type).lower()
