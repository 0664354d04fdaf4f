"""Functions of the rows of ragged tensors: map_fn. Gradients, and ragged tensors as text."""

import tfcore.ops.array.array as array_ops
from tfcore.composed.ragged.partition import RowPartition
from tfcore.composed.ragged.spec import RaggedTensorSpec, values_of_variants
from tfcore.composed.ragged.tensor import RaggedTensor, convert, is_ragged, rows_of
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant
from tfcore.framework.values.type_spec import TensorSpec, TypeSpec
from tfcore.ops.array.constants import fill
from tfcore.ops.array.constants import range as range_of
from tfcore.ops.array.slice import boolean_mask as dense_mask
from tfcore.ops.control_flow.while_loop import while_loop
from tfcore.ops.cwise.compare import equal, logical_and
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import logical_not
from tfcore.ops.debugging.print import string_format as dense_format
from tfcore.ops.gradients.gradients import gradients as dense_gradients
from tfcore.ops.indexing.indexing import gather as dense_gather
from tfcore.ops.ragged.variant import RaggedTensorToVariant
from tfcore.ops.state.tensor_list import TensorListGetItem, TensorListReserve, TensorListSetItem
from tfcore.ops.state.tensor_list_join import TensorListFromTensor, TensorListStack
from tfcore.ops.strings.convert import as_string
from tfcore.ops.strings.join import unsorted_segment_join
from tfcore.ops.strings.regex import regex_replace
from tfcore.ops.strings.strings import string_join


def map_fn(
    fn,
    elems,
    dtype=None,
    parallel_iterations=None,
    back_prop=True,
    swap_memory=False,
    infer_shape=True,
    name=None,
    fn_output_signature=None,
):
    """`tf.map_fn` for ragged tensors, and for functions whose results are rows of ragged tensors.

    The loop reads and writes lists of tensors, whose elements may be ragged rows: variants.
    """
    if not callable(fn):
        raise TypeError("fn must be callable.")
    signature = dtype if fn_output_signature is None else fn_output_signature
    items = [convert(item) for item in nest.flatten(elems)]
    kinds = [_row_spec(item) for item in items]
    structure = elems if signature is None else signature
    if signature is None:
        results = [_without_shape(kind) for kind in kinds]
    else:
        results = [kind if isinstance(kind, TypeSpec) else TensorSpec(None, kind) for kind in nest.flatten(signature)]
    with name_scope(name, "map", []):
        count = rows_of(items[0])
        lists = [TensorListFromTensor(_rows(item), _element_shape(kind)) for item, kind in zip(items, kinds)]
        reserved = [TensorListReserve(_element_shape(k), count, element_dtype=_element_type(k)) for k in results]

        def body(i, written):
            parts = [_value(TensorListGetItem(each, i, _element_shape(kind), element_dtype=_element_type(kind)), kind)
                     for each, kind in zip(lists, kinds)]  # fmt: skip
            result = fn(nest.pack_sequence_as(elems, parts))
            nest.assert_same_structure(structure, result)
            values = [_variant(value, kind) for value, kind in zip(nest.flatten(result), results)]
            return i + 1, [TensorListSetItem(each, i, value) for each, value in zip(written, values)]

        _, written = while_loop(
            lambda i, _: i < count,
            body,
            (constant(0), reserved),
            parallel_iterations=parallel_iterations or 10,
            back_prop=back_prop,
            swap_memory=swap_memory,
        )
        known = next((item.shape.as_list()[0] for item in items if item.shape.ndims), None)
        stacked = [_stacked(each, kind, known) for each, kind in zip(written, results)]
        return nest.pack_sequence_as(structure, stacked)


def _without_shape(kind):
    if isinstance(kind, RaggedTensorSpec):
        return RaggedTensorSpec(None, kind.dtype, kind.ragged_rank, kind.row_splits_dtype)
    return TensorSpec(None, kind.dtype)


def _element_shape(kind):
    """The shape of the elements of a list; -1 if nothing is known of it."""
    if isinstance(kind, RaggedTensorSpec):
        return constant([], dtypes.int32)
    if kind.shape.ndims is None:
        return constant(-1)
    return constant([-1 if size is None else size for size in kind.shape.as_list()], dtypes.int32)


def _element_type(kind):
    return dtypes.variant if isinstance(kind, RaggedTensorSpec) else kind.dtype


def _stacked(written, kind, count):
    rows = TensorListStack(written, _element_shape(kind), element_dtype=_element_type(kind))
    if not isinstance(kind, RaggedTensorSpec):
        rows.set_shape(TensorShape([count]).concatenate(kind.shape))
        return rows
    result = kind.from_variants(rows)
    if kind.shape.ndims is not None:
        (result.set_static_shape if isinstance(result, RaggedTensor) else result.set_shape)(
            TensorShape([count]).concatenate(kind.shape)
        )
    return result


def _rows(x):
    """The rows of a ragged tensor, a vector of variants; a dense tensor itself."""
    if not isinstance(x, RaggedTensor):
        return x
    return RaggedTensorToVariant(x.nested_row_splits, x.flat_values, batched_input=True, Tsplits=x.partition.dtype)


def _row_spec(x):
    if not isinstance(x, RaggedTensor):
        return TensorSpec(x.shape[1:], x.dtype)
    return RaggedTensorSpec(x.shape[1:], x.dtype, x.ragged_rank - 1, x.partition.dtype)


def _value(part, kind):
    """What a variant holds."""
    if not isinstance(kind, RaggedTensorSpec):
        return part
    levels = kind.ragged_rank
    value = values_of_variants(part, kind.dtype, levels, kind.row_splits_dtype, input_ragged_rank=levels)
    (value.set_static_shape if levels else value.set_shape)(kind.shape)
    return value


def _variant(value, kind):
    return kind.to_variant(value) if isinstance(kind, RaggedTensorSpec) else value


def gradients(ys, xs, *args, **kwargs):
    """`tf.gradients` of ragged tensors, which are ragged too."""
    wanted = nest.flatten(xs)
    flat = dense_gradients(_flat_values(ys), _flat_values(wanted), *_flat_values(args), **_flat_values(kwargs))
    pairs = zip(wanted, flat)
    return [x.with_flat_values(g) if isinstance(x, RaggedTensor) and g is not None else g for x, g in pairs]


def _flat_values(structure):
    return nest.map_structure(lambda x: x.flat_values if isinstance(x, RaggedTensor) else x, structure)


# ---- Text


def string_format(template, inputs, placeholder="{}", summarize=3, name=None):
    """`tf.strings.format` for ragged tensors."""
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    texts = [text_of(x, summarize) if is_ragged(x) else dense_format("{}", [x], summarize=summarize) for x in inputs]
    parts = template.split(placeholder)
    if len(inputs) != len(parts) - 1:
        raise ValueError(f"num placeholders in template and num inputs must match: {len(parts) - 1} vs {len(inputs)}")
    with name_scope(name, "StringFormat", []):
        return string_join([piece for pair in zip(parts, texts) for piece in pair] + parts[-1:])


def text_of(x, summarize):
    """A ragged tensor as text, such as [[1, 2], [3]]; of long rows only the ends."""
    if summarize not in (None, -1) and not (isinstance(summarize, int) and summarize > 0):
        raise ValueError(f"Expected summarize to be -1 or a positive int, got {summarize!r}")
    x = convert(x)
    if x.shape.ndims is None:
        raise ValueError("RaggedTensor to_string requires that rt.shape.rank is not None.")
    inner = x.flat_values.shape.ndims - 1
    if inner:
        dtype = x.partition.dtype
        x = x.with_flat_values(RaggedTensor.from_tensor(x.flat_values, ragged_rank=inner, row_splits_dtype=dtype))
    flat = x.flat_values
    if x.dtype == dtypes.string:
        texts = string_join(["'", regex_replace(flat, r"(['\\])", r"\\\1"), "'"])
    else:
        texts = as_string(flat)
    outer = RowPartition.from_lengths(array_ops.reshape(x.nrows(), [1]), validate=False)
    for partition in (*reversed(x.partitions), outer):
        texts = string_join(["[", _joined(texts, partition, summarize), "]"])
    return texts[0]


def _joined(texts, partition, summarize):
    """The texts of each row, joined."""
    ids, rows = partition.ids(), partition.rows()
    if summarize not in (None, -1):
        lengths = dense_gather(partition.lengths(), ids)
        places = range_of(partition.count()) - dense_gather(partition.splits, ids)
        is_long = lengths > 2 * summarize
        texts = where(logical_and(is_long, equal(places, summarize)), fill(array_ops.shape(texts), "..."), texts)
        is_inside = logical_and(places > summarize, places < lengths - summarize)
        kept = logical_not(logical_and(is_long, is_inside))
        texts, ids = dense_mask(texts, kept), dense_mask(ids, kept)
    return unsorted_segment_join(texts, ids, rows, separator=", ")
