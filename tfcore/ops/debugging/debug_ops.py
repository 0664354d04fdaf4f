"""What a debugger sees of a tensor; written into files."""

from tfcore.framework.definitions.op_def import define_op, undefined_gradient

_ATTRS = [
    "T: type",
    "device_name: string = ''",
    "tensor_name: string = ''",
    "debug_urls: list(string) = []",
    "gated_grpc: bool = false",
]


def _summary_shape(op):
    dims = op.inputs[0].dims
    return [(None if dims is None else 14 + len(dims),)]


def _gated(shape):
    """Without an open gate there is no value."""
    return lambda op: [(None,)] if op.attrs["gated_grpc"] else shape(op)


DebugIdentity = define_op(
    "DebugIdentity",
    inputs=["input: T"],
    outputs=["output: T"],
    attrs=_ATTRS,
    shape=lambda op: [None if op.attrs["gated_grpc"] else op.inputs[0].dims],
    stateful=True,
    doc="The input, which is also written into the folders that `debug_urls` name.",
)
DebugNanCount = define_op(
    "DebugNanCount",
    inputs=["input: T"],
    outputs=["output: int64"],
    attrs=_ATTRS,
    shape=_gated(lambda op: [(1,)]),
    stateful=True,
    doc="How many numbers are NaN; also written into the folders that `debug_urls` name.",
)
DebugNumericSummary = define_op(
    "DebugNumericSummary",
    inputs=["input: T"],
    outputs=["output: double"],
    attrs=[
        *_ATTRS[:-1],
        "lower_bound: float = -inf",
        "upper_bound: float = inf",
        "mute_if_healthy: bool = false",
        _ATTRS[-1],
    ],
    shape=_gated(_summary_shape),
    stateful=True,
    doc="Counts of kinds of numbers, extremes, moments, type and shape; also written into folders.",
)
undefined_gradient("DebugIdentity", "DebugNanCount", "DebugNumericSummary")
