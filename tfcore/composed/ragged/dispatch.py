"""Functions of `tf` that also take ragged tensors.

The table says which function does it for ragged tensors. Importing this module, which the package does, changes each
function of the table in place, so that whoever holds it already holds the new one: it looks at the arguments, and calls
a copy of the old one if none is ragged. Programs without ragged tensors never import it, and pay nothing.
"""

import functools
import importlib
import inspect
import sys
import types

import tfcore.composed.ragged.feeds  # noqa: F401  sessions know ragged tensors from here on
import tfcore.ops.array.array as array_ops
from tfcore.composed.ragged import arrange, map, math, parts  # noqa: A004
from tfcore.composed.ragged.arguments import map_flat_values, match_splits
from tfcore.composed.ragged.arrange import concat as ragged_concat
from tfcore.composed.ragged.broadcast import binary, broadcast_all, pair
from tfcore.composed.ragged.parts import gather as ragged_gather
from tfcore.composed.ragged.spec import RaggedTensorSpec
from tfcore.composed.ragged.tensor import RaggedTensor, convert, is_ragged, rows_of
from tfcore.composed.ragged.value import RaggedTensorValue
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import nest
from tfcore.ops.array.array import rank as dense_rank
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.join import concat as dense_concat
from tfcore.ops.array.join import stack as dense_stack
from tfcore.ops.cwise import binary as binary_ops
from tfcore.ops.cwise import compare, unary
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.select import where as dense_where
from tfcore.ops.cwise.select import where_v2 as dense_where_v2
from tfcore.ops.indexing.indexing import gather as dense_gather
from tfcore.ops.indexing.select import one_hot as dense_one_hot

_RAGGED = frozenset((RaggedTensor, RaggedTensorValue, RaggedTensorSpec))


def _has_ragged(values):
    for value in values:
        kind = type(value)
        if kind in _RAGGED or (kind is list or kind is tuple) and _has_ragged(value):
            return True
        if kind is dict and _has_ragged(value.values()):
            return True
    return False


def _either(*args, __plain__, __ragged__, __has_ragged__, **kwargs):
    """What the functions of the table do. It runs with the globals of their modules, so all it calls are arguments."""
    if __has_ragged__(args) or kwargs and __has_ragged__(kwargs.values()):
        return __ragged__(*args, **kwargs)
    return __plain__(*args, **kwargs)


def _install(function, form):
    """Changes a function in place, so that it takes ragged arguments.

    It may be called again, after an import that was interrupted. Other threads may call the function meanwhile.

    Args:
      function: The function.
      form: Called with a copy of the function as it was. Returns the one for ragged arguments.
    """
    defaults = function.__kwdefaults__ or {}
    plain = defaults.get("__plain__") or _copy(function)
    own = {"__plain__": plain, "__ragged__": form(plain), "__has_ragged__": _has_ragged}
    function.__kwdefaults__ = {**defaults, **own}  # the old code's, too, for as long as it is there
    function.__code__ = _either.__code__.replace(co_freevars=function.__code__.co_freevars)
    function.__kwdefaults__, function.__defaults__ = own, None
    function.__wrapped__, function.__signature__ = plain, inspect.signature(plain)


def _copy(function):
    copy = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    wrapped = getattr(function, "__wrapped__", None)
    functools.update_wrapper(copy, function)
    if wrapped is None:
        del copy.__wrapped__
    else:
        copy.__wrapped__ = wrapped
    return copy


def _mapped(function):
    """The form of an element-wise function of one tensor, or of several with the same rows."""

    def mapped(*args, **kwargs):
        return map_flat_values(function, *args, **kwargs)

    return mapped


def _broadcast(function):
    """The form of an element-wise function of two tensors."""
    first, second = list(inspect.signature(function).parameters)[:2]

    def broadcast_first(*args, **kwargs):
        given = inspect.signature(function).bind(*args, **kwargs).arguments
        return binary(function, given.pop(first), given.pop(second), **given)

    return broadcast_first


def _asserted(function):
    """The form of an assertion about two tensors, which must have the same shape or broadcast."""
    first, second = list(inspect.signature(function).parameters)[:2]

    def asserted(*args, **kwargs):
        given = inspect.signature(function).bind(*args, **kwargs).arguments
        x, y = pair(given.pop(first), given.pop(second))
        return function(x, y, **given)

    return asserted


# ---- Functions that are neither element-wise nor in a file of their subject


def _of_flat_values(function):
    """The form of a function that only the flat values of its argument matter to."""

    def of_flat_values(*args, **kwargs):
        flat = [convert(arg).flat_values if is_ragged(arg) else arg for arg in args]
        named = {key: convert(arg).flat_values if is_ragged(arg) else arg for key, arg in kwargs.items()}
        return function(*flat, **named)

    return of_flat_values


def _group(function):
    def group(*inputs, **kwargs):
        return function(*_components(inputs), **kwargs)

    return group


def _control_dependencies(function):
    def control_dependencies(control_inputs):
        return function(_components(control_inputs))

    return control_dependencies


def _components(structure):
    """What is in a structure, with the components of ragged tensors."""
    leaves = nest.flatten(structure)
    return [part for leaf in leaves for part in (convert(leaf).components() if is_ragged(leaf) else [leaf])]


def _rank(input, name=None):  # noqa: A002  named as in TensorFlow
    x = convert(input)
    return x.ragged_rank + dense_rank(x.flat_values)


def _identity(input, name=None):  # noqa: A002  named as in TensorFlow
    x = convert(input)
    with name_scope(name, "identity", []):
        return x.with_components([array_ops.identity(part) for part in x.components()])


def _one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    x = convert(indices)
    if isinstance(axis, int) and axis >= 0:
        if axis <= x.ragged_rank:
            raise ValueError(f"axis ({axis}) must be greater than indices.ragged_rank ({x.ragged_rank}).")
        axis -= x.ragged_rank
    return x.with_flat_values(dense_one_hot(x.flat_values, depth, on_value, off_value, axis, dtype, name))


def _where(condition, x=None, y=None, name=None):
    if (x is None) != (y is None):
        raise ValueError("x and y must be either both None or both non-None")
    condition = convert(condition, name="condition")
    if x is None:
        return _places(condition)
    x, y = convert(x, name="x"), convert(y, name="y")
    match_splits(condition, x, y)
    if all(isinstance(part, RaggedTensor) for part in (condition, x, y)):
        return map_flat_values(dense_where, condition, x, y)
    if isinstance(condition, RaggedTensor):
        raise ValueError("Input shapes do not match.")
    condition.shape.assert_has_rank(1)
    both = ragged_concat([x, y], 0)
    count = rows_of(x, both.partition.dtype)
    rows = range_of(count)
    return ragged_gather(both, dense_where(condition, rows, count + range_of(rows_of(y, both.partition.dtype))))


def _where_v2(condition, x=None, y=None, name=None):
    if x is None or y is None:
        return _where(condition, x, y)
    parts = convert(condition, name="condition"), convert(x, name="x"), convert(y, name="y")
    return map_flat_values(dense_where_v2, *broadcast_all(list(parts), match_splits(*parts)))


def _places(condition):
    """The coordinates of the true elements."""
    if not isinstance(condition, RaggedTensor):
        return dense_where(condition)
    inner = _places(condition.values)
    ids, splits = cast(condition.value_rowids(), inner.dtype), cast(condition.row_splits, inner.dtype)
    rows = dense_gather(ids, inner[:, 0])
    columns = inner[:, 0] - dense_gather(splits, rows)
    return dense_concat([dense_stack([rows, columns], axis=1), inner[:, 1:]], 1)


def _dropout(function):
    def dropout(x, *args, **kwargs):
        given = inspect.signature(function).bind(x, *args, **kwargs).arguments
        if given.pop("noise_shape", None) is not None:
            raise ValueError("noise_shape is not supported yet for RaggedTensor x")
        x = convert(given.pop("x"))
        return x.with_flat_values(function(x.flat_values, **given))

    return dropout


def _embedding_lookup_sparse(function):
    """The form of a lookup of sparse ids, with or without weights: ragged ones are rows, too."""

    def lookup(params, ids, weights=None, *args, **kwargs):
        if weights is not None and not is_ragged(weights):
            raise TypeError(
                f"sp_ids must be of the same type as sp_weights, received {type(ids).__name__!r} for sp_ids and "
                f"{type(weights).__name__!r} for sp_weights."
            )
        weights = None if weights is None else convert(weights).to_sparse()
        return function(params, convert(ids).to_sparse(), weights, *args, **kwargs)

    def named(*args, **kwargs):
        given = inspect.signature(function).bind(*args, **kwargs)
        return lookup(*given.args, **given.kwargs)

    return named


# ---- The table: {module: names} for each form, and {module: {name: function}}

_FORMS = {
    _mapped: {
        "ops.array.array": "stop_gradient",
        "ops.array.constants": "ones_like zeros_like",
        "ops.cwise.bitwise": "invert",
        "ops.cwise.cast": "bitcast cast saturate_cast to_bfloat16 to_complex128 to_complex64 to_double to_float "
        "to_int32 to_int64",
        "ops.cwise.clip": "clip_by_value",
        "ops.cwise.complex": "angle conj imag real",
        "ops.cwise.bessel": "bessel_i0 bessel_i1 bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e "
        "bessel_y0 bessel_y1",
        "ops.cwise.integrals": "dawsn expint fresnel_cos fresnel_sin spence",
        "ops.cwise.special": "bessel_i0e bessel_i1e digamma erf erfc erfinv lgamma ndtri",
        "ops.cwise.unary": "abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor is_finite is_inf is_nan "
        "log log1p log_sigmoid logical_not negative reciprocal rint round rsqrt sigmoid sign sin sinh sqrt square tan "
        "tanh",
        "ops.nn.activations": "elu leaky_relu relu relu6 selu softplus softsign swish",
        "ops.nn.basic": "check_numerics",
        "ops.nn.softmax": "log_softmax",
        "ops.parsing.compressed": "decode_compressed",
        "ops.strings.convert": "as_string",
        "ops.strings.edit": "string_length string_lower string_strip string_upper",
        "ops.strings.hash": "string_to_hash_bucket string_to_hash_bucket_fast string_to_hash_bucket_strong",
        "ops.strings.regex": "regex_full_match regex_replace",
        "ops.strings.strings": "decode_base64 encode_base64 string_join string_to_number substr",
        "ops.strings.unicode": "unicode_script unicode_transcode",
        "composed.image.adjust": "adjust_brightness adjust_gamma convert_image_dtype random_brightness",
        "composed.nn.embedding": "embedding_lookup",
        "composed.special": "erfcinv reciprocal_no_nan",
    },
    _broadcast: {
        "ops.cwise.binary": "add atan2 div div_no_nan divide floor_div floordiv floormod maximum minimum multiply "
        "multiply_no_nan pow realdiv scalar_mul squared_difference subtract truediv truncatediv truncatemod xdivy "
        "xlog1py xlogy",
        "ops.cwise.bitwise": "bitwise_and bitwise_or bitwise_xor left_shift right_shift",
        "ops.cwise.compare": "equal greater greater_equal less less_equal logical_and logical_or logical_xor not_equal",
        "ops.cwise.complex": "make_complex",
        "ops.cwise.special": "nextafter zeta",
    },
    _asserted: {
        "ops.debugging.check": "assert_equal assert_greater assert_greater_equal assert_less assert_less_equal "
        "assert_near assert_none_equal",
    },
    math.segments: {
        "ops.reduce.segment": "unsorted_segment_max unsorted_segment_min unsorted_segment_prod unsorted_segment_sum",
    },
    _control_dependencies: {"framework.graph.default_graph": "control_dependencies"},
    _group: {"ops.control_flow.control": "group"},
    _of_flat_values: {"ops.array.array": "size", "ops.debugging.check": "assert_type"},
    _dropout: {"ops.nn.basic": "dropout"},
    _embedding_lookup_sparse: {
        "composed.nn.embedding": "embedding_lookup_sparse",
        "composed.sparse.embedding": "safe_embedding_lookup_sparse",
    },
}
_FUNCTIONS = {
    "ops.array.array": {
        "expand_dims": arrange.expand_dims,
        "identity": _identity,
        "rank": _rank,
        "squeeze": arrange.squeeze,
    },
    "ops.array.join": {"concat": arrange.concat, "split": arrange.split, "stack": arrange.stack},
    "ops.array.move": {"reverse": arrange.reverse, "tile": arrange.tile},
    "ops.control_flow.functional": {"map_fn": map.map_fn},
    "ops.cwise.nary": {"add_n": math.add_n},
    "ops.cwise.select": {"where": _where, "where_v2": _where_v2},
    "ops.debugging.print": {"string_format": map.string_format},
    "ops.gradients.gradients": {"gradients": map.gradients},
    "ops.indexing.indexing": {
        "batch_gather": parts.batch_gather,
        "gather": parts.gather,
        "gather_nd": parts.gather_nd,
    },
    "ops.indexing.select": {"dynamic_partition": arrange.dynamic_partition, "one_hot": _one_hot},
    "ops.linalg.matmul": {"matmul": math.matmul},
    "ops.nn.softmax": {"softmax": math.softmax},
    "ops.reduce.reduce": {
        "reduce_all": math.all_of,
        "reduce_any": math.any_of,
        "reduce_max": math.greatest,
        "reduce_mean": math.mean,
        "reduce_min": math.least,
        "reduce_prod": math.product,
        "reduce_std": math.deviation,
        "reduce_sum": math.total,
        "reduce_variance": math.variance,
    },
    "ops.reduce.scan": {"cumsum": math.cumsum},
    "ops.reduce.segment": {
        "unsorted_segment_mean": math.segment_mean,
        "unsorted_segment_sqrt_n": math.segment_sqrt_n,
    },
    "ops.strings.join": {"reduce_join": math.joined},
}


def _install_functions():
    for form, modules in _FORMS.items():
        for path, names in modules.items():
            module = importlib.import_module(f"tfcore.{path}")
            for name in names.split():
                _install(getattr(module, name), form)
    for path, functions in _FUNCTIONS.items():
        module = importlib.import_module(f"tfcore.{path}")
        for name, ragged in functions.items():
            _install(getattr(module, name), lambda _, ragged=ragged: ragged)


def _keep_plain():
    """Gives the modules of this package the copies, so that none calls itself for an argument that it left ragged."""
    package = f"{__name__.rpartition('.')[0]}."
    for module in [module for name, module in list(sys.modules.items()) if name.startswith(package)]:
        for name, value in list(vars(module).items()):
            if isinstance(value, types.FunctionType):
                setattr(module, name, _plain(value))


def _plain(function):
    """The copy of a function of the table; other functions themselves."""
    return (function.__kwdefaults__ or {}).get("__plain__", function)


def _install_operators():
    """The operators of ragged tensors, and of tensors with ragged ones on the right."""
    for symbols, module in ((_ARITHMETIC, binary_ops), (_LOGICAL, compare)):
        for symbol, name in symbols.items():
            _install_pair(symbol, _broadcast(_plain(getattr(module, name))))
    for symbol, name in _COMPARISONS.items():
        _install_comparison(
            f"__{symbol}__", _broadcast(_plain(getattr(compare, name))), getattr(Tensor, f"__{symbol}__")
        )
    for symbol, name in _UNARY.items():
        op = _mapped(_plain(getattr(unary, name)))
        setattr(RaggedTensor, f"__{symbol}__", functools.partialmethod(op))


def _install_pair(symbol, op):
    setattr(RaggedTensor, f"__{symbol}__", lambda x, y: op(x, y))
    setattr(RaggedTensor, f"__r{symbol}__", lambda x, y: op(y, x))


def _install_comparison(symbol, op, dense):
    setattr(RaggedTensor, symbol, lambda x, y: op(x, y))
    dense = getattr(dense, "dense", dense)  # after an import that was interrupted

    def compare_dense(x, y):
        return NotImplemented if isinstance(y, RaggedTensor) else dense(x, y)

    compare_dense.dense = dense
    Tensor._override_operator(symbol, compare_dense)


_ARITHMETIC = {
    "add": "add",
    "floordiv": "floordiv",
    "mod": "floormod",
    "mul": "multiply",
    "pow": "pow",
    "sub": "subtract",
    "truediv": "truediv",
}
_LOGICAL = {"and": "logical_and", "or": "logical_or", "xor": "logical_xor"}
_COMPARISONS = {"ge": "greater_equal", "gt": "greater", "le": "less_equal", "lt": "less"}
_UNARY = {"abs": "abs", "invert": "logical_not", "neg": "negative"}

_install_functions()
_keep_plain()
_install_operators()
