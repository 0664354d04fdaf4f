"""Tensor lists."""

import random
import threading
import time

import numpy as np
import pytest

import tfcore as tf

ops = tf.raw_ops
F = tf.float32
SCALAR = np.zeros(0, np.int32)


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def empty(shape=-1, limit=-1, dtype=F):
    return ops.EmptyTensorList(element_shape=shape, max_num_elements=limit, element_dtype=dtype)


def reserve(n, shape=-1, dtype=F):
    return ops.TensorListReserve(element_shape=shape, num_elements=n, element_dtype=dtype)


def get(handle, i, shape=-1, dtype=F):
    return ops.TensorListGetItem(input_handle=handle, index=i, element_shape=shape, element_dtype=dtype)


def put(handle, i, item, resize=False):
    return ops.TensorListSetItem(input_handle=handle, index=i, item=item, resize_if_index_out_of_bounds=resize)


def push(handle, item):
    return ops.TensorListPushBack(input_handle=handle, tensor=item)


def pop(handle, shape=-1, dtype=F):
    return ops.TensorListPopBack(input_handle=handle, element_shape=shape, element_dtype=dtype)


def stack(handle, shape=-1, n=-1, dtype=F):
    return ops.TensorListStack(input_handle=handle, element_shape=shape, element_dtype=dtype, num_elements=n)


def gather(handle, indices, shape=-1, dtype=F):
    return ops.TensorListGather(
        input_handle=handle, indices=np.array(indices, np.int32), element_shape=shape, element_dtype=dtype
    )


def concat(handle, shape=-1, lengths=(), dtype=F):
    lengths = np.array(lengths, np.int64)
    return ops.TensorListConcatV2(input_handle=handle, element_shape=shape, leading_dims=lengths, element_dtype=dtype)


def from_tensor(tensor, shape=-1):
    return ops.TensorListFromTensor(tensor=tensor, element_shape=shape)


def split(tensor, lengths, shape=-1):
    return ops.TensorListSplit(tensor=tensor, element_shape=shape, lengths=np.array(lengths, np.int64))


def scatter(tensor, indices, shape=-1, n=-1):
    return ops.TensorListScatterV2(tensor=tensor, indices=indices, element_shape=shape, num_elements=n)


def scatter_into(handle, tensor, indices):
    return ops.TensorListScatterIntoExistingList(input_handle=handle, tensor=tensor, indices=indices)


def length(handle):
    return ops.TensorListLength(input_handle=handle)


def resize(handle, n):
    return ops.TensorListResize(input_handle=handle, size=n)


def element_shape(handle, dtype=tf.int32):
    return ops.TensorListElementShape(input_handle=handle, shape_type=dtype)


# ---- Values


def _rows(values):
    """The rows of a model's list: None is an element without a value."""
    return np.float32([np.zeros(2) if v is None else v for v in values]).reshape(-1, 2)


def _change(rng, handle, model, value):
    """A random op on a list and on its model; returns both."""
    n, i = len(model), rng.randrange(len(model) + 1)
    row = value + np.arange(2, dtype=np.float32)
    kind = rng.randrange(8)
    if kind == 0 and i < n:
        return put(handle, i, row), [*model[:i], row, *model[i + 1 :]]
    if kind == 1:
        return put(handle, n + 1, row, resize=True), [*model, None, row]
    if kind == 2 and n:
        return pop(handle, [2])[0], model[:-1]
    if kind == 3:
        return resize(handle, i), model[:i]
    if kind == 4:
        changed = list(model) + [None] * (i + 2 - n)
        changed[i], changed[i + 1] = row, row + 1
        return scatter_into(handle, np.stack([row, row + 1]), [i, i + 1]), changed
    if kind == 5:
        other = ops.TensorListScatter(tensor=row[None], indices=[1], element_shape=[2])
        joined = ops.TensorListConcatLists(input_a=handle, input_b=other, element_dtype=F)
        return joined, [*model, None, row]
    return push(handle, row), [*model, row]


@pytest.mark.parametrize("seed", range(6))
def test_lists_follow_a_model(session, seed):
    """Lists of a history: all of them, so that none may be changed in place, or the last one."""
    rng = random.Random(seed)
    handle, model = [(empty([2]), []), (reserve(3, np.int64([2])), [None] * 3)][seed % 2]
    wanted, kept = [], rng.random() < 0.5
    for step in range(40):
        handle, model = _change(rng, handle, model, np.float32(10 * step))
        if kept or step == 39:
            wanted.append((stack(handle), _rows(model)))
            wanted.append((length(handle), np.int32(len(model))))
        if model and rng.random() < 0.2:
            i = rng.randrange(len(model))
            wanted.append((get(handle, i), _rows(model)[i]))
            wanted.append((gather(handle, [i, 0]), _rows(model)[[i, 0]]))
            wanted.append((pop(handle, [2])[1], _rows(model)[-1]))
    wanted.append((element_shape(handle, tf.int64), np.int64([2])))
    parts = split(stack(handle), [1, len(model) - 1] if model else [])
    wanted.append((concat(parts, [-1, 2])[0], _rows(model)))
    old = ops.TensorListConcat(input_handle=parts, element_dtype=F, element_shape=[None, 2])
    wanted.append((old[0], _rows(model)))
    wanted.append((stack(from_tensor(stack(handle), [2])), _rows(model)))
    order = rng.sample(range(len(model)), len(model))
    wanted.append((gather(scatter(stack(handle), order, [2]), order), _rows(model)))
    for found, (_, expected) in zip(session.run([t for t, _ in wanted]), wanted):
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == expected.dtype


@pytest.mark.parametrize("dtype", [tf.bool, tf.int8, tf.bfloat16, tf.float16, tf.complex128, tf.string, tf.uint64])
def test_every_type(session, dtype):
    x = tf.constant([b"a", b"bc"] if dtype == tf.string else np.array([0, 1], dtype.as_numpy_dtype))
    handle = resize(from_tensor(x, SCALAR), 3)
    found, joined, one, last = session.run(
        [
            stack(handle, dtype=dtype),
            concat(split(x, [1, 1]), dtype=dtype)[0],
            get(handle, 1, dtype=dtype),
            pop(handle, dtype=dtype)[1],
        ]
    )
    expected = session.run(x).tolist()
    assert found.tolist() == [*expected, b"" if dtype == tf.string else 0] and joined.tolist() == expected
    assert one == expected[1] and not last


def test_shapes_of_elements_without_values(session):
    two = put(reserve(3), 1, [1.0, 2.0])
    found = session.run(
        [
            get(reserve(2, [2, -1]), 0, [-1, 3]),
            get(two, 0),
            stack(two),
            gather(two, [2, 1]),
            concat(two)[0],
            concat(put(reserve(2), 0, [[1.0, 2.0]]), lengths=[9, 2]),
            concat(reserve(2, [3])),
            stack(empty([2])),
            concat(empty([-1, 2]))[0],
            gather(reserve(2, [3]), []),
            element_shape(two),
            element_shape(reserve(1, [-1, 4])),
        ]
    )
    assert [np.shape(v) for v in found[:5]] == [(2, 3), (2,), (3, 2), (2, 2), (6,)]
    assert found[4].tolist() == [0, 0, 1, 2, 0, 0]
    assert found[5][0].tolist() == [[1, 2], [0, 0], [0, 0]] and found[5][1].tolist() == [1, 2]
    assert found[6][0].tolist() == [0] * 6 and [v.shape for v in found[7:10]] == [(0, 2), (0, 2), (0, 3)]
    assert found[10] == -1 and found[11].tolist() == [-1, 4]


def test_static_shapes():
    handle = put(reserve(3, [-1, 2]), 0, np.ones((4, 2), np.float32))
    assert get(handle, 0).shape.as_list() == [None, 2] and get(handle, 0, [4, -1]).shape.as_list() == [4, 2]
    assert stack(handle, n=3).shape.as_list() == [3, None, 2] and concat(handle)[0].shape.as_list() == [None, 2]
    assert gather(handle, [1, 1]).shape.as_list() == [2, None, 2] and pop(handle)[1].shape.as_list() == [None, 2]
    assert element_shape(handle).shape.as_list() == [2] and element_shape(reserve(3)).shape.dims is None


def test_static_shapes_of_lists_that_differ(session):
    p = tf.placeholder(tf.bool)
    two, three = from_tensor(tf.ones([4, 2]), [2]), from_tensor(tf.ones([4, 3]), [3])
    either = tf.cond(p, lambda: two, lambda: three)
    last = tf.while_loop(lambda i, _: i < 1, lambda i, _: (i + 1, three), [0, two])[1]
    tensors = [stack(either, [-1], n=4), get(either, 0, [-1]), stack(last, [-1], n=4)]
    assert [t.shape.as_list() for t in tensors] == [[4, None], [None], [4, None]]
    for value, columns in ((True, 2), (False, 3)):
        shapes = [v.shape for v in session.run(tensors, {p: value})]
        assert shapes == [(4, columns), (columns,), (4, 3)]


def test_lists_of_lists(session):
    inner = [from_tensor(np.float32(range(n)), SCALAR) for n in (1, 3)]
    outer = push(push(empty(SCALAR, dtype=tf.variant), inner[0]), inner[1])
    lists = stack(outer, dtype=tf.variant)
    again = from_tensor(lists, SCALAR)
    assert session.run(stack(get(outer, 1, dtype=tf.variant))).tolist() == [0, 1, 2]
    assert session.run(stack(get(again, 0, dtype=tf.variant))).tolist() == [0]
    assert session.run(length(pop(again, dtype=tf.variant)[1])) == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Input list must be a scalar saw: \[2\]"):
        session.run(length(lists))
    with pytest.raises(tf.errors.UnimplementedError, match="has no zeros"):
        session.run(length(get(reserve(1, SCALAR, tf.variant), 0, dtype=tf.variant)))


def test_tensors_of_lists(session):
    def lists(*handles):
        outer = empty(SCALAR, dtype=tf.variant)
        for handle in handles:
            outer = push(outer, handle)
        return stack(outer, dtype=tf.variant)

    def unpacked(tensor, n):
        outer = from_tensor(tensor, SCALAR)
        return [get(outer, i, dtype=tf.variant) for i in range(n)]

    pushed = ops.TensorListPushBackBatch(input_handles=lists(empty(), push(empty(), [9.0])), tensor=[[1.0], [2.0]])
    assert [v.tolist() for v in session.run([stack(h) for h in unpacked(pushed, 2)])] == [[[1]], [[9], [2]]]
    joined = ops.TensorListConcatLists(
        input_a=lists(empty(), reserve(1)), input_b=lists(reserve(2), reserve(3)), element_dtype=F
    )
    assert session.run([length(h) for h in unpacked(joined, 2)]) == [2, 4]
    for handles, tensor, message in [
        (lists(empty(), empty()), [1.0], r"Expected tensor.shape\[0\] == input_handles.size, but saw 1 vs. 2"),
        (
            lists(empty([2])),
            [1.0],
            r"incompatible shape to a list at index 0. Op element shape: \[\] list shape: \[2\]",
        ),
        (
            lists(empty(dtype=tf.int32)),
            [1.0],
            "Invalid data type at index 0; op elements float but list elements int32",
        ),
    ]:
        tensor = tf.placeholder_with_default(tensor, None)
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(length(unpacked(ops.TensorListPushBackBatch(input_handles=handles, tensor=tensor), 1)[0]))


def test_fed_memory_is_not_kept(session):
    """A list holds copies of what the user feeds: another step may change it."""
    x = tf.placeholder(F, [2])
    fed = np.float32([1, 2])
    found = session.run(stack(from_tensor(x)), {x: fed})
    fed[:] = 7
    assert found.tolist() == [1, 2]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_zeros_like_tensors_of_lists(session, n):
    outer = empty(SCALAR, dtype=tf.variant)
    for i in range(n):
        outer = push(outer, from_tensor(tf.fill([i + 1], 7.0), SCALAR))
    zeros = ops.ZerosLike(x=ops.TensorListStack(input_handle=outer, element_shape=SCALAR, element_dtype=tf.variant))
    found = from_tensor(zeros, SCALAR)
    inner = [stack(get(found, i, dtype=tf.variant)) for i in range(n)]
    assert [v.tolist() for v in session.run(inner)] == [[0.0] * (i + 1) for i in range(n)]
    assert session.run([length(found), tf.shape(zeros)])[0] == n


def test_sums_and_zeros(session):
    a = put(reserve(3, SCALAR), 0, 3.0)
    b = put(put(reserve(3, SCALAR), 0, 4.0), 1, 5.0)
    assert session.run(stack(ops.AddN(inputs=[a, b, a]))).tolist() == [10, 5, 0]
    assert session.run([stack(a), stack(b)])[0].tolist() == [3, 0, 0]
    assert session.run(stack(tf.zeros_like(b))).tolist() == [0, 0, 0]
    for bad, message in [
        ([reserve(2, [1]), reserve(3, [1])], "lists of tensors with different lengths. One is 2 and the other is 3"),
        ([reserve(2, [1]), reserve(2, [2])], r"incompatible element shapes. One is \[1\] and the other is \[2\]"),
        ([reserve(2), reserve(2, dtype=tf.int32)], "different dtypes. One is float and the other is int32"),
        ([put(reserve(1), 0, [1.0]), put(reserve(1), 0, [1.0, 2.0])], r"tensors with incompatible element shapes"),
        ([put(reserve(1, dtype=tf.bool), 0, True)] * 2, "Trying to add unsupported dtype 10"),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            session.run(length(ops.AddN(inputs=bad)))
    with pytest.raises(tf.errors.InternalError, match="No unary variant unary_op function"):
        session.run(length(tf.zeros_like(ops.OptionalNone())))


# ---- Errors


def _late(value):
    """A value that is not known before the graph runs."""
    return tf.placeholder_with_default(np.array(value), None)


I32 = np.int32
ERRORS = [
    (lambda: length(ops.OptionalNone()), "Input handle is not a list. Saw: 'Optional'"),
    (lambda: reserve(_late(I32(-1))), "The num_elements to reserve must be a non negative number, but got -1"),
    (lambda: reserve(_late(I32([1, 2]))), r"The num_elements to reserve must be a tensor size 1, but got \[2\]"),
    (lambda: reserve(2, _late(I32([-2]))), "Dimension -2 must be >= -1"),
    (lambda: reserve(2, _late(I32(3))), "The only valid scalar shape tensor is the fully unknown shape specified as"),
    (lambda: reserve(2, _late(I32([[1]]))), "Shape must be at most rank 1 but is rank 2"),
    (lambda: reserve(2, _late(np.int64([2**62, 4]))), r"would have more than 2\*\*63 - 1 elements"),
    (lambda: empty(limit=_late(I32([1]))), r"max_num_elements expected to be a scalar but got shape: \[1\]"),
    (lambda: get(reserve(2, [1]), -1), "Trying to access element -1 in a list with 2 elements."),
    (lambda: get(reserve(2, [1]), 2), "Trying to access element 2 in a list with 2 elements."),
    (lambda: get(reserve(2, [1]), _late(I32([0]))), r"index must be a scalar, but has shape \[1\]"),
    (lambda: get(reserve(2), 0, dtype=tf.int32), "Invalid data types; op elements int32 but list elements float"),
    (lambda: get(reserve(2, [-1, 3]), 0), r"element_shape is not fully defined: \[\?,3\] and no list element is set."),
    (lambda: get(reserve(2, [2]), 0, _late(I32([3]))), r"Incompatible shapes during merge: \[3\] vs. \[2\]"),
    (lambda: get(reserve(2, [2]), 0, _late(I32([3, 1]))), "Incompatible ranks during merge: 2 vs. 1"),
    (lambda: put(reserve(2), -1, 1.0), "Trying to modify element -1 in a list with 2 elements."),
    (lambda: put(reserve(2), -1, 1.0, True), "Trying to modify element -1 in a list with 2 elements."),
    (lambda: put(reserve(2), 2, 1.0), "Trying to modify element 2 in a list with 2 elements."),
    (lambda: put(reserve(2, [3]), 0, [1.0]), r"Item element shape: \[1\] list shape: \[3\]"),
    (lambda: put(reserve(2), 0, [1]), "Invalid data types; op elements int32 but list elements float"),
    (lambda: push(empty(limit=0), 1.0), "Tried to push item into a full list list size: 0 max_num_elements: 0"),
    (lambda: push(empty([2]), 1.0), r"Op element shape: \[\] list shape: \[2\]"),
    (lambda: push(empty(), 1), "Invalid data types; op elements int32 but list elements float"),
    (lambda: pop(empty())[1], "Trying to pop from an empty list."),
    (lambda: pop(reserve(1))[1], "element_shape is not fully defined.<unknown>"),
    (lambda: stack(empty()), "stack elements of an empty list with non-fully-defined element_shape: <unknown>"),
    (lambda: stack(reserve(2, [1]), n=3), "Operation expected a list with 3 elements but got a list with 2 elements."),
    (lambda: stack(reserve(2, [-1])), r"only contains uninitialized tensors and has a non-fully-defined .*: \[\?\]"),
    (lambda: stack(put(put(reserve(2), 0, [1.0, 2.0]), 1, [1.0])), r"during merge: \[2\] vs. \[1\]"),
    (lambda: gather(reserve(2), []), "Tried to gather 0-elements from a list with non-fully-defined shape: <unknown>"),
    (lambda: gather(reserve(2, [1]), [2]), "Index 2 out o range; list only has 2 elements."),
    (lambda: gather(reserve(2, [1]), [-1]), "Index -1 out o range; list only has 2 elements."),
    (lambda: gather(reserve(2), [1]), "Tried to gather uninitialized tensors from a list with non-fully-defined"),
    (lambda: from_tensor(_late(1.0)), r"Tensor must be at least a vector, but saw shape: \[\]"),
    (lambda: from_tensor(_late([[1.0, 2.0]]), [3]), r"list with shape \[3\] from a tensor with shape \[2\]"),
    (lambda: concat(empty())[0], "must be fully defined when concating an empty tensor list. element_shape: <unknown>"),
    (lambda: concat(reserve(2, SCALAR))[0], "Concat requires elements to be at least vectors, found scalars instead."),
    (lambda: concat(put(reserve(1), 0, 1.0))[0], "Concat saw a scalar shape at index 0 but requires at least vectors."),
    (
        lambda: concat(put(put(reserve(3), 0, [1.0, 2.0]), 1, [3.0]))[0],
        "List contains uninitialized tensor at index 2 but leading_dims has only 0 elements.",
    ),
    (
        lambda: concat(put(put(reserve(3), 0, [1.0, 2.0]), 1, [3.0]), lengths=[0, 0, -3])[0],
        r"leading_dims\[2\] must be >= 0, but is -3",
    ),
    (
        lambda: ops.TensorListConcat(input_handle=put(put(reserve(3), 0, [1.0, 2.0]), 1, [3.0]), element_dtype=F)[0],
        "Concating lists with uninitialized tensors is not supported in this version of TensorListConcat.",
    ),
    (lambda: concat(reserve(2))[0], "only uninitialized tensors but element_shape_except_first_dim is not fully"),
    (
        lambda: concat(put(reserve(2), 0, [1.0, 2.0]), [3])[0],
        "match the first dim of list element at index: 0 Expected: 3 Actual: 2",
    ),
    (lambda: concat(put(put(reserve(2), 0, [[1.0, 2.0]]), 1, [[3.0]]))[0], r"during merge: \[2\] vs. \[1\]"),
    (lambda: split(_late(1.0), [1]), r"Tensor must be at least a vector, but saw shape: \[\]"),
    (lambda: split([1.0], [1], SCALAR), r"requires element_shape to be at least of rank 1, but saw: \[\]"),
    (lambda: split([[1.0, 2.0]], [1], [-1, 3]), r"tensor shape \[1,2\] is not compatible with element_shape \[\?,3\]"),
    (lambda: split([1.0, 2.0], [-1, 3]), "Invalid value in lengths: -1"),
    (lambda: split([1.0, 2.0], [1, 3]), r"Attempting to slice \[1, 4\] from tensor with length 2"),
    (lambda: split([1.0, 2.0], [1]), "Unused values in tensor. Length of tensor: 2 Values used: 1"),
    (lambda: scatter([1.0, 2.0], [3, 0], n=3), "TensorListScatter: Trying to scatter at index 3 in list with size 3"),
    (lambda: scatter([1.0], [0], n=-2), "TensorListScatter expects num_elements >= -1, found: -2"),
    (lambda: scatter([1.0], [-3]), "Indices in TensorListScatter must all be non-negative."),
    (lambda: scatter([1.0], [0, 1]), "Invalid number of rows in input tensor. Expected: 2 Actual: 1"),
    (lambda: scatter([1.0], [0], n=_late(I32([3]))), r"num_elements must be a scalar"),
    (lambda: scatter_into(reserve(3), [1.0], [-1]), "must all be non-negative."),
    (lambda: scatter_into(reserve(1), [1], [0]), "input tensor type: int32 list element_type: float"),
    (
        lambda: scatter_into(reserve(1), [1.0], [0, 1]),
        r"Expected len\(indices\) == tensor.shape\[0\], but saw: 2 vs. 1",
    ),
    (lambda: resize(reserve(3), -1), "TensorListSlice expects size to be non-negative. Got: -1"),
    (lambda: resize(reserve(3), _late(I32([1]))), "size must be a scalar"),
    (
        lambda: ops.TensorListConcatLists(input_a=reserve(1, [1]), input_b=reserve(1, [-1]), element_dtype=F),
        r"element shapes are not identical at index 0.  Saw \[1\] vs. \[\?\]",
    ),
    (
        lambda: ops.TensorListConcatLists(input_a=reserve(1), input_b=reserve(1), element_dtype=tf.int32),
        r"input_a\[0\].dtype != element_dtype.  Saw: float vs. int32",
    ),
]


@pytest.mark.parametrize("case", range(len(ERRORS)))
def test_errors(session, case):
    build, message = ERRORS[case]
    result = build()
    if result.dtype == tf.variant:
        result = length(result)
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        session.run(result)


# ---- Loops and gradients


def _loop(n):
    def body(i, handle, grown):
        return i + 1, put(handle, i, tf.cast(i, F)), push(grown, tf.cast(i, F))

    return tf.while_loop(lambda i, *_: i < n, body, [0, reserve(n, SCALAR), empty(SCALAR)])[1:]


def test_loops_change_their_list_in_place(session):
    """50 times the iterations take about 50 times as long; with a copy in each it would be 2,500 times."""
    n = tf.placeholder(tf.int32, [])
    handles = _loop(n)
    sums = [tf.reduce_sum(stack(handle)) for handle in handles]

    def seconds(count):
        best = 1e9
        for _ in range(3):
            start = time.perf_counter()
            session.run(sums, {n: count})
            best = min(best, time.perf_counter() - start)
        return best

    few = seconds(1000)
    assert seconds(50000) < 400 * few
    assert session.run(sums, {n: 100}) == [4950, 4950]


def test_a_list_that_others_see_stays_as_it_is(session):
    first = from_tensor(tf.range(3.0), SCALAR)
    changed = [put(first, 0, 10.0), put(first, 1, 20.0), push(first, 5.0), pop(first)[0], resize(first, 1)]
    found = session.run([stack(h) for h in [first, *changed]])
    assert [v.tolist() for v in found] == [[0, 1, 2], [10, 1, 2], [0, 20, 2], [0, 1, 2, 5], [0, 1], [0]]


def test_steps_at_the_same_time(session):
    n = tf.placeholder(tf.int32, [])
    sums = [tf.reduce_sum(stack(handle)) for handle in _loop(n)]
    wrong = []

    def work(count):
        for _ in range(20):
            if session.run(sums, {n: count}) != [count * (count - 1) / 2] * 2:
                wrong.append(count)

    threads = [threading.Thread(target=work, args=(10 + i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def _weighted(x):
    return tf.reduce_sum(x * tf.reshape(tf.range(1.0, tf.cast(tf.size(x), F) + 1), tf.shape(x)))


GRADIENTS = {
    "stack": lambda x: stack(from_tensor(x)),
    "stack of unknown": lambda x: stack(from_tensor(tf.placeholder_with_default(x, None))),
    "get": lambda x: get(from_tensor(x), 1) * get(from_tensor(x), 2),
    "get of one list": lambda x: (lambda h: get(h, 1) * get(h, 2) * get(h, 1))(from_tensor(x)),
    "set": lambda x: stack(put(from_tensor(x), 1, x[0] * x[0])),
    "set and resize": lambda x: stack(put(from_tensor(x), 4, x[0] * x[2], resize=True)),
    "resize": lambda x: stack(resize(from_tensor(x), 2)),
    "push": lambda x: stack(push(push(empty(), x[0]), x[2] * x[1])),
    "pop": lambda x: (lambda popped: popped[1] * get(popped[0], 0))(pop(from_tensor(x))),
    "pop alone": lambda x: pop(from_tensor(x, [2]))[1],
    "gather": lambda x: gather(from_tensor(x), [2, 0]),
    "scatter": lambda x: stack(scatter(x * x, [3, 0, 1])),
    "old scatter": lambda x: stack(ops.TensorListScatter(tensor=x, indices=[3, 0, 1], element_shape=-1)),
    "scatter into": lambda x: stack(scatter_into(from_tensor(x), x[:2] * 3.0, [2, 0])),
    "split": lambda x: get(split(x, [1, 2]), 1),
    "concat": lambda x: concat(split(x * x, [2, 1]))[0],
    "old concat": lambda x: ops.TensorListConcat(input_handle=split(x, [2, 1]), element_dtype=F)[0],
    "sum": lambda x: stack(ops.AddN(inputs=[from_tensor(x), from_tensor(x * x)])),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients(session, name):
    x = tf.constant([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]])
    value = np.float32([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]])
    y = _weighted(GRADIENTS[name](x))
    (grad,) = tf.gradients(y, x)
    expected = np.zeros_like(value)
    for place in np.ndindex(3, 2):
        for sign in (1, -1):
            moved = value.copy()
            moved[place] += sign * 0.125
            expected[place] += sign * session.run(y, {x: moved}) / 0.25
    np.testing.assert_allclose(session.run(grad), expected, rtol=1e-4, atol=1e-3)


def _item(handle, i):
    return get(handle, i, SCALAR)


def _products(x):
    """The loop reads a list from outside."""
    source = from_tensor(x, SCALAR)

    def body(i, handle):
        return i + 1, put(handle, i, _item(source, i) * _item(source, 3 - i))

    return stack(tf.while_loop(lambda i, _: i < 4, body, [0, reserve(4, SCALAR)])[1])


def _grown(x):
    def body(i, handle):
        return i + 1, push(handle, _item(handle, i) * 2.0)

    return stack(tf.while_loop(lambda i, _: i < 4, body, [0, from_tensor(x, SCALAR)])[1])


def _popped(x):
    def body(i, handle, total):
        handle, last = pop(handle, SCALAR)
        return i + 1, handle, total * 0.5 + last * last

    return tf.while_loop(lambda i, *_: i < 3, body, [0, from_tensor(x, SCALAR), tf.constant(0.0)])[2]


def _nested(x):
    source = from_tensor(x, SCALAR)

    def outer(i, total):
        def inner(j, part):
            return j + 1, part + _item(source, j) * _item(source, i)

        return i + 1, total + tf.while_loop(lambda j, _: j < 3, inner, [0, tf.constant(0.0)])[1]

    return tf.while_loop(lambda i, _: i < 3, outer, [0, tf.constant(0.0)])[1]


def _branch_in_loop(x):
    source = from_tensor(x, SCALAR)

    def body(i, total):
        square = tf.cond(tf.equal(i % 2, 0), lambda: _item(source, i) * _item(source, i), lambda: 1.0 + total)
        return i + 1, total + square

    return tf.while_loop(lambda i, _: i < 4, body, [0, tf.constant(0.0)])[1]


def _replaced(x):
    def body(i, handle, total):
        return i + 1, from_tensor(x * tf.cast(i, F), SCALAR), total + _item(handle, i)

    result = tf.while_loop(lambda i, *_: i < 3, body, [0, from_tensor(x, SCALAR), tf.constant(0.0)])
    return result[2] + _item(result[1], 0)


def _branches(x):
    source = from_tensor(x, SCALAR)
    changed = tf.cond(x[0] > 0.0, lambda: put(source, 0, x[1] * x[1]), lambda: source)
    return stack(changed) * tf.cond(x[0] > 5.0, lambda: _item(source, 2) * x[1], lambda: x[2])


@pytest.mark.parametrize("build", [_products, _grown, _popped, _nested, _branch_in_loop, _replaced, _branches])
def test_gradients_of_loops_and_conditionals(session, build):
    x, value = tf.placeholder(F, [4]), np.float32([1.0, 2.0, -1.0, 0.5])
    y = _weighted(build(x))
    (grad,) = tf.gradients(y, x)
    expected = np.zeros_like(value)
    for place in range(4):
        for sign in (1, -1):
            moved = value.copy()
            moved[place] += sign * 0.125
            expected[place] += sign * session.run(y, {x: moved}) / 0.25
    np.testing.assert_allclose(session.run(grad, {x: value}), expected, rtol=1e-3, atol=1e-3)
