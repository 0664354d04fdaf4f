"""Tests of kernels and gradients, derived from an op's definition and a reference. See README.md.

`check_kernel`, `check_gradient`, `evaluate`, `strategies`, and the records that describe an op to them (`OpRecord`,
`unary`, `binary`, `reduction`, `Const`, `After`). `check_cuda_kernel` and `run_cuda_kernel` for `tf.gpu.cuda_kernel`.
They need Hypothesis, which the extra `test` installs (`pip install 'tfcore[test]'`) and which is imported on first use.
"""

import importlib

_HOMES = {
    "check_cuda_kernel": "cuda_kernels",
    "check_gradient": "gradients",
    "check_kernel": "kernels",
    "check_values": "oracle",
    "cpu_level": "kernels",
    "cpu_levels": "kernels",
    "evaluate": "kernels",
    "run_cuda_kernel": "cuda_kernels",
    "strategies": None,
    **dict.fromkeys(["After", "Case", "Const", "OpRecord", "binary", "reduction", "unary"], "records"),
}
__all__ = sorted(_HOMES)


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _HOMES[name] is None:
        return importlib.import_module(f"{__name__}.{name}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *_HOMES])
