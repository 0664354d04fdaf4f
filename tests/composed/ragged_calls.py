"""Calls of ragged tensors, as text that either library evaluates.

    PYTHON tests/composed/ragged_calls.py FILE

writes TensorFlow's answers to FILE (tests/fixtures/ragged_calls.json), where PYTHON has TensorFlow.
"""

import json
import sys

import numpy as np

_AXES = (None, 0, 1, 2, -1, [0, 1], [1, 2], [0, 2], [])
_UNARY = """abs acos acosh asin atan ceil cos cosh digamma erf erfc exp expm1 floor is_finite is_inf is_nan lgamma log
log1p negative reciprocal rint round rsqrt sigmoid sign sin sinh sqrt square tan tanh""".split()
_BINARY = """add subtract multiply divide floordiv floormod maximum minimum pow squared_difference equal not_equal less
less_equal greater greater_equal truediv atan2 xlogy""".split()


def calls():
    """The expressions. P, F, Q, G, S, M, N and B are the tensors of `tensors`."""
    yield from _elementwise()
    yield from _reductions()
    yield from _arranged()
    yield from filter(None, map(str.strip, _OTHERS.splitlines()))


def _elementwise():
    for name in _UNARY:
        yield f"tf.math.{name}(F)"
    for name in "elu relu relu6 selu softplus softsign leaky_relu log_softmax".split():
        yield f"tf.nn.{name}(F)"
        yield f"tf.nn.{name}(N)"
    for name in _BINARY:
        for x, y in (("F", "F"), ("F", "2.0"), ("2.0", "F"), ("F", "[[1.0], [2], [3], [4]]"), ("G", "[[1.0]]")):
            yield f"tf.math.{name}({x}, {y})"
        yield f"tf.math.{name}(F, y=tf.constant(3.0))"
    for symbol in "+ - * / // % ** < >=".split():
        for x, y in (("F", "3"), ("3", "F"), ("tf.constant([[1.0], [2], [3], [4]])", "F"), ("F", "F")):
            yield f"{x} {symbol} {y}"
    for symbol in "& | ^".split():
        for x, y in (("B", "B"), ("tf.constant(True)", "B"), ("B", "True")):
            yield f"{x} {symbol} {y}"


def _reductions():
    for name in "sum prod min max mean".split():
        for axis in _AXES:
            for keepdims in (None, True):
                yield f"tf.reduce_{name}(G, axis={axis}, keepdims={keepdims})"
                if axis is not None:  # TensorFlow adds a dimension too much
                    yield f"tf.reduce_{name}(N, axis={axis}, keepdims={keepdims})"
        yield f"tf.reduce_{name}(P, axis=5)"
        yield f"tf.reduce_{name}(F, tf.constant(1))"
        yield f"tf.reduce_{name}(F, reduction_indices=1)"
    for axis in (None, 0, 1):
        yield f"tf.reduce_any(B, {axis})"
        yield f"tf.reduce_all(B, {axis})"
        yield f"tf.math.reduce_variance(G, {axis})"
        yield f"tf.math.reduce_std(G, {axis})"
    for axis in (0, 1, 2, -1):
        for exclusive in (False, True):
            for reverse in (False, True):
                yield f"tf.cumsum(Q, {axis}, {exclusive}, {reverse})"
                yield f"tf.cumsum(M, {axis}, {exclusive}, {reverse})"
    for name in "sum max min prod mean sqrt_n".split():
        yield f"tf.math.unsorted_segment_{name}(F, [0, 1, 0, 2], 4)"
        yield f"tf.math.unsorted_segment_{name}(G, [1, 0, 1, 1], 2)"
        yield f"tf.math.unsorted_segment_{name}(F, c([[0, 1, 0], [], [2, 1], [0]]), 3)"


def _arranged():
    for axis in (0, 1, 2, -1, 3):
        for function in ("tf.concat", "tf.stack", "tf.ragged.stack"):
            yield f"{function}([Q, Q * 10], {axis})"
            yield f"{function}([M, M * 10], {axis})"
            yield f"{function}([P, P * 10], {axis})"
        yield f"tf.concat([P, [[1], [2], [3], [4]]], {axis})"
        yield f"tf.expand_dims(Q, {axis})"
        yield f"tf.expand_dims(M, {axis})"
        yield f"tf.squeeze(tf.expand_dims(P, {min(axis, 2)}), {axis})"
    for multiples in ([1, 1], [2, 1], [1, 2], [2, 3], [0, 1], [1, 0]):
        yield f"tf.tile(P, {multiples})"
    for multiples in ([1, 2, 1], [2, 1, 3], [1, 2, 2], [2, 2, 2]):
        yield f"tf.tile(Q, {multiples})"
        yield f"tf.tile(M, {multiples})"
    for key in "0 -1 : 1:3 ::2 ::-1 3:0:-2 :,1: :,:-1 :,::-1 :,-2: :,2:0:-1 :,0 0,0 0,1: None :,None :,:,None".split():
        yield f"P[{key}]"
        yield f"Q[{key}]"
    for key in "... ...,:1 0,... ...,None 0:0 0,0,0 :,5: 1:2,-9:1 tf.constant(2) :,tf.constant(1): :,1.5:".split():
        yield f"P[{key}]"
        yield f"Q[{key}]"
    for key in ":,0 :,-1 :,:1 1,1 :,:,1: ::-1 :,5 :,::-1".split():
        yield f"R.from_uniform_row_length(P, 2)[{key}]"


_OTHERS = """
-P
~B
abs(P)
tf.ragged.stack([[1, 2], [3]])
tf.ragged.stack([P])
tf.concat([P], 0)
tf.concat([Q, M], 0)
tf.reverse(P, [0])
tf.reverse(Q, [1])
tf.reverse(Q, [0, -1])
tf.reverse(P, tf.constant([1]))
tf.reverse(P, [])
tf.size(Q)
tf.rank(Q)
tf.rank(M)
tf.ones_like(P)
tf.zeros_like(P, tf.float32)
tf.cast(P, tf.float64)
tf.to_float(P)
tf.one_hot(P, 3)
tf.one_hot(P, 3, axis=1)
tf.clip_by_value(P, 2, 4)
tf.where(B)
tf.where(Q > 4)
tf.where(B, P, P * 10)
tf.where([True, False, True, False], P, P * 10)
tf.where(B, P, [[1]])
tf.gather(indices=[0], params=P)
tf.batch_gather(P, c([[0], [], [1, 1], [0]]))
tf.gather_nd(Q, [[0, 0], [3, 1]])
tf.gather([5, 6, 7, 8, 9, 10, 11], P)
tf.nn.embedding_lookup(np.float32(np.arange(20).reshape(10, 2)), P)
tf.nn.embedding_lookup_sparse(np.float32(np.arange(20).reshape(10, 2)), P, None, combiner='sum')
tf.nn.embedding_lookup_sparse(np.float32(np.arange(20).reshape(10, 2)), P, F, combiner='mean')
tf.nn.safe_embedding_lookup_sparse(np.float32(np.arange(20).reshape(10, 2)), c([[1, 2], [], [-1, 4]], dtype=tf.int64))
tf.add_n([P, P, P])
tf.matmul(A3(), np.float32(np.ones([3, 2, 2])))
tf.matmul(c([[1.0, 2], [3, 4]]), [[1.0], [2]])
tf.matmul(c([[[1.0, 2]], [[3.0], [4]]]), c([[[1.0, 2, 3], [4, 5, 6]], [[7.0, 8]]]))
tf.matmul(A3(), A3(), transpose_b=True)
tf.matmul(A3(), A3(), transpose_a=True)
tf.matmul(c([[1.0, 2], [3]]), [[1.0], [2]])
tf.matmul(np.float32(np.ones([3, 2, 2])), np.float32(np.ones([3, 2, 2])))
tf.matmul(A3(), np.float64(np.ones([3, 2, 2])))
tf.ragged.boolean_mask(P, B)
tf.ragged.boolean_mask(P, [True, False, True, True])
tf.ragged.boolean_mask([[1, 2, 3], [4, 5, 6]], [[True, False, True], [False, False, False]])
tf.ragged.boolean_mask(np.arange(12).reshape(2, 2, 3), np.arange(12).reshape(2, 2, 3) % 2 == 0)
tf.ragged.boolean_mask(Q, Q > 3)
tf.ragged.boolean_mask(Q, c([[True, False, True], [], [True], [False, False]]))
tf.ragged.boolean_mask([1, 2], [True, False])
tf.ragged.boolean_mask(P, True)
tf.ragged.boolean_mask(np.arange(12).reshape(2, 2, 3), np.array([[True, False], [False, True]]))
tf.ragged.boolean_mask(c([[1, 2], [3, 4]]), [[True, False], [False, True]])
tf.ragged.boolean_mask(P, c([[True]]))
tf.ragged.stack_dynamic_partitions(['a', 'b', 'c'], [2, 0, 2], 3)
tf.ragged.stack_dynamic_partitions(P, [1, 0, 1, 0], 2)
tf.ragged.stack_dynamic_partitions(P, c([[1, 0, 2], [], [1, 1], [0]]), 3)
tf.ragged.stack_dynamic_partitions([[1, 2], [3, 4]], [[0, 1], [1, 0]], 2)
tf.ragged.stack_dynamic_partitions(['a'], [5], 3)
tf.ragged.stack_dynamic_partitions(7, 1, 3)
tf.dynamic_partition(P, [1, 0, 1, 0], 2)[1]
tf.ragged.range([3, 0, 2])
tf.ragged.range([3, 0, 2], [5, 4, 1], [1, 2, -1])
tf.ragged.range(1.5, [3.0, 4])
tf.ragged.range([3, 0, 2], row_splits_dtype=tf.int32)
tf.ragged.range([0], [5], 0)
tf.ragged.range(tf.constant([1, 2], tf.int64), [5.5, 3])
tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5])
tf.ragged.row_splits_to_segment_ids([0, 3, 3, 5], out_type=tf.int32)
tf.ragged.row_splits_to_segment_ids([])
tf.ragged.row_splits_to_segment_ids([0.5])
tf.ragged.segment_ids_to_row_splits([0, 0, 2])
tf.ragged.segment_ids_to_row_splits([0, 0, 2], 5)
tf.ragged.segment_ids_to_row_splits(tf.constant([0, 0, 2]), 2)
tf.ragged.segment_ids_to_row_splits(tf.constant([0, 0, 2.0]))
tf.where_v2(B, P, 0)
tf.where_v2(B, [[1], [2], [3], [4]], P)
tf.ragged.constant(pylist=[[1, 2], [3]])
tf.ragged.constant_value(pylist=[[1, 2], [3]])
tf.ragged.constant(pylist=[])
tf.ragged.constant_value(pylist=[])
tf.ragged.constant(pylist=[[]])
tf.ragged.constant_value(pylist=[[]])
tf.ragged.constant(pylist=[[[]], []])
tf.ragged.constant_value(pylist=[[[]], []])
tf.ragged.constant(pylist=5)
tf.ragged.constant_value(pylist=5)
tf.ragged.constant(pylist=[1, 2])
tf.ragged.constant_value(pylist=[1, 2])
tf.ragged.constant(pylist=[[1, 2], 3])
tf.ragged.constant_value(pylist=[[1, 2], 3])
tf.ragged.constant(pylist=[[1, [2]]])
tf.ragged.constant_value(pylist=[[1, [2]]])
tf.ragged.constant(pylist=[[1, 2], [3, 4]], ragged_rank=0)
tf.ragged.constant_value(pylist=[[1, 2], [3, 4]], ragged_rank=0)
tf.ragged.constant(pylist=[[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
tf.ragged.constant_value(pylist=[[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)
tf.ragged.constant(pylist=[[[1, 2], [3, 4]], [[5, 6]]], inner_shape=(2,))
tf.ragged.constant_value(pylist=[[[1, 2], [3, 4]], [[5, 6]]], inner_shape=(2,))
tf.ragged.constant(pylist=[[[1, 2], [3]], [[5, 6]]], ragged_rank=1)
tf.ragged.constant_value(pylist=[[[1, 2], [3]], [[5, 6]]], ragged_rank=1)
tf.ragged.constant(pylist=[[1]], ragged_rank=3)
tf.ragged.constant_value(pylist=[[1]], ragged_rank=3)
tf.ragged.constant(pylist=[[1.5]], dtype=tf.int32)
tf.ragged.constant_value(pylist=[[1.5]], dtype=np.int32)
tf.ragged.constant(pylist=[['a'], ['b', 'c']])
tf.ragged.constant_value(pylist=[['a'], ['b', 'c']])
tf.ragged.constant(pylist=[[1]], row_splits_dtype=tf.int32)
tf.ragged.constant_value(pylist=[[1]], row_splits_dtype='int32')
tf.ragged.constant(pylist=5, ragged_rank=1)
tf.ragged.constant_value(pylist=5, ragged_rank=1)
tf.ragged.constant(pylist=[[1, 2]], ragged_rank=-1)
tf.ragged.constant_value(pylist=[[1, 2]], ragged_rank=-1)
tf.ragged.constant(pylist=[[[1, 2]]], ragged_rank=1, inner_shape=(3,))
tf.ragged.constant_value(pylist=[[[1, 2]]], ragged_rank=1, inner_shape=(3,))
tf.ragged.constant(pylist=[np.arange(3), np.arange(2)])
tf.ragged.constant_value(pylist=[np.arange(3), np.arange(2)])
tf.ragged.constant(pylist=[[], []], dtype=tf.int64, ragged_rank=1)
tf.ragged.constant_value(pylist=[[], []], dtype=np.int64, ragged_rank=1)
tf.ragged.constant(pylist=[[]], ragged_rank=1, inner_shape=(2,))
tf.ragged.constant_value(pylist=[[]], ragged_rank=1, inner_shape=(2,))
tf.ragged.constant(pylist=np.arange(6).reshape(2, 3))
tf.ragged.constant_value(pylist=np.arange(6).reshape(2, 3))
tf.ragged.constant(pylist=[[1, 2], [3, 4]], inner_shape=(2,))
tf.ragged.constant_value(pylist=[[1, 2], [3, 4]], inner_shape=(2,))
R.from_value_rowids([1, 2, 3], [0, 0, 2])
R.from_value_rowids([1, 2, 3], [0, 0, 2], 5)
R.from_value_rowids([1, 2, 3], [0, 0, 2], 2)
R.from_value_rowids([1, 2, 3], [0, 2, 1])
R.from_value_rowids([1, 2, 3], [0, 2])
R.from_value_rowids([1, 2], [0, -1])
R.from_value_rowids([1], [0], -1)
R.from_value_rowids([], [])
R.from_row_splits([1, 2, 3], [0, 1, 3])
R.from_row_splits([1, 2, 3], [0, 1, 4])
R.from_row_splits([1, 2, 3], [1, 3])
R.from_row_splits([1, 2, 3], [0, 2, 1, 3])
R.from_row_splits([1, 2, 3], [])
R.from_row_splits([1, 2, 3], [0.0, 3])
R.from_row_splits([1, 2, 3], [[0, 3]])
R.from_row_splits(3, [0, 3])
R.from_row_splits([1, 2, 3], [0, 3], validate=1)
R.from_row_splits(P, np.int32([0, 4]))
R.from_row_splits([1, 2, 3], np.int32([0, 3]))
R.from_row_splits(P, [0, 1, 4])
R.from_row_lengths([1, 2, 3], [1, 0, 2])
R.from_row_lengths([1, 2, 3], [1, 0, 3])
R.from_row_lengths([1, 2, 3], [4, -1])
R.from_row_starts([1, 2, 3], [0, 1, 1])
R.from_row_starts([1, 2, 3], [1, 1])
R.from_row_starts([1, 2, 3], [0, 5])
R.from_row_limits([1, 2, 3], [0, 1, 3])
R.from_row_limits([1, 2, 3], [0, 1, 2])
R.from_row_limits([1, 2, 3], [3, 1, 3])
R.from_uniform_row_length([1, 2, 3, 4], 2)
R.from_uniform_row_length([1, 2, 3, 4], 3)
R.from_uniform_row_length([], 0)
R.from_uniform_row_length([], 0, 3)
R.from_uniform_row_length([1, 2], -1)
R.from_uniform_row_length(P, 2)
R.from_uniform_row_length([1, 2, 3, 4], 2, 3)
R.from_uniform_row_length([1, 2], [2])
R.from_nested_value_rowids([1, 2, 3], [[0, 0, 2], [0, 1, 1]])
R.from_nested_value_rowids([1, 2, 3], [[0, 0, 2], [0, 2, 2]], [4, 3])
R.from_nested_value_rowids([1, 2, 3], [[0]], [1, 2])
R.from_nested_row_splits([1, 2, 3], [[0, 2], [0, 1, 3]])
R.from_nested_row_splits([1, 2, 3], tf.constant([[0, 3]]))
R.from_nested_row_splits(tf.constant([1, 2, 3]), [])
R.from_nested_row_lengths([1, 2, 3], [[2], [1, 2]])
R.from_tensor([[1, 2], [3, 4]])
R.from_tensor([[1, 2], [3, 4]], lengths=[1, 5])
R.from_tensor([[1, 0], [0, 4], [0, 0]], padding=0)
R.from_tensor([[[1, 0], [0, 0]], [[0, 0], [0, 0]]], padding=[0, 0])
R.from_tensor(np.arange(12).reshape(2, 3, 2), ragged_rank=2)
R.from_tensor(np.arange(12).reshape(2, 3, 2), lengths=([2, 1], [1, 2, 0]))
R.from_tensor([[1]], lengths=[1], padding=0)
R.from_tensor([1])
R.from_tensor([[1]], ragged_rank=0)
R.from_tensor([[1]], ragged_rank=2)
R.from_tensor([[1]], ragged_rank=1.5)
R.from_tensor(tf.placeholder_with_default([[1, 0], [2, 3]], None))
R.from_tensor(tf.placeholder_with_default(np.arange(12).reshape(2, 3, 2), [None, None, None]), ragged_rank=2)
R.from_tensor(tf.placeholder_with_default([[1, 0], [2, 3]], [None, None]), padding=0)
R.from_tensor(np.arange(12).reshape(2, 3, 2) % 5, padding=0, ragged_rank=2)
R.from_sparse(tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [4, 5]))
R.from_sparse(tf.SparseTensor([[0, 0], [0, 2]], [1, 2], [4, 5]))
R.from_sparse(5)
R.from_sparse(tf.SparseTensor([[0, 0, 0]], [1], [4, 5, 6]))
R([1], [0])
P.to_tensor()
P.to_tensor(-1)
P.to_tensor(shape=[None, 2])
P.to_tensor(shape=[2, 5])
Q.to_tensor()
M.to_tensor([7, 8])
P.to_tensor(shape=[1, 2, 3])
P.to_tensor(shape=tf.constant([2, -1]))
S.to_tensor('z')
P.to_tensor(shape=[tf.constant(2), 3])
R.from_value_rowids([1, 2, 3], [0, 0, 2], 5).to_tensor()
P.to_sparse().indices
Q.to_sparse().indices
M.to_sparse().dense_shape
P.nrows()
P.nrows(tf.int32)
P.row_lengths()
Q.row_lengths(2)
Q.row_lengths(0)
M.row_lengths(2)
P.row_lengths(5)
P.value_rowids()
P.row_starts()
P.row_limits()
Q.bounding_shape()
Q.bounding_shape(1)
Q.bounding_shape([0, 2], out_type=tf.int32)
M.bounding_shape()
Q.nested_row_lengths()[1]
Q.nested_value_rowids()[1]
P.with_values([6, 5, 4, 3, 2, 1])
P.with_values([6])
Q.with_flat_values(np.arange(9.0))
P.with_flat_values(R.from_row_splits([1], [0, 1, 1, 1, 1, 1, 1]))
Q.with_row_splits_dtype(tf.int32)
P.with_row_splits_dtype(tf.float32)
Q.merge_dims(0, 1)
Q.merge_dims(1, 2)
Q.merge_dims(0, 2)
M.merge_dims(1, 2)
M.merge_dims(2, 1)
M.merge_dims(0, -1)
P + P.with_row_splits_dtype(tf.int32)
R.from_uniform_row_length(P, 2).uniform_row_length
tf.strings.split(['a b', 'c'], result_type='RaggedTensor')
tf.strings.split('a b c', result_type='RaggedTensor')
tf.strings.split([['a b'], ['c d e']], result_type='RaggedTensor')
tf.strings.split(S, result_type='RaggedTensor')
tf.strings.split(S).dense_shape
tf.strings.split(['a,b,,c'], ',', 1, 'RaggedTensor')
tf.strings.split(['a'], result_type='x')
tf.string_split(['a b', '', ' c  d'], result_type='RaggedTensor')
tf.string_split(['abc'], sep='', result_type='RaggedTensor')
tf.strings.bytes_split(['ab', ''])
tf.strings.bytes_split('ab')
tf.strings.bytes_split([['ab', 'c'], ['', 'd']])
tf.strings.bytes_split(S)
tf.strings.unicode_encode(c([[72, 105], [], [8364]]), 'UTF-8')
tf.strings.unicode_encode([72, 105], 'UTF-8')
tf.strings.unicode_encode([[72, 105], [74, 75]], 'UTF-16-BE')
tf.strings.unicode_encode(c([[[72, 105], []], [], [[8364]]]), 'UTF-8')
tf.strings.unicode_encode(np.int32([[[72, 105], [74, 75]]]), 'UTF-8')
tf.strings.unicode_encode(72, 'UTF-8')
tf.strings.unicode_encode([72], 'x')
tf.strings.unicode_encode([72, -5], 'UTF-8', 'ignore')
tf.strings.unicode_encode([72, -5], 'UTF-8', 'strict')
tf.strings.unicode_encode(c([[[72, 105], [74, 75]], [[72, 73]]], ragged_rank=1), 'UTF-8')
tf.strings.unicode_decode([b'', b'x\\xff'], 'UTF-8')
tf.strings.unicode_decode('Hé', 'UTF-8')
tf.strings.unicode_decode([['a', 'bc'], ['', 'é']], 'UTF-8')
tf.strings.unicode_decode(S, 'UTF-8')
tf.strings.unicode_decode([b'x\\xff'], 'UTF-8', 'ignore')
tf.strings.unicode_decode([b'x\\xff'], 'UTF-8', 'strict')
tf.strings.unicode_decode([b'x\\x01'], 'UTF-8', replace_control_characters=True, replacement_char=63)
tf.strings.unicode_decode(['a'], 'nope')
tf.strings.unicode_decode(c([[['a', 'b']], [['é', 'd']]], ragged_rank=1), 'UTF-8')
tf.strings.unicode_decode_with_offsets(['Hé€'], 'UTF-8')[1]
tf.strings.unicode_decode_with_offsets('Hé€', 'UTF-8')[1]
tf.strings.unicode_decode_with_offsets(S, 'UTF-8')[1]
tf.strings.unicode_split(['Hé€', ''], 'UTF-8')
tf.strings.unicode_split('Hé€', 'UTF-8')
tf.strings.unicode_split(S, 'UTF-8')
tf.strings.unicode_split_with_offsets(['Hé€', ''], 'UTF-8')[1]
tf.strings.unicode_split_with_offsets([['Hé€', '']], 'UTF-8')[0]
tf.strings.ngrams(['a', 'b', 'c'], 2)
tf.strings.ngrams(['a', 'b', 'c'], [1, 3], separator='-')
tf.strings.ngrams([['a', 'b'], ['c', 'd']], 2)
tf.strings.ngrams(c([['a', 'b'], ['c'], []]), 2)
tf.strings.ngrams(c([['a', 'b'], ['c'], []]), 2, pad_values='*')
tf.strings.ngrams(c([['a', 'b'], ['c'], []]), 3, pad_values=('<', '>'), padding_width=1)
tf.strings.ngrams(c([['a', 'b'], ['c'], []]), 3, preserve_short_sequences=True)
tf.strings.ngrams('a', 2)
tf.strings.ngrams(['a'], 0)
tf.strings.ngrams(['a'], 2, pad_values=3)
tf.strings.ngrams(['a'], 2, padding_width=1)
tf.strings.ngrams(c([[['a', 'b']], [], [['c'], ['d', 'e', 'f']]]), 2)
tf.strings.ngrams(['a'], 2, pad_values='x', padding_width=0)
tf.strings.lower(S)
tf.strings.length(S)
tf.strings.join([S, S], '-')
tf.strings.substr(S, 0, 1)
tf.strings.to_hash_bucket_fast(S, 10)
tf.strings.as_string(P)
tf.strings.to_number(c([['1'], ['2', '3']]))
tf.strings.reduce_join(S, 1)
tf.strings.reduce_join(S, 0, separator='+')
tf.strings.reduce_join(S)
tf.strings.regex_replace(S, '[a-c]', '_')
tf.strings.format('x {} y {}', [P, tf.constant(3)])
tf.strings.format('{}', Q, summarize=1)
tf.strings.format('{}', S, summarize=-1)
tf.strings.format('{}', M)
tf.strings.unsorted_segment_join(['a', 'b', 'c'], [0, 2, 0], 3)
tf.strings.format('{}', c([[1, 2, 3, 4, 5, 6, 7, 8], [1]]))
tf.ragged.map_flat_values(tf.add, P, 10)
tf.ragged.map_flat_values(lambda x, y=0: x + y, P, y=P)
tf.ragged.map_flat_values(tf.reduce_sum, P)
tf.ragged.map_flat_values(tf.add, P, Q)
tf.ragged.map_flat_values(tf.add, 1, 2)
tf.ragged.map_flat_values(tf.add, P, c([[1]]))
tf.cond(tf.constant(True), lambda: c([[1]]), lambda: c([[1, 2]]))
tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (0, P))[1]
tf.map_fn(lambda x: tf.reduce_sum(x), P, dtype=tf.int32)
tf.map_fn(lambda x: x * 2, P)
tf.map_fn(lambda x: tf.range(x), tf.constant([1, 2]), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
tf.map_fn(lambda x: x[:1], Q)
tf.map_fn(lambda x: tf.reduce_sum(x, 1), Q, fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
tf.map_fn(lambda x: x[0] * x[1], (P, tf.constant([1, 2, 3, 4])), dtype=tf.RaggedTensorSpec([None], tf.int32))
tf.assert_equal(P, P)
tf.debugging.assert_less(P, P + 1)
tf.split(P, 2)[1]
tf.split(M, 2, axis=2)[1]
tf.split(P, [1, 3])[1]
tf.split(P, 2, axis=1)[0]
tf.split(P, 3)[0]
tf.scalar_mul(2, P)
tf.bitcast(P, tf.float32)
tf.squeeze(P)
tf.squeeze(c([[[1], [2]], [[3]]], ragged_rank=1), 2)
tf.nn.dropout(F, rate=0.0)
tf.convert_to_tensor(P)
tf.matrix_inverse(F)
tf.identity(P)
tf.add(c([[1, 2], [3]]), c([[10], [20]]))
tf.add(c([[1, 2], [3]]), [[10], [20]])
tf.add(c([[1, 2], [3]]), [10])
tf.add(c([[1, 2], [3]]), [10, 20])
tf.add(c([[1, 2], [3, 4]]), [10, 20])
tf.add(c([[1, 2], [3, 5]]), [[10, 20], [3, 4]])
tf.add(c([[1, 2]]), [[10], [20]])
tf.add(c([[1, 2]]), c([[10, 20], [20, 30]]))
tf.add(c([[1, 2]]), c([[10, 20, 1], [20, 30, 1]]))
tf.add(c([[[1, 2]], [[3], [4, 5]]]), c([[1, 2], [3]]))
tf.add(c([[[1, 2]], [[3], [4, 5]]]), [[[1]], [[2]]])
tf.add(c([[[1, 2]], [[3], [4, 5]]]), [[1], [2]])
tf.add(c([[[1, 2], [3, 4]], [[3, 4]]], ragged_rank=1), [1, 2])
tf.add(c([[[1, 2], [3, 4]], [[3, 4]]], ragged_rank=1), [[[1]], [[2]]])
tf.add(c([[1, 2], [3]]), np.ones([1, 1, 1], np.int32))
tf.add(c([[1, 2], [3]]), np.ones([2, 1, 1], np.int32))
tf.add(c([[1, 2], [3]]), [[1, 2]])
tf.add(10, c([[1, 2], [3]]))
tf.add(c([[1, 2], [3]]), c([[1, 2], [3]]))
tf.add(c([[1, 2], [3]]), tf.placeholder_with_default([[1], [2]], [None, None]))
tf.add(c([[1, 2], [3]]), tf.placeholder_with_default([[1], [2]], [None, 1]))
tf.add(tf.placeholder_with_default([[5]], [None, None]), c([[1, 2], [3]]))
tf.add(c([[[1, 2], [3, 4]], [[3, 4]]], ragged_rank=1), c([[[1], [2]], [[3]]], ragged_rank=1))
tf.gather(P, [2, 0])
tf.gather(P, 1)
tf.gather(P, [[2, 0], [1, 3]])
tf.gather(P, c([[2], [0, 1]]))
tf.gather([10, 20, 30], c([[2], [0, 1]]))
tf.gather(Q, [3, 0])
tf.gather(Q, c([[3, 0], []]))
tf.gather(c([[1, 2], [3, 4, 5]]), [1, 0], axis=1)
tf.gather(Q, [], axis=1)
tf.gather(c([[[1, 2], [3]], [[4], [5, 6]]]), [1, 0], axis=1)
tf.gather(c([[[1, 2], [3, 5]], [[4, 7]]]), [1, 0], axis=2)
tf.gather(np.arange(12).reshape(3, 4), c([[0, 1], [3]]), axis=1)
tf.batch_gather(P, c([[2, 0], [], [1], [0, 0]]))
tf.batch_gather(c([[1, 2], [3]]), [[0], [0]])
tf.gather(c([[[1, 2], [3]], [[4], [5, 6]]]), c([[1], [0, 1]]), batch_dims=1)
tf.gather(c([[[1, 2], [3, 3]], [[4, 9], [5, 6]]]), [[1], [0]], axis=2, batch_dims=1)
tf.gather(np.arange(12).reshape(3, 4), c([[0, 1], [3], []]), batch_dims=1)
tf.gather(c([[[1, 2], [3]], [[4], [5, 6]]]), c([[[1], [0]], [[0], [1, 0]]]), batch_dims=2)
tf.gather_nd(P, [[2], [0]])
tf.gather_nd(P, [[2, 1], [0, 2]])
tf.gather_nd(Q, [[0, 2, 0]])
tf.gather_nd(Q, [[0, 2], [3, 1]])
tf.gather_nd(Q, [0])
tf.gather_nd(Q, [0, 2])
tf.gather_nd(P, np.zeros([2, 0], np.int32))
tf.gather_nd(P, np.zeros([0], np.int32))
tf.gather_nd(Q, [[[0, 2], [3, 1]]])
tf.gather_nd(P, [[[0, 2], [3, 0]]])
tf.gather_nd(P, c([[[0, 2], [3, 0]], []], ragged_rank=1))
tf.gather_nd(np.arange(12).reshape(3, 4), c([[[0, 2], [2, 0]], []], inner_shape=(2,)))
tf.gather_nd(c([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1), [[0, 1, 1], [1, 0, 0]])
tf.gather(P, [5])
"""


def tensors(tf):
    """What the names in expressions stand for; made when they are looked up, in the default graph."""
    c = tf.ragged.constant
    return {
        "P": lambda: c([[1, 2, 3], [], [4, 5], [6]]),
        "F": lambda: c([[1.5, -2, 3], [], [0.4, 5], [6]]),
        "Q": lambda: c([[[1, 2], [], [3]], [], [[4, 5, 6]], [[7], [8, 9]]]),
        "G": lambda: c([[[1.0, 2], [], [3]], [], [[4, 5, 6.5]], [[7], [8, 9]]]),
        "S": lambda: c([["a b", "cd"], [], ["\u00c9 x y"]]),
        "M": lambda: c([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1),
        "N": lambda: c([[[1.0, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1),
        "B": lambda: c([[True, False, True], [], [False, True], [True]]),
    }


class _Names(dict):
    """The names of expressions; each tensor is made once."""

    def __init__(self, tf):
        super().__init__(tf=tf, np=np, R=tf.RaggedTensor, c=tf.ragged.constant)
        self._tensors = tensors(tf)

    def __missing__(self, name):
        if name not in self._tensors:
            raise KeyError(name)
        self[name] = self._tensors[name]()
        return self[name]


def answer(tf, call):
    """What a call gives: {"error": class} or {"value": nested lists, "dtype": name, "splits": name, "shape": dims}."""
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            result = eval(call, _Names(tf))
            value = result if isinstance(result, (np.ndarray, tf.ragged.RaggedTensorValue)) else session.run(result)
        except Exception as error:  # any class, which is what is compared
            return {"error": type(error).__name__}
        shape = getattr(result, "shape", None)
        dims = shape.as_list() if getattr(shape, "ndims", None) is not None else None
        return {"shape": dims, **_as_json(tf, value)}


def _as_json(tf, value):
    if isinstance(value, tf.ragged.RaggedTensorValue):
        found = {"value": value.to_list(), "dtype": str(value.dtype), "splits": str(value.row_splits.dtype)}
    else:
        items = None if value is None else np.asarray(value).tolist()
        found = {"value": items, "dtype": str(getattr(value, "dtype", ""))}
    found["value"] = _texts(found["value"])
    return found


def _texts(value):
    if isinstance(value, (list, tuple)):
        return [_texts(item) for item in value]
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _main():
    import tensorflow

    tf = tensorflow.compat.v1
    tf.disable_eager_execution()
    lines = [f"{json.dumps(call)}: {json.dumps(answer(tf, call))}" for call in dict.fromkeys(calls())]
    with open(sys.argv[1], "w") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    _main()
