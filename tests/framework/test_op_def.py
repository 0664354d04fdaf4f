"""Op definitions: the notation, what calling one checks and infers."""

import itertools

import numpy as np
import pytest

import tfcore as tf
from tfcore.framework.definitions.op_def import (
    REQUIRED,
    define_op,
    get_op_def,
    gradient,
    not_differentiable,
    registered_ops,
)
from tfcore.framework.definitions.random_ops import draws_random_numbers

_numbers = itertools.count()


def define(**parts):
    """An op type with a name of its own."""
    return define_op(f"TestOpDef{next(_numbers)}", **parts)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


# ---- The notation


ATTRS = [
    ("a: int", ("int", REQUIRED, None, None)),
    ("a: int = 3", ("int", 3, None, None)),
    ("a: int = -1", ("int", -1, None, None)),
    ("a: int >= 2", ("int", REQUIRED, None, 2)),
    ("a: int >= 1 = 5", ("int", 5, None, 1)),
    ("a:int>=0=0", ("int", 0, None, 0)),
    ("a: float = 1e-3", ("float", 1e-3, None, None)),
    ("a: float = -0.5", ("float", -0.5, None, None)),
    ("a: bool = false", ("bool", False, None, None)),
    ("a: bool = true", ("bool", True, None, None)),
    ("a: string = 'x y'", ("string", b"x y", None, None)),
    ('a: string = ""', ("string", b"", None, None)),
    ("a: {'SAME', 'VALID'} = 'SAME'", ("string", b"SAME", (b"SAME", b"VALID"), None)),
    ("a: type", ("type", REQUIRED, None, None)),
    ("a: type = DT_INT32", ("type", tf.int32, None, None)),
    ("a: {float, double}", ("type", REQUIRED, (tf.float32, tf.float64), None)),
    ("a: {half, bfloat16} = DT_HALF", ("type", tf.float16, (tf.float16, tf.bfloat16), None)),
    ("a: {int32, int64} = DT_INT64", ("type", tf.int64, (tf.int32, tf.int64), None)),
    ("a: shape", ("shape", REQUIRED, None, None)),
    ("a: shape = {}", ("shape", (), None, None)),
    ("a: shape = { unknown_rank: true }", ("shape", None, None, None)),
    ("a: list(int)", ("list(int)", REQUIRED, None, None)),
    ("a: list(int) >= 4", ("list(int)", REQUIRED, None, 4)),
    ("a: list(int) = [1, 2]", ("list(int)", [1, 2], None, None)),
    ("a: list(int) = []", ("list(int)", [], None, None)),
    ("a: list(float) = []", ("list(float)", [], None, None)),
    ("a: list(type) >= 1", ("list(type)", REQUIRED, None, 1)),
    ("a: list({float, int32})", ("list(type)", REQUIRED, (tf.float32, tf.int32), None)),
    ("a: tensor", ("tensor", REQUIRED, None, None)),
]


@pytest.mark.parametrize("spec, expected", ATTRS)
def test_attr_notation(spec, expected):
    attr = define(attrs=[spec]).attrs["a"]
    assert (attr.type, attr.default, attr.allowed, attr.minimum) == expected


def test_type_sets():
    numbers = define(attrs=["T: numbertype"]).attrs["T"].allowed
    reals = define(attrs=["T: realnumbertype"]).attrs["T"].allowed
    assert tf.complex64 in numbers and tf.float16 in numbers and tf.string not in numbers and tf.bool not in numbers
    assert tf.complex64 not in reals and {tf.int8, tf.uint64, tf.bfloat16, tf.float64} <= set(reals)


@pytest.mark.parametrize(
    "parts",
    [
        {"attrs": ["nonsense"]},
        {"inputs": ["a"]},
        {"inputs": ["a: nope"]},
        {"attrs": ["a: float >= x"]},
        {"attrs": ["a: func = f"]},
    ],
)
def test_specifications_that_do_not_parse(parts):
    with pytest.raises((ValueError, TypeError)):
        define(**parts)


def test_argument_notation():
    op_def = define(
        inputs=["one: int32", "same: T", "many: N * T", "fixed: M * float", "mixed: Tlist", "ref: Ref(T)"],
        outputs=["out: T", "outs: N * T", "all: Tlist"],
        attrs=["T: type", "N: int", "M: int", "Tlist: list(type)"],
    )
    one, same, many, fixed, mixed, ref = op_def.inputs
    assert (one.dtype, one.type_attr, one.is_list) == (tf.int32, None, False)
    assert (same.type_attr, same.is_ref) == ("T", False)
    assert (many.number_attr, many.type_attr, many.is_list) == ("N", "T", True)
    assert (fixed.number_attr, fixed.dtype) == ("M", tf.float32)
    assert (mixed.type_list_attr, mixed.is_list) == ("Tlist", True)
    assert (ref.is_ref, ref.type_attr) == (True, "T")
    assert op_def.explicit_attrs == []


def test_registration_is_once():
    op_def = define(inputs=["x: float"], outputs=["y: float"])
    assert get_op_def(op_def.name) is op_def and op_def in registered_ops()
    with pytest.raises(ValueError, match="already registered"):
        define_op(op_def.name)
    not_differentiable(op_def.name)
    with pytest.raises(KeyError, match=f"Registering two gradient with name '{op_def.name}'!"):
        gradient(op_def.name)(lambda op, grad: grad)
    with pytest.raises(KeyError):
        get_op_def("NoSuchOp")


# ---- Calling


def test_type_is_taken_from_the_tensor_wherever_it_stands():
    op_def = define(inputs=["a: T", "b: T"], outputs=["c: T"], attrs=["T: type"])
    x = tf.constant(1.0, tf.float64)
    for a, b in ((x, 2), (2, x), (x, x)):
        out = op_def(a, b)
        assert out.dtype is tf.float64 and out.op.get_attr("T") is tf.float64
    assert op_def(1, 2).dtype is tf.int32
    assert op_def([1.0], [2]).dtype is tf.float32
    assert op_def(tf.Variable(1.0), 2).dtype is tf.float32


def test_type_mismatches():
    op_def = define(inputs=["a: T", "b: T"], outputs=["c: T"], attrs=["T: type"])
    with pytest.raises(
        TypeError, match="Input 'b' of .* Op has type int32 that does not match type float32 of argument 'a'."
    ):
        op_def(tf.constant(1.0), tf.constant(1))
    with pytest.raises(TypeError):
        op_def(tf.constant(1), 1.5)
    with pytest.raises(TypeError):
        op_def(tf.constant(1.0), "text")
    fixed = define(inputs=["a: int32"], outputs=["c: int32"])
    with pytest.raises(
        TypeError, match="Input 'a' of .* Op has type float32 that does not match expected type of int32"
    ):
        fixed(tf.constant(1.0))


def test_allowed_types():
    op_def = define(inputs=["a: T"], outputs=["c: T"], attrs=["T: {float, double}"])
    with pytest.raises(
        TypeError,
        match="Value passed to parameter 'a' has DataType int32 not in list of allowed values: float32, float64",
    ):
        op_def(tf.constant(1))
    single = define(inputs=["a: T"], outputs=["c: T"], attrs=["T: {double}"])
    assert single(1.5).dtype is tf.float64  # the only type there is
    default = define(inputs=["a: T"], outputs=["c: T"], attrs=["T: {int32, int64} = DT_INT64"])
    assert default(1).dtype is tf.int64
    assert default(tf.constant(1)).dtype is tf.int32


def test_lists():
    op_def = define(inputs=["xs: N * T"], outputs=["ys: N * T"], attrs=["N: int >= 2", "T: type"])
    x = tf.constant(1.0)
    outs = op_def([1, x, 2])
    assert isinstance(outs, list) and [o.dtype for o in outs] == [tf.float32] * 3
    assert outs[0].op.get_attr("N") == 3
    with pytest.raises(ValueError, match="List argument 'xs' to .* Op with length 1 shorter than minimum length 2."):
        op_def([x])
    with pytest.raises(TypeError, match="Expected list for 'xs' argument"):
        op_def(x)
    with pytest.raises(TypeError):
        op_def([x, tf.constant(1)])
    two = define(inputs=["a: N * T", "b: N * T"], outputs=["c: T"], attrs=["N: int", "T: type"])
    with pytest.raises(ValueError, match="List argument 'b' to .* with length 3 must match length 2"):
        two([1, 2], [1, 2, 3])


def test_typed_lists():
    op_def = define(inputs=["xs: T"], outputs=["ys: T"], attrs=["T: list(type) >= 1"])
    outs = op_def([1, 2.5, "a", np.int64(3)])
    assert [o.dtype for o in outs] == [tf.int32, tf.float32, tf.string, tf.int64] == outs[0].op.get_attr("T")
    with pytest.raises(ValueError, match="shorter than minimum length 1"):
        op_def([])


def test_several_outputs_are_a_namedtuple():
    op_def = define(
        inputs=["x: T"], outputs=["first: T", "rest: N * int32", "last: float"], attrs=["T: type", "N: int"]
    )
    out = op_def(tf.constant(1.0), N=2)
    assert out._fields == ("first", "rest", "last")
    assert out.first.dtype is tf.float32 and len(out.rest) == 2 and out.last is out.first.op.outputs[3]
    assert isinstance(define()(), tf.Operation)


def test_attributes_are_checked():
    op_def = define(
        attrs=["i: int >= 2", "f: float = 1.0", "b: bool = true", "s: {'A', 'B'} = 'A'",
               "t: {float, double} = DT_FLOAT", "l: list(int) >= 2 = [1, 2]", "h: shape = {}", "z: list(string) = []"]
    )  # fmt: skip
    op = op_def(3, f=2, b=False, s="B", t=np.float64, l=(3, np.int32(4), 5), h=[None, 2], z=["a", b"b"])
    got = {name: op.get_attr(name) for name in "ifbstlhz"}
    assert got == {
        "i": 3,
        "f": 2.0,
        "b": False,
        "s": b"B",
        "t": tf.float64,
        "l": [3, 4, 5],
        "h": (None, 2),
        "z": [b"a", b"b"],
    }
    with pytest.raises(ValueError, match="Attr 'i' of .* Op passed 1 less than minimum 2."):
        op_def(1)
    with pytest.raises(ValueError, match="Attr 'l' of .* Op passed list of length 1 less than minimum 2."):
        op_def(2, l=[1])
    with pytest.raises(ValueError, match='Value for attr \'s\' of "C" is not in the list of allowed values: "A", "B"'):
        op_def(2, s="C")
    with pytest.raises(
        TypeError, match="Value for attr 't' of int32 is not in the list of allowed values: float, double"
    ):
        op_def(2, t=tf.int32)
    for bad in (
        {"i": "x"},
        {"i": 2, "f": "x"},
        {"i": 2, "b": 3},
        {"i": 2, "s": 5},
        {"i": 2, "l": 3},
        {"i": 2, "l": [1, "x"]},
        {"i": 2, "z": "ab"},
    ):
        with pytest.raises(TypeError, match="Expected .* for argument"):
            op_def(**bad)
    with pytest.raises(TypeError):
        op_def()
    with pytest.raises(TypeError):
        op_def(2, nonsense=1)


def test_attributes_without_default_come_first():
    op_def = define(inputs=["x: float"], attrs=["a: int = 1", "b: int"])
    op = op_def(1.0, 7)
    assert (op.get_attr("b"), op.get_attr("a")) == (7, 1)
    op = op_def(1.0, 7, 8)
    assert (op.get_attr("b"), op.get_attr("a")) == (7, 8)


def test_list_defaults_are_not_shared():
    op_def = define(attrs=["l: list(int) = [1]"])
    first = op_def()
    first.get_attr("l").append(2)
    assert op_def().get_attr("l") == [1]


def test_keyword_names_get_an_underscore():
    op_def = define(inputs=["in: float", "lambda: float"], outputs=["y: float"])
    assert op_def(in_=1.0, lambda_=2.0).dtype is tf.float32


def test_reference_inputs_and_outputs():
    op_def = define(inputs=["ref: Ref(T)", "value: T"], outputs=["out: Ref(T)"], attrs=["T: type"])
    v = tf.Variable(1.0)
    out = op_def(v, 2)
    assert out.dtype == tf.float32._as_ref and out.op.inputs[0].dtype._is_ref_dtype
    assert out.op.get_attr("T") is tf.float32
    with pytest.raises(TypeError, match="requires that input 'ref' be a mutable tensor"):
        op_def(tf.constant(1.0), 2.0)
    with pytest.raises(TypeError):
        op_def(v, tf.constant(1))


def test_names_of_converted_inputs():
    op_def = define(inputs=["a: T", "b: N * T"], outputs=["c: T"], attrs=["T: type", "N: int"])
    out = op_def(1.0, [2.0, 3.0], name="here")
    assert out.op.name == "here"
    assert [t.op.name for t in out.op.inputs] == ["here/a", "here/b_0", "here/b_1"]
    assert op_def(1.0, [2.0]).op.name == op_def.name


def test_shape_functions():
    def shape(op):
        if op.inputs[0].dims == (3,):
            raise ValueError("Three is refused")
        return [op.inputs[0].dims]

    op_def = define(inputs=["x: float"], outputs=["y: float"], shape=shape)
    assert op_def([1.0, 2.0]).shape.as_list() == [2]
    assert define(outputs=["y: float"])().shape.dims is None
    with pytest.raises(ValueError) as caught:
        op_def([1.0, 2.0, 3.0], name="bad")
    text = str(caught.value)
    assert "Three is refused for 'bad'" in text and "with input shapes: [3]" in text and __file__ in text


# ---- Random numbers


def test_random_ops_are_those_with_state_and_fractional_pools():
    """RandomGammaGrad and RandomIndexShuffle are functions of their inputs alone."""
    named = {op.name for op in registered_ops() if op.name.startswith("Random")}
    random = {op.name for op in registered_ops() if draws_random_numbers(op.name)}
    assert named & random == {name for name in named if get_op_def(name).stateful}
    assert random - named == {
        "FractionalAvgPool",
        "FractionalMaxPool",
        "Multinomial",
        "ParameterizedTruncatedNormal",
        "TruncatedNormal",
    }
