"""Calls of functions in programs: what takes their place, when it runs, and functional conditionals and loops."""

import time

import numpy as np
import pytest

import tfcore as tf
from tests.compiler.plans import plan_of, session, types_of

pytestmark = pytest.mark.cpu


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feed=None, init=False):
    with tf.Session() as sess:
        if init:
            sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feed)


def names_of(fetches, feed=None, rewrites=()):
    with session(*rewrites) as sess:
        return [op.name for op in plan_of(sess, fetches, feed).ops]


def counter(name="count"):
    return tf.Variable(0, name=name)


# ---- What takes the place of a call


def test_operations_are_named_after_the_call():
    inner = tf.Defun(tf.float32, func_name="Inner")(lambda x: tf.exp(x, name="e"))
    outer = tf.Defun(tf.float32, func_name="Outer")(lambda x: inner(tf.negative(x, name="n"), name="i"))
    y = outer(tf.placeholder(tf.float32, name="x"), name="call")
    assert names_of(y, [y.op.inputs[0]]) == ["call/n", "call/i/e"]


def test_only_what_is_needed_runs():
    f = tf.Defun(tf.float32)(lambda x: (tf.exp(x, name="e"), tf.sin(x, name="s")))
    x = tf.placeholder(tf.float32, name="x")
    first, second = f(x, name="call")
    assert names_of(first, [x]) == ["call/e"] and names_of(second, [x]) == ["call/s"]
    assert sorted(names_of([first, second], [x])) == ["call/e", "call/s"]


def test_arguments_are_outputs():
    f = tf.Defun(tf.float32, tf.float32)(lambda x, y: (y, x, y))
    a, b = tf.placeholder(tf.float32), tf.constant(2.0)
    assert run(list(f(a, b)), {a: 1.0}) == [2, 1, 2]


def test_outputs_can_be_fed():
    f = tf.Defun(tf.float32)(lambda x: (tf.exp(x), x + 1.0))
    first, second = f(tf.placeholder(tf.float32))
    assert run(first * 2.0, {first: 3.0}) == 6
    assert run(first + second, {first: 3.0, second: 4.0}) == 7


def test_rewrites_see_bodies():
    f = tf.Defun(tf.float32)(lambda x: tf.exp(tf.constant(1.0)) * tf.sin(x))
    x = tf.placeholder(tf.float32)
    y = f(x) + f(x)
    with tf.Session() as sess:
        types = types_of(plan_of(sess, y, [x]))
    assert "Exp" not in types and len(types) <= 4  # folded; the second call is the first


def test_gradients_share_what_the_call_computes():
    f = tf.Defun(tf.float32)(lambda x: tf.exp(tf.random_uniform([]) * x))
    x = tf.placeholder(tf.float32)
    y = f(x)
    grad = tf.gradients(y, x)[0]
    with session() as sess:
        both = types_of(plan_of(sess, [y, grad], [x]))
    assert both.count("RandomUniform") == both.count("Exp") == 1
    with session() as sess:
        assert types_of(plan_of(sess, grad, [x])).count("RandomUniform") == 1


def test_state_belongs_to_a_call():
    def draw():
        return tf.random_uniform([], seed=1)

    f = tf.Defun()(draw)
    a, b = f(), f()
    with tf.Session() as sess:
        first, second = [sess.run(a) for _ in range(3)], [sess.run([b, a])[0] for _ in range(3)]
        assert first == second and len(set(first)) == 3
        assert sess.run(a) not in first


def test_errors_name_the_line_of_the_body_and_of_the_call():
    @tf.Defun(tf.float32)
    def body(x):
        return tf.check_numerics(x, "broken")

    y = body(tf.constant(np.nan), name="call")
    with pytest.raises(tf.errors.InvalidArgumentError) as info:
        run(y)
    text = str(info.value)
    assert "broken" in text and "node call/CheckNumerics (op: CheckNumerics)" in text
    assert " in body, called at " in text and "in test_errors_name" in text
    assert info.value.op.name == "call/CheckNumerics" and info.value.op.call is y.op


def test_devices_of_bodies_and_calls():
    v = tf.Variable(1.0, name="v")

    @tf.Defun(tf.float32)
    def f(x):
        with tf.device("/cpu:2"):
            y = tf.exp(x, name="e")
        return y + 1.0, tf.assign_add(v, 1.0)

    v.op._set_device("/cpu:1")
    with tf.device("/cpu:3"):
        y, z = f(tf.placeholder(tf.float32, name="x"), name="call")
    with session(device_count={"CPU": 4}) as sess:
        plan = plan_of(sess, [y, z], [y.op.inputs[0]])
        where = {}
        metadata = tf.RunMetadata()
        sess.run(v.initializer)
        sess.run([y, z], {"x:0": 1.0}, tf.RunOptions(output_partition_graphs=True), metadata)
    for part in metadata.partition_graphs:
        where.update((node.name, node.device[-5:]) for node in part.node)
    assert (where["call/e"], where["call/add"], where["call/AssignAdd"]) == ("CPU:2", "CPU:3", "CPU:1")
    assert len(plan.ops) >= 5


def test_placement_with_colocated_operations():
    @tf.Defun(tf.float32)
    def f(x):
        with tf.device("/cpu:1"):
            a = tf.exp(x, name="a")
        with tf.colocate_with(a):
            b = tf.sin(a, name="b")
        with tf.colocate_with(x):
            return tf.cos(b, name="c")

    with tf.device("/cpu:2"):
        x = tf.negative(tf.placeholder(tf.float32, name="p"), name="x")
    y = f(x, name="call")
    metadata = tf.RunMetadata()
    with session(device_count={"CPU": 3}) as sess:
        sess.run(y, {"p:0": 1.0}, tf.RunOptions(output_partition_graphs=True), metadata)
    where = {node.name: node.device[-5:] for part in metadata.partition_graphs for node in part.node}
    assert (where["call/a"], where["call/b"], where["call/c"]) == ("CPU:1", "CPU:1", "CPU:2")


# ---- Effects and order


def test_effects_happen_whichever_output_is_asked_for():
    v = counter()

    @tf.Defun(tf.float32)
    def f(x):
        change = tf.assign_add(v, 1)
        return x + 1.0, tf.cast(change, tf.float32)

    first, second = f(tf.constant(1.0))
    with tf.Session() as sess:
        sess.run(v.initializer)
        for i, fetch in enumerate([first, second, [first, second], first.op, first * 2.0]):
            sess.run(fetch)
            assert sess.run(v) == i + 1


def test_effects_of_nested_calls():
    v = counter()
    change = tf.Defun()(lambda: None if tf.assign_add(v, 1) is None else None)
    f = tf.Defun(tf.float32)(lambda x: (change(), x + 1.0)[1])
    y = f(1.0)
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(y) == 2 and sess.run(v) == 1


def test_what_waits_for_a_call_waits_for_its_effects():
    v, order = counter(), []

    def slow(x):
        order.append("effect")
        return x

    @tf.Defun(tf.float32)
    def f(x):
        tf.py_func(slow, [x], tf.float32)
        return x

    y = f(1.0)
    with tf.control_dependencies([y.op]):
        after = tf.py_func(lambda: order.append("after") or np.int32(1), [], tf.int32)
    run([after, v], init=True)
    assert order == ["effect", "after"]


def test_a_call_waits_for_its_control_inputs():
    order = []

    def note(text):
        return tf.py_func(lambda: order.append(text) or np.int32(1), [], tf.int32)

    v = tf.Variable(1.0)
    inner = tf.Defun()(lambda: note("inner"))
    f = tf.Defun(tf.float32)(lambda x: (note("body"), inner(), v.read_value() + x))
    first, change = note("first"), v.assign(5.0)
    with tf.control_dependencies([first, change.op]):
        results = f(tf.constant(2.0))
    for _ in range(5):
        order.clear()
        assert run(results, init=True)[2] == 7 and order[0] == "first" and len(order) == 3


def slow(value):
    """A value that comes late, so that what does not wait for it comes first."""
    return tf.py_func(lambda: time.sleep(0.01) or np.float32(value), [], tf.float32)


def test_reads_of_handles_wait_for_the_control_inputs_of_a_call():
    v = tf.Variable([1.0, 2.0], use_resource=True)
    new = tf.Variable([0.0], validate_shape=False, use_resource=True)
    raw = tf.raw_ops

    @tf.Defun(tf.resource, tf.resource)
    def reads(h, other):
        return (
            raw.ReadVariableOp(resource=h, dtype=tf.float32),
            raw.ResourceGather(resource=h, indices=[1], dtype=tf.float32),
            raw.ResourceGatherNd(resource=h, indices=[[1]], dtype=tf.float32),
            raw.VariableShape(input=other),
            raw.VarIsInitializedOp(resource=other),
        )

    captured = tf.Defun()(lambda: v.read_value() * 1.0)
    change = v.assign_add([slow(4.0), slow(5.0)], read_value=False)
    start = raw.AssignVariableOp(resource=new.handle, value=[slow(1.0), 2.0, 3.0])
    with tf.control_dependencies([change, start]):
        outputs = [*reads(v.handle, new.handle), captured()]
    with tf.Session() as sess:
        sess.run(v.initializer)
        read, rows, element, shape, is_there, other = sess.run(outputs)
    assert read.tolist() == other.tolist() == [5, 7] and rows.tolist() == element.tolist() == [7]
    assert shape.tolist() == [3] and is_there


def test_constants_in_a_body_are_folded_all_the_same():
    f = tf.Defun(tf.float32)(lambda x: x * (tf.constant(2.0) + 3.0))
    x = tf.placeholder(tf.float32)
    with tf.control_dependencies([tf.no_op(name="before")]):
        y = f(x)
    with tf.Session() as sess:
        types = types_of(plan_of(sess, y, [x]))
    assert types.count("Mul") == 1 and not {"Add", "AddV2"} & set(types)


# ---- Inside conditionals and loops


def test_calls_in_a_conditional():
    v = counter()

    @tf.Defun()
    def effect():
        return tf.assign_add(v, 1)

    f = tf.Defun(tf.float32)(lambda x: (x * tf.constant(2.0) + tf.constant([1.0, 2.0]), effect())[0])
    p, x = tf.placeholder(tf.bool), tf.placeholder(tf.float32, [2])
    y = tf.cond(p, lambda: f(x), lambda: x - 1.0)
    z = tf.cond(p, lambda: tf.constant(1), lambda: effect() + 100)
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(y, {p: True, x: [1, 2]}).tolist() == [3, 6] and sess.run(v) == 1
        assert sess.run(y, {p: False, x: [1, 2]}).tolist() == [0, 1] and sess.run(v) == 1
        assert sess.run(z, {p: True}) == 1 and sess.run(v) == 1
        assert sess.run(z, {p: False}) == 102 and sess.run(v) == 2


def test_calls_in_a_branch_that_is_not_taken_are_dead():
    constant = tf.Defun(tf.float32)(lambda x: tf.constant(7.0))
    same = tf.Defun(tf.float32)(lambda x: x)
    nested = tf.Defun(tf.float32)(lambda x: constant(same(x)))
    p, x = tf.placeholder(tf.bool), tf.placeholder(tf.float32)
    seen = []

    def after_call():
        with tf.control_dependencies([same(x).op]):
            return tf.py_func(lambda: seen.append(1) or np.float32(5), [], tf.float32)

    y = tf.cond(p, lambda: constant(x), lambda: nested(x) + 1.0)
    z = tf.cond(p, lambda: x, after_call)
    with tf.Session() as sess:
        for _ in range(3):
            assert sess.run(y, {p: True, x: 1.0}) == 7 and sess.run(y, {p: False, x: 1.0}) == 8
        assert sess.run(z, {p: True, x: 1.0}) == 1 and seen == []
        assert sess.run(z, {p: False, x: 1.0}) == 5 and seen == [1]


def test_calls_in_a_loop():
    v = counter()

    @tf.Defun(tf.float32)
    def f(x):
        k = tf.constant(2.0)
        tf.assign_add(v, 1)
        return x * k + tf.random_uniform([]) * 0.0

    start = tf.placeholder(tf.float32)
    i, y = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, f(f(a))), [0, start])
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run([i, y], {start: 1.0}) == [5, 1024] and sess.run(v) == 10


@pytest.mark.parametrize("use_resource", [False, True])
def test_calls_in_conditionals_and_loops_wait_for_their_control_inputs(use_resource):
    v = tf.Variable(1.0, use_resource=use_resource)

    @tf.Defun(tf.float32)
    def doubled(x):
        with tf.control_dependencies([v.assign(v.read_value() * 2.0).op]):
            return v.read_value() + 0.0 * x

    def after_change(x):
        with tf.control_dependencies([v.assign_add(slow(1.0)).op]):
            return tf.reshape(doubled(x), [])

    x = tf.placeholder_with_default(0.0, [])
    y = tf.cond(x < 1.0, lambda: after_change(x), lambda: x)
    z = tf.while_loop(
        lambda i, _: i < 3, lambda i, a: (i + 1, a * 100.0 + after_change(a)), [0, x], parallel_iterations=1
    )[1]
    with tf.Session() as sess:
        for fetch, expected in ((y, 4), (z, 41022)):
            sess.run(v.initializer)
            assert sess.run(fetch) == expected


def test_functions_of_programs_in_loops_wait_for_their_control_inputs():
    order = []

    def note(text, x):
        return tf.py_func(lambda x: order.append(text) or x, [x], tf.float32)

    f = tf.Defun(tf.float32)(lambda x: note("body", x))

    def body(i, x):
        with tf.control_dependencies([note("before", slow(1.0) + x)]):
            return i + 1, tf.reshape(f(x), [])

    run(tf.while_loop(lambda i, _: i < 3, body, [0, 0.0], parallel_iterations=1))
    assert order == ["before", "body"] * 3


def test_loops_in_bodies_are_loops_of_each_call():
    @tf.Defun(tf.float32)
    def power(x):
        return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])[1]

    @tf.Defun(tf.float32)
    def choose(x):
        return tf.cond(x > 2.0, lambda: power(x), lambda: power(power(x)) + tf.constant(0.5))

    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    both = [power(a) + power(b), choose(a), choose(b), choose(choose(a))]
    assert run(both, {a: 1.0, b: 3.0}) == [82, 1.5, 81, 1.5**16 + 0.5]
    y = tf.while_loop(lambda i, x: i < 2, lambda i, x: (i + 1, power(x)), [0, b])[1]
    assert run(y, {b: 1.5}) == 1.5**16


# ---- Functional conditionals and loops


def branches():
    v = counter()

    @tf.Defun(tf.float32, tf.float32)
    def then(x, y):
        tf.assign_add(v, 1)
        return x + y, tf.constant(1)

    @tf.Defun(tf.float32, tf.float32)
    def other(x, y):
        return tf.constant([7.0, 8.0]), tf.constant(2)

    then(tf.zeros([2]), 1.0)  # defines them where v is
    return v, then, other


@pytest.mark.parametrize("op", ["If", "StatelessIf"])
def test_if(op):
    # The captured variable is an input as well.
    v, then, other = branches()
    double = tf.Defun(tf.float32)(lambda x: (x * 2.0, tf.constant(1)))
    seven = tf.Defun(tf.float32)(lambda x: (tf.constant([7.0, 8.0]), tf.constant(2)))
    x, p = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.bool)
    results = getattr(tf.raw_ops, op)(
        cond=p, input=[x], Tout=[tf.float32, tf.int32], then_branch=double, else_branch=seven
    )
    assert [t.shape.as_list() for t in results] == [[2], []]
    for value, wanted in ((True, ([2, 4], 1)), (False, ([7, 8], 2))):
        got = run(results, {p: value, x: [1, 2]})
        assert got[0].tolist() == wanted[0] and got[1] == wanted[1]
    number = tf.placeholder(tf.int64, [])
    y = tf.raw_ops.If(cond=number, input=[x], Tout=[tf.float32, tf.int32], then_branch=double, else_branch=seven)[0]
    assert run(y, {number: 3, x: [1, 2]}).tolist() == [2, 4] and run(y, {number: 0, x: [1, 2]}).tolist() == [7, 8]
    with pytest.raises(tf.errors.UnimplementedError, match="must be a scalar bool or number"):
        run(
            tf.raw_ops.If(cond="a", input=[x], Tout=[tf.float32, tf.int32], then_branch=double, else_branch=seven),
            {x: [1, 2]},
        )


def test_effects_in_branches():
    v, then, other = branches()
    wrapped = tf.Defun(tf.float32)(lambda x: then(x, x)[0])
    keep = tf.Defun(tf.float32)(lambda x: x)
    assert wrapped(1.0).op.inputs[1] is v._ref()
    p, x = tf.placeholder(tf.bool), tf.constant(1.0)

    @tf.Defun(tf.bool, tf.float32)
    def choose(p, x):
        return tf.cond(p, lambda: wrapped(x), lambda: keep(x))

    y = choose(p, x)
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(y, {p: True}) == 2 and sess.run(v) == 1
        assert sess.run(y, {p: False}) == 1 and sess.run(v) == 1
    changes = tf.Defun(tf.int32)(lambda x: tf.py_func(lambda a: seen.append(a) or a, [x], tf.int32) is None or None)
    nothing = tf.Defun(tf.int32)(lambda x: None)
    seen = []
    op = tf.raw_ops.If(cond=p, input=[3], Tout=[], then_branch=changes, else_branch=nothing)
    run(op, {p: False})
    assert seen == []
    run(op, {p: True})
    assert seen == [3]


@pytest.mark.parametrize("op", ["Case", "StatelessCase"])
def test_case(op):
    functions = [_adding(k) for k in (10.0, 20.0, 30.0)]
    i, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32)
    y = getattr(tf.raw_ops, op)(branch_index=i, input=[x], Tout=[tf.float32], branches=functions)[0]
    assert [run(y, {i: n, x: 1.0}) for n in (0, 1, 2, 3, -1)] == [11, 21, 31, 31, 31]
    one = tf.raw_ops.Case(branch_index=i, input=[x], Tout=[tf.float32], branches=functions[:1])[0]
    assert run(one, {i: 5, x: 1.0}) == 11


def _adding(k):
    return tf.Defun(tf.float32)(lambda x: x + tf.constant(k))


@pytest.mark.parametrize("op", ["While", "StatelessWhile"])
def test_while(op):
    cond = tf.Defun(tf.int32, tf.float32)(lambda i, x: i < tf.constant(5))
    body = tf.Defun(tf.int32, tf.float32)(lambda i, x: (i + 1, tf.concat([x, tf.constant([1.0])], 0)))
    x = tf.placeholder(tf.float32, [2])
    i, y = getattr(tf.raw_ops, op)(input=[0, x], cond=cond, body=body)
    n, values = run([i, y], {x: [3, 4]})
    assert n == 5 and values.tolist() == [3, 4, 1, 1, 1, 1, 1]
    i, y = getattr(tf.raw_ops, op)(input=[7, x], cond=cond, body=body)
    assert run(i) == 7 and run(y, {x: [3, 4]}).tolist() == [3, 4]
    nested = tf.Defun(tf.int32, tf.float32)(
        lambda i, x: (i + 1, x + tf.reduce_sum(getattr(tf.raw_ops, op)(input=[2, [x]], cond=cond, body=body)[1]))
    )
    y = getattr(tf.raw_ops, op)(input=[3, 1.0], cond=cond, body=nested)[1]
    assert run(y) == (1 + 1 + 3) + (5 + 3)


def test_functional_ops_that_do_not_fit():
    f = tf.Defun(tf.float32)(lambda x: x)
    p, x = tf.constant(True), tf.constant(1.0)

    def fails(match, *outputs):
        with pytest.raises(tf.errors.InvalidArgumentError, match=match):
            run(outputs)

    fails(
        "Branch .* of If gives .float32., but .int32. is expected",
        *tf.raw_ops.If(cond=p, input=[x], Tout=[tf.int32], then_branch=f, else_branch=f),
    )
    two = tf.raw_ops.If(cond=p, input=[x, x], Tout=[tf.float32], then_branch=f, else_branch=f)
    fails(r"takes \(float32\), but gets \(float32, float32\)", *two)
    fails("must give one bool", *tf.raw_ops.While(input=[x], cond=f, body=f))
    yes = tf.Defun(tf.float32)(lambda x: x < 3.0)
    fails("does not give values of the types that it takes", *tf.raw_ops.While(input=[x], cond=yes, body=yes))
    with pytest.raises(tf.errors.InvalidArgumentError, match="has no values to loop over"):
        run(tf.raw_ops.While(input=[], cond=f, body=f))
    call = tf.raw_ops.PartitionedCall(args=[x], Tout=[tf.int32], f=f)
    fails(r"gives \(float32\), but \(int32\) is expected", *call)
    with pytest.raises(tf.errors.NotFoundError, match="Function Nowhere is not defined"):
        run(tf.raw_ops.StatefulPartitionedCall(args=[x], Tout=[tf.float32], f="Nowhere"))


def test_partitioned_calls():
    v = counter()
    f = tf.Defun(tf.float32)(lambda x: x * 3.0)
    change = tf.Defun()(lambda: tf.assign_add(v, 1))
    x = tf.placeholder(tf.float32, [2])
    y = tf.raw_ops.PartitionedCall(args=[x], Tout=[tf.float32], f=f)[0]
    z = tf.raw_ops.StatefulPartitionedCall(args=[y], Tout=[tf.float32], f=f)[0]
    assert z.shape.as_list() == [2] and run(z, {x: [1, 2]}).tolist() == [9, 18]
    grad = tf.gradients(z, x)[0]
    assert run(grad, {x: [1, 2]}).tolist() == [9, 9]
    assert change().op.type == change.name
