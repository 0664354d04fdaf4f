"""Tensor arrays: a model they follow, TensorFlow's errors, gradient arrays, the class, sharing of memory, threads."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf

R = tf.raw_ops


# ---- A random program and what it means for a list


@st.composite
def programs(draw):
    """(size, dynamic, clears, instructions); an instruction that would fail ends the program."""
    size = draw(st.integers(0, 5))
    kinds = st.sampled_from(["write", "write", "read", "scatter", "gather", "size"])
    indices = st.integers(-1, 6)
    steps = draw(st.lists(st.tuples(kinds, indices, st.lists(indices, max_size=4, unique=True)), max_size=8))
    return size, draw(st.booleans()), draw(st.booleans()), steps


class Model:
    """A tensor array as a list of [value, has been read]; raises IndexError or KeyError where the array must fail."""

    def __init__(self, size, dynamic, clears):
        self.items, self.dynamic, self.clears = [None] * size, dynamic, clears

    def write(self, i, value):
        if i < 0 or i >= len(self.items) and not self.dynamic:
            raise IndexError
        self.items += [None] * (i + 1 - len(self.items))
        if self.items[i] is not None:
            raise KeyError
        self.items[i] = [value, False]

    def read(self, i):
        if not 0 <= i < len(self.items):
            raise IndexError
        item = self.items[i]
        if item is None or item[1] and self.clears:
            raise KeyError
        item[1] = True
        return item[0]


@given(programs())
def test_arrays_follow_a_model(program):
    size, dynamic, clears, steps = program
    model = Model(size, dynamic, clears)
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.float32, size, dynamic_size=dynamic, clear_after_read=clears, infer_shape=False)
        fetches, expected, fails = [], [], False
        for k, (kind, i, many) in enumerate(steps):
            value = np.arange(2, dtype=np.float32) + 10 * k
            rows = np.arange(2 * len(many), dtype=np.float32).reshape(-1, 2) + 10 * k
            try:
                if kind == "write":
                    array = array.write(i, value)
                    model.write(i, value)
                elif kind == "scatter":
                    array = array.scatter(np.array(many, np.int32), rows)
                    for j, row in zip(many, rows):
                        model.write(j, row)
                elif kind == "size":
                    fetches.append(array.size())
                    expected.append(len(model.items))
                else:
                    read = array.read(i) if kind == "read" else array.gather(np.array(many or [i], np.int32))
                    fetches.append(read)
                    with tf.control_dependencies([read]):
                        array = array.identity()
                    expected.append(model.read(i) if kind == "read" else np.stack([model.read(j) for j in many or [i]]))
            except (IndexError, KeyError):
                fails = True
                break
        fetches.append(array.flow)
        if fails:
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(fetches)
            return
        for a, b in zip(session.run(fetches), [*expected, 0], strict=True):
            np.testing.assert_array_equal(a, b)


# ---- Errors. Each program gets the handle and the flow of an array of three floats, and makes what is run


def _array(size=3, dtype=tf.float32, **options):
    return R.TensorArrayV3(size=size, dtype=dtype, tensor_array_name="box", **options)


def _write(h, f, i, value):
    return R.TensorArrayWriteV3(handle=h, index=i, value=value, flow_in=f)


def _read(h, f, i, dtype=tf.float32):
    return R.TensorArrayReadV3(handle=h, index=i, flow_in=f, dtype=dtype)


def _gather(h, f, i, dtype=tf.float32, **options):
    return R.TensorArrayGatherV3(handle=h, indices=i, flow_in=f, dtype=dtype, **options)


def _scatter(h, f, i, value):
    return R.TensorArrayScatterV3(handle=h, indices=i, value=value, flow_in=f)


def _concat(h, f, dtype=tf.float32, **options):
    return R.TensorArrayConcatV3(handle=h, flow_in=f, dtype=dtype, **options)


def _split(h, f, value, lengths):
    return R.TensorArraySplitV3(handle=h, value=value, lengths=lengths, flow_in=f)


def _gradient(h, f, source="gradients"):
    return R.TensorArrayGradV3(handle=h, flow_in=f, source=source)


def _fed(value, dtype=None):
    return tf.placeholder_with_default(np.array(value, dtype), None)


def _then(first, make):
    with tf.control_dependencies([first]):
        return make()


def _read_twice(h, f):
    f = _write(h, f, 0, 1.0)
    return _then(_read(h, f, 0), lambda: _read(h, f, 0))


def _write_after_read(h, f):
    f = _write(h, f, 0, 1.0)
    return _then(_read(h, f, 0), lambda: _write(h, f, 0, 1.0))


def _grow_after_gradient(h, f):
    f = _write(h, f, 0, 1.0)
    return _then(_gradient(h, f)[1], lambda: _write(h, f, 5, 1.0))


def _add_another_shape(h, f):
    f = _write(h, f, 0, [1.0, 2.0])
    g, gf = _gradient(h, f)
    return _write(g, gf, 0, [1.0])


def _add_strings(h, f):
    g, gf = _gradient(h, _write(h, f, 0, "a"))
    return _write(g, _write(g, gf, 0, "b"), 0, "c")


_UNWRITTEN = (
    "Furthermore, the element shape is not fully defined: {}.  It is possible you are working with a resizeable "
    "TensorArray and stop_gradients is not allowing the gradients to be written.  If you set the full element_shape "
    "property on the forward TensorArray, the proper all-zeros tensor will be returned instead of incurring this error."
)
_ZERO_SIZE = "is not fully defined. Currently only static shapes are supported when"
_INVALID, _MISSING = tf.errors.InvalidArgumentError, tf.errors.UnimplementedError

# name: (program, options of the array, error class, text; NAME stands for "TensorArray box_<number>")
_ERRORS = {
    "read unwritten": (
        lambda h, f: _read(h, f, 1),
        {},
        _INVALID,
        "NAME: Could not read from TensorArray index 1.  " + _UNWRITTEN.format("<unknown>"),
    ),
    "read unwritten, partly known shape": (
        lambda h, f: _read(h, f, 1),
        {"element_shape": [None, 2]},
        _INVALID,
        "NAME: Could not read from TensorArray index 1.  " + _UNWRITTEN.format("[?,2]"),
    ),
    "read behind the end": (
        lambda h, f: _read(h, f, 3),
        {},
        _INVALID,
        "Tried to read from index 3 but array size is: 3",
    ),
    "read before the start": (
        lambda h, f: _read(h, f, -1),
        {},
        _INVALID,
        "Tried to read from index -1 but array size is: 3",
    ),
    "read another type": (
        lambda h, f: _read(h, f, 0, tf.int32),
        {},
        _INVALID,
        "TensorArray dtype is float but Op requested dtype int32.",
    ),
    "index no scalar": (
        lambda h, f: _read(h, f, _fed([0], np.int32)),
        {},
        _INVALID,
        "TensorArray index must be scalar, but had shape: [1]",
    ),
    "read twice": (
        _read_twice,
        {},
        _INVALID,
        "NAME: Could not read index 0 twice because it was cleared after a previous read (perhaps try setting "
        "clear_after_read = false?).",
    ),
    "write behind the end": (
        lambda h, f: _write(h, f, 3, 1.0),
        {},
        _INVALID,
        "NAME: Tried to write to index 3 but array is not resizeable and size is: 3",
    ),
    "write before the start of a growing array": (
        lambda h, f: _write(h, f, -1, 1.0),
        {"dynamic_size": True},
        _INVALID,
        "NAME: Tried to write to index -1 but array is not resizeable and size is: 3",
    ),
    "write another type": (
        lambda h, f: _write(h, f, 0, 1),
        {},
        _INVALID,
        "TensorArray dtype is float but Op is trying to write dtype int32.",
    ),
    "write twice": (
        lambda h, f: _write(h, _write(h, f, 0, 1.0), 0, 1.0),
        {},
        _INVALID,
        "NAME: Could not write to TensorArray index 0 because it has already been written to.",
    ),
    "write after read": (
        _write_after_read,
        {"clear_after_read": False},
        _INVALID,
        "NAME: Could not write to TensorArray index 0 because it has already been read.",
    ),
    "write another shape": (
        lambda h, f: _write(h, f, 0, _fed([[1.0]], np.float32)),
        {"element_shape": [None]},
        _INVALID,
        "NAME: Could not write to TensorArray index 0 because the value shape is [1,1] which is incompatible with the "
        "TensorArray's inferred element shape: [?] (consider setting infer_shape=False).",
    ),
    "write differing shapes": (
        lambda h, f: _write(h, _write(h, f, 0, [1.0]), 1, [1.0, 2.0]),
        {"identical_element_shapes": True},
        _INVALID,
        "NAME: Could not write to TensorArray index 1 because the value shape is [2] which is incompatible with the "
        "TensorArray's inferred element shape: [1] (consider setting infer_shape=False).",
    ),
    "gather unwritten": (
        lambda h, f: _gather(h, _write(h, f, 0, 1.0), [0, 1]),
        {},
        _INVALID,
        "NAME: Could not read from TensorArray index 1.  " + _UNWRITTEN.format("<unknown>"),
    ),
    "gather nothing of unknown shape": (
        lambda h, f: _gather(h, f, np.zeros(0, np.int32)),
        {},
        _MISSING,
        f"TensorArray has size zero, but element shape <unknown> {_ZERO_SIZE} packing zero-size TensorArrays.",
    ),
    "gather another shape": (
        lambda h, f: _gather(h, _write(h, f, 0, [1.0, 2.0]), [0], element_shape=[3]),
        {},
        _INVALID,
        "TensorArray was passed element_shape [3] which does not match the Tensor at index 0: [2]",
    ),
    "gather differing shapes": (
        lambda h, f: _gather(h, _write(h, _write(h, f, 0, [1.0]), 1, [1.0, 2.0]), [0, 1]),
        {},
        _INVALID,
        "TensorArray has inconsistent shapes.  Index 0 has shape: [1] but index 1 has shape: [2]",
    ),
    "gather one twice": (
        lambda h, f: _gather(h, _write(h, f, 0, 1.0), [0, 0]),
        {},
        _INVALID,
        "NAME: Could not read index 0 twice because it was cleared after a previous read (perhaps try setting "
        "clear_after_read = false?).",
    ),
    "gather at a matrix": (
        lambda h, f: _gather(h, f, _fed([[0]], np.int32)),
        {},
        _INVALID,
        "Expected indices to be a vector, but received shape: [1,1]",
    ),
    "scatter behind the end": (
        lambda h, f: _scatter(h, f, [5, 1], [1.0, 2.0]),
        {},
        _INVALID,
        "Max scatter index must be < array size (5 vs. 3)",
    ),
    "scatter twice": (
        lambda h, f: _scatter(h, f, [0, 0], [1.0, 2.0]),
        {},
        _INVALID,
        "NAME: Could not write to TensorArray index 0 because it has already been written to.",
    ),
    "scatter too much": (
        lambda h, f: _scatter(h, f, [0, 1], _fed([1.0, 2.0, 3.0], np.float32)),
        {},
        _INVALID,
        "Expected len(indices) == values.shape[0], but saw: 2 vs. 3",
    ),
    "scatter a scalar": (
        lambda h, f: _scatter(h, f, [0], _fed(1.0, np.float32)),
        {},
        _INVALID,
        "Input value for unpack must be at least a vector but received shape: []",
    ),
    "scatter at a matrix": (
        lambda h, f: _scatter(h, f, _fed([[0, 1]], np.int32), [3.0, 4.0]),
        {},
        _INVALID,
        "Expected indices to be a vector, but received shape: [1,2]",
    ),
    "concat scalars": (
        lambda h, f: _concat(h, _scatter(h, f, [0, 1, 2], [1.0, 2.0, 3.0]))[0],
        {},
        _INVALID,
        "Concat saw a scalar shape at index 0 but requires at least vectors.  Did you mean to call pack?",
    ),
    "concat differing shapes": (
        lambda h, f: _concat(h, _write(h, _scatter(h, f, [0, 2], [[1.0], [2.0]]), 1, [[1.0, 2.0]]))[0],
        {},
        _INVALID,
        "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: [] but index 1 has "
        "(excepting dimension 0) shape: [2]",
    ),
    "concat another shape": (
        lambda h, f: _concat(h, _scatter(h, f, [0, 1, 2], np.ones((3, 1, 2), np.float32)), element_shape_except0=[3])[
            0
        ],
        {},
        _INVALID,
        "TensorArray was passed element_shape_except0 [3] but index 0 has (excepting dimension 0) shape: [2] which "
        "does not match.",
    ),
    "concat nothing of unknown shape": (
        lambda h, f: _concat(h, f)[0],
        {"size": 0},
        _MISSING,
        f"TensorArray has size zero, but element_shape_except0 <unknown> {_ZERO_SIZE} concatenating zero-size "
        "TensorArrays.",
    ),
    "split too short": (
        lambda h, f: _split(h, f, [1.0, 2.0, 3.0], np.array([1, 1, 0])),
        {},
        _INVALID,
        "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is 2 and value's shape is: [3]",
    ),
    "split into too few": (
        lambda h, f: _split(h, f, [1.0, 2.0, 3.0], np.array([1, 2])),
        {},
        _INVALID,
        "TensorArray's size is not equal to the size of lengths (3 vs. 2), and the TensorArray is not marked as "
        "dynamically resizeable",
    ),
    "split into less than nothing": (
        lambda h, f: _split(h, f, [1.0, 2.0, 3.0], np.array([-1, 2, 2])),
        {},
        _INVALID,
        "Expected lengths to be >= 0, but lengths[0] is -1",
    ),
    "split into an absurd size": (
        lambda h, f: _split(h, f, [1.0], np.array([2**62, 2**62, 2**62])),
        {},
        _INVALID,
        "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is",
    ),
    "split a scalar": (
        lambda h, f: _split(h, f, _fed(1.0, np.float32), np.array([1, 0, 0])),
        {},
        _INVALID,
        "Expected value to be at least a vector, but received shape: []",
    ),
    "split by a matrix": (
        lambda h, f: _split(h, f, [1.0], _fed([[1]], np.int64)),
        {},
        _INVALID,
        "Expected lengths to be a vector, received shape: [1,1]",
    ),
    "negative size": (lambda h, f: f, {"size": -1}, _INVALID, "Size should be >= 0."),
    "size no scalar": (
        lambda h, f: _array(_fed([3], np.int32)).flow,
        {},
        _INVALID,
        "TensorArray size must be scalar, but had shape: [1]",
    ),
    "grow after the gradient was made": (
        _grow_after_gradient,
        {"dynamic_size": True},
        _INVALID,
        "NAME: Tried to write to index 5 but array is not resizeable and size is: 3",
    ),
    "gradient of another shape": (
        _add_another_shape,
        {},
        _INVALID,
        "NAME@gradients: Could not aggregate to TensorArray index 0 because the existing shape is [2] but the new "
        "input shape is [1].",
    ),
    "gradients of strings": (
        _add_strings,
        {"dtype": tf.string},
        _INVALID,
        "tensor_array::AddToTensor type not supported: string",
    ),
    "zero strings": (
        lambda h, f: _read(h, f, 0, tf.string),
        {"dtype": tf.string, "element_shape": []},
        _INVALID,
        "tensor_array::TensorSetZero type not supported: string",
    ),
    "the handle of nothing": (lambda h, f: f, {"dtype": tf.resource}, _MISSING, "can't hold tensors of type resource"),
}


@pytest.mark.parametrize("name", _ERRORS)
def test_errors(name):
    program, options, kind, text = _ERRORS[name]
    with tf.Graph().as_default(), tf.Session() as session:
        result = program(*_array(**options))
        with pytest.raises(kind) as info:
            session.run(result)
        message = info.value.message
        if text.startswith("NAME"):
            start, _, rest = message.partition("TensorArray box_")
            assert not start
            message = "NAME" + rest.lstrip("0123456789")
            assert message.startswith(text)
        else:
            assert text in message


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: _write(*_array(element_shape=[2]), 0, [[1.0]]), "Shapes must be equal rank, but are 1 and 2"),
        (lambda: _scatter(*_array(), [0, 1], [1.0, 2.0, 3.0]), "Dimensions must be equal, but are 3 and 2"),
        (lambda: _read(*_array(), [1]), "Shape must be rank 0 but is rank 1"),
        (lambda: _array([3]), "Shape must be rank 0 but is rank 1"),
        (lambda: _gather(*_array(element_shape=[2]), [0], element_shape=[3]), "but are 2 and 3"),
        (lambda: _split(*_array(), 1.0, np.array([1])), "Shape must be at least rank 1"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_when_the_graph_is_built(make, text):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        make()


def test_closed_arrays():
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.float32, 3, tensor_array_name="box", dynamic_size=True).write(0, 1.0)
        with tf.control_dependencies([array.flow]):
            close = array.close()
        with tf.control_dependencies([close]):
            uses = [array.read(0), array.write(1, 1.0).flow, array.size(), array.grad("g").flow, array.concat()]
            again = array.close()
        session.run(again)
        for use in uses:
            with pytest.raises(_INVALID, match=r"TensorArray box_\d+ has already been closed\."):
                session.run(use)


# ---- Gradients


def test_unwritten_elements_of_known_shape_are_zero():
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.complex64, 3, element_shape=[2]).write(1, [1j, 2])
        expected = np.array([[0, 0], [1j, 2], [0, 0]], np.complex64)
        np.testing.assert_array_equal(session.run(array.stack()), expected)
        np.testing.assert_array_equal(session.run(array.read(0)), [0, 0])
        joined, lengths = session.run(_concat(array.handle, array.flow, tf.complex64))
        np.testing.assert_array_equal(joined, expected.ravel())
        np.testing.assert_array_equal(lengths, [2, 2, 2])


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint8", "complex128"])
def test_what_is_written_to_a_gradient_array_adds_up(dtype):
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(dtype, 2).write(0, np.ones(300, dtype))
        grad = array.grad("g")
        parts = [(np.arange(300) % 80).astype(dtype) * np.array(k, dtype) for k in (1, 2, 3)]
        shared = tf.identity(tf.placeholder_with_default(parts[0], [300]))
        one = grad.write(0, shared)
        same = array.grad("g", flow=one.flow)  # found again by its name
        both = same.write(0, parts[1])
        result = both.write(0, parts[2]).read(0)
        got, first = session.run([result, shared])
        np.testing.assert_array_equal(got, sum(parts))
        np.testing.assert_array_equal(first, parts[0])


def test_gradient_arrays_are_zero_where_the_array_was_written():
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.float32, 3, infer_shape=False).write(0, [1.0, 2.0]).write(2, [[3.0]])
        grad = array.grad("g")
        a, b = session.run([grad.read(0), grad.read(2)])
        np.testing.assert_array_equal(a, [0, 0])
        np.testing.assert_array_equal(b, [[0]])
        with pytest.raises(_INVALID, match="@g: Could not read from TensorArray index 1"):
            session.run(grad.read(1))


def test_gradient_arrays_with_further_dimensions():
    with tf.Graph().as_default(), tf.Session() as session:
        array = tf.TensorArray(tf.float32, 2).write(0, [1.0, 2.0])
        h, f = R.TensorArrayGradWithShape(handle=array.handle, flow_in=array.flow, shape_to_prepend=[3], source="g")
        np.testing.assert_array_equal(session.run(_read(h, f, 0)), np.zeros((3, 2)))
        np.testing.assert_array_equal(session.run(_read(h, f, 1)), np.zeros((3, 2)))
        x = np.arange(6.0, dtype=np.float32).reshape(3, 2)
        np.testing.assert_array_equal(session.run(_read(h, _write(h, f, 0, x), 0)), x)
        deep = R.TensorArrayGradWithShape(
            handle=array.handle, flow_in=array.flow, shape_to_prepend=[1] * 20, source="deep"
        )
        with pytest.raises(_MISSING, match="rank 21"):
            session.run(deep.flow_out)


# ---- The class


def test_arguments_that_exclude_each_other():
    with tf.Graph().as_default():
        array = tf.TensorArray(tf.float32, 2)
        handle, flow = array.handle, array.flow
        for arguments, kind, text in [
            ({}, ValueError, "Argument `size` must be provided"),
            ({"handle": handle, "tensor_array_name": "a"}, ValueError, "both `handle` and `tensor_array_name`"),
            ({"handle": "h"}, TypeError, "Expected `handle` to be a Tensor"),
            ({"handle": handle, "size": 3}, ValueError, "both a `handle` and `size`"),
            ({"handle": handle, "element_shape": []}, ValueError, "both `handle` and `element_shape`"),
            ({"handle": handle, "dynamic_size": True}, ValueError, "both `handle` and `dynamic_size`"),
            ({"handle": handle, "clear_after_read": True}, ValueError, "both `handle` and `clear_after_read`"),
            ({"handle": handle}, ValueError, "flow must not be None"),
        ]:
            with pytest.raises(kind, match=text):
                tf.TensorArray(tf.float32, **arguments)
        again = tf.TensorArray(tf.float32, handle=handle, flow=flow)
        assert again.handle is handle and again.flow is flow


def test_static_shapes():
    with tf.Graph().as_default():
        array = tf.TensorArray(tf.float32, 4)
        assert array.dtype is tf.float32 and not array.dynamic_size and array.element_shape.rank is None
        array = array.write(0, tf.ones([2, 3]))
        assert array.element_shape.as_list() == [2, 3]
        assert array.read(1).shape.as_list() == [2, 3]
        assert array.stack().shape.as_list() == [4, 2, 3]
        assert array.gather([1, 2, 3]).shape.as_list() == [3, 2, 3]
        assert array.gather(tf.placeholder(tf.int32)).shape.as_list() == [None, 2, 3]
        assert array.concat().shape.as_list() == [8, 3]
        assert array.identity().element_shape.as_list() == [2, 3]
        with pytest.raises(ValueError, match=r"Inconsistent shapes: saw \(3,\) but expected \(2, 3\)"):
            array.write(1, tf.ones([3]))
        free = tf.TensorArray(tf.float32, 0, dynamic_size=True, infer_shape=False).write(0, tf.ones([2]))
        assert free.dynamic_size and free.element_shape.rank is None
        assert free.stack().shape.rank is None
        assert free.write(1, tf.ones([3])).read(0).shape.rank is None
        split = tf.TensorArray(tf.float32, 2).split(tf.ones([4, 5]), [2, 2])
        assert split.element_shape.as_list() == [2, 5]
        assert tf.TensorArray(tf.float32, 1, element_shape=[None, 7]).read(0).shape.as_list() == [None, 7]


def test_names_and_attributes_are_tensorflows():
    with tf.Graph().as_default() as graph:
        x = tf.ones([3, 2], name="x")
        array = tf.TensorArray(tf.float32, size=3, name="steps").unstack(x)
        array.write(0, x[0], name="w").stack()
        array.grad("source")
        names = [op.name for op in graph.get_operations() if op.type.startswith("TensorArray")]
        assert names == [
            "steps",
            "TensorArrayUnstack/TensorArrayScatter/TensorArrayScatterV3",
            "w/w",
            "TensorArrayStack/TensorArrayGatherV3",
            "TensorArrayGrad/TensorArrayGradV3",
        ]
        op = graph.get_operation_by_name("steps")
        assert op.get_attr("dtype") is tf.float32 and op.get_attr("identical_element_shapes") is True
        assert op.get_attr("clear_after_read") is True and op.get_attr("element_shape") is None


def test_python_values_become_elements():
    with tf.Graph().as_default(), tf.Session() as session:
        array = (
            tf.TensorArray(tf.float64, 3)
            .write(0, 1)
            .write(1, 2.5)
            .write(tf.constant(2), tf.Variable(1.0, dtype=tf.float64))
        )
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(array.stack()), [1, 2.5, 1])


def test_strings():
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.placeholder(tf.string, [None])
        array = tf.TensorArray(tf.string, 0, dynamic_size=True, infer_shape=False).unstack(words)
        array = array.write(3, ["d", "e"])
        given = ["a", "", "ccc" * 30]
        assert session.run(array.gather([2, 0]), {words: given}).tolist() == [given[2].encode(), b"a"]
        assert session.run(array.read(3), {words: given}).tolist() == [b"d", b"e"]
        assert session.run(array.read(1), {words: given}) == b""


# ---- Memory


def test_elements_do_not_change_when_what_was_written_or_read_is_used_in_place():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [1000])
        value = x + 1.0
        array = tf.TensorArray(tf.float32, 1, clear_after_read=False).write(0, value)
        with tf.control_dependencies([array.flow]):
            negative = -value  # may take over memory that nobody else has
        with tf.control_dependencies([negative]):
            first = array.read(0)
        with tf.control_dependencies([tf.exp(first)]):
            second = array.read(0)
        a, b = session.run([second, negative], {x: np.zeros(1000)})
        np.testing.assert_array_equal(a, np.ones(1000))
        np.testing.assert_array_equal(b, -np.ones(1000))


def test_fed_memory_is_not_written():
    fed = np.ones((50, 100), np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [50, 100])
        array = tf.TensorArray(tf.float32, 50).unstack(x)
        grad = array.grad("g").unstack(x)
        total = grad.unstack(x).stack() + tf.sqrt(array.stack())
        np.testing.assert_array_equal(session.run(total, {x: fed}), 3 * fed)
    np.testing.assert_array_equal(fed, np.ones((50, 100)))


def test_nothing_is_left_after_a_step():
    from tfcore.core.runtime import memory_stats

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [30, 1000])
        array = tf.TensorArray(tf.float32, 30, clear_after_read=False).unstack(x * 2.0)
        y = tf.reduce_sum(array.stack() * array.concat()[0])
        grad = tf.gradients(y, x)[0].op
        bad = tf.TensorArray(tf.float32, 30).unstack(x + 1.0).write(0, x[0]).flow  # fails while the array is full

        def steps():
            for _ in range(3):
                session.run(grad, {x: np.ones((30, 1000), np.float32)})
                with pytest.raises(_INVALID, match="already been written"):
                    session.run(bad, {x: np.ones((30, 1000), np.float32)})
            return memory_stats()["bytes_in_use"]

        before = steps()
        assert abs(steps() - before) < 60_000  # half the bytes of one array


# ---- Threads


def test_many_threads_use_one_array():
    """Writes, reads and sums of 200 elements without an order among them, in several steps at a time."""
    n = 200
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [])
        array = tf.TensorArray(tf.float64, n)
        flows = [_write(array.handle, array.flow, i, x * i) for i in range(n)]
        full = tf.TensorArray(tf.float64, handle=array.handle, flow=tf.add_n(flows))
        grad = full.grad("g")
        sums = [_write(grad.handle, grad.flow, i % 10, x) for i in range(n)]
        reads = tf.add_n([full.read(i) for i in range(n)])
        total = _gather(grad.handle, tf.add_n(sums), np.arange(10, dtype=np.int32), tf.float64)
        with tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=4)) as session:
            wrong = []

            def work(value):
                for _ in range(10):
                    got, added = session.run([reads, total], {x: value})
                    if got != value * n * (n - 1) / 2 or (added != value * n / 10).any():
                        wrong.append((value, got, added))

            threads = [threading.Thread(target=work, args=(float(k),)) for k in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            assert not wrong
