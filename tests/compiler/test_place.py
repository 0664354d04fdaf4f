"""Placement: names, groups, what contradicts, and what nobody asks for."""

import pytest
from tfcore.core.registry.kernel import ResourceManager

import tfcore as tf
from tfcore.compiler.compile import Compiler
from tfcore.compiler.devices import Devices, cpu_of, device_name, task_of

TASKS = [("ps", 0, 0), ("ps", 0, 1), ("worker", 0, 0), ("worker", 0, 1)]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def cluster():
    return Devices([device_name(task, index=i) for task in TASKS for i in range(2)], ("worker", 0, 1))


def place(fetches, feeds=(), devices=None, soft=False):
    """Operation name -> short device: "ps:0/CPU:1"."""
    compiler = Compiler(ResourceManager(), (), devices or cluster(), soft=soft)
    program = compiler.program(list(fetches), list(feeds), [])
    return {n.name: short(n.device) for n in program.nodes}


def short(device):
    job, _, index = task_of(device)
    return f"{job}:{index}/{device.rpartition('device:')[2]}"


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("", "worker:1/CPU:0"),
        ("/cpu:0", "worker:1/CPU:0"),
        ("/cpu:1", "worker:1/CPU:1"),
        ("/device:CPU:*", "worker:1/CPU:0"),
        ("/job:ps", "ps:0/CPU:0"),
        ("/job:ps/task:1", "ps:1/CPU:0"),
        ("/job:ps/task:1/cpu:1", "ps:1/CPU:1"),
        ("/job:worker", "worker:1/CPU:0"),
        ("/task:0", "worker:0/CPU:0"),
        ("/job:worker/replica:0/task:0/device:CPU:1", "worker:0/CPU:1"),
    ],
)
def test_full_and_partial_names(asked, expected):
    with tf.device(asked):
        x = tf.constant(1.0, name="x")
    tf.placeholder(tf.float32)
    y = tf.identity(x, name="y")
    assert place([x, y])["x"] == expected


def test_device_functions_see_the_operation():
    with tf.device(lambda op: "/job:ps" if op.type == "VariableV2" else "/job:worker/task:0"):
        v = tf.Variable(1.0, name="v")
        y = tf.add(v, 1.0, name="y")
    found = place([y, v.initializer.outputs[0]])
    assert found["v"] == found["v/Assign"] == found["v/read"] == "ps:0/CPU:0" and found["y"] == "worker:0/CPU:0"


def test_who_takes_a_reference_runs_where_the_variable_is():
    with tf.device("/job:ps/task:1"):
        v = tf.Variable([1.0], name="v")
    with tf.device("/job:worker"):
        changed = tf.assign_add(v, [1.0], name="changed")
        again = tf.assign_sub(changed, [1.0], name="again")
    found = place([again])
    assert found["changed"] == found["again"] == "ps:1/CPU:0"


def test_classes_join_operations():
    with tf.device("/job:ps/task:1"):
        a = tf.identity(tf.constant(1.0), name="a")
    with tf.colocate_with(a.op):
        b = tf.identity(tf.constant(2.0), name="b")
    b.op._set_device("")
    with tf.colocate_with(b.op):
        c = tf.identity(tf.constant(3.0), name="c")
    c.op._set_device("/cpu:1")
    assert set(place([a, b, c])[n] for n in "abc") == {"ps:1/CPU:1"}
    assert place([a]) == {"Const": "ps:1/CPU:1", "a": "ps:1/CPU:1"}  # the same in every run


def test_a_class_may_be_named_after_an_operation_that_is_gone():
    with tf.device("/job:ps"):
        a = tf.identity(tf.constant(1.0), name="a")
    b = tf.identity(tf.constant(2.0), name="b")
    for x in (a, b):
        x.op._set_attr("_class", [b"loc:@gone"])
    assert place([b])["b"] == "ps:0/CPU:0"


def test_generators_go_to_their_only_consumer():
    shared, single = tf.constant(1.0, name="shared"), tf.constant(1.0, name="single")
    with tf.device("/job:ps"):
        y = tf.add(shared, single, name="y")
    with tf.device("/job:worker/task:0"):
        z = tf.negative(shared, name="z")
    found = place([y, z])
    assert found["single"] == "ps:0/CPU:0" and found["shared"] == "worker:1/CPU:0"


def test_shapes_are_looked_at_where_the_value_is():
    x = tf.placeholder(tf.float32)
    with tf.device("/job:ps"):
        y = tf.exp(x)
    shape = tf.shape(y, name="shape")
    assert place([shape], [x])["shape"] == "ps:0/CPU:0"


def message_of(error, fetches, **options):
    with pytest.raises(error) as caught:
        place(fetches, **options)
    return str(caught.value), caught.value


def test_a_device_that_does_not_exist():
    with tf.device("/job:ps/task:7"):
        x = tf.identity(tf.constant(1.0, name="c"), name="x")
    text, error = message_of(tf.errors.InvalidArgumentError, [x])
    assert "Cannot assign a device for operation" in text and "was explicitly assigned to /job:ps/task:7" in text
    assert "available devices are [ /job:ps/replica:0/task:0/device:CPU:0, " in text and __file__ in text
    assert error.op.name in "xc"
    message_of(tf.errors.InvalidArgumentError, [x], soft=True)  # tasks are never left


def test_classes_that_contradict():
    with tf.device("/cpu:0"):
        a = tf.identity(tf.constant(1.0), name="a")
    with tf.device("/job:ps/task:1/cpu:1"):
        b = tf.identity(tf.constant(2.0), name="b")
    c = tf.add(a, b, name="c")
    c.op._set_attr("_class", [b"loc:@a", b"loc:@b"])
    text, error = message_of(tf.errors.InvalidArgumentError, [c])
    assert (
        "Cannot colocate nodes {{colocation_node b}} and {{colocation_node a}}: Cannot merge devices with incompatible "
        "ids: "
        "'/device:CPU:0' and '/job:ps/task:1/device:CPU:1'" in text
    )
    for name, device in (("a", "/device:CPU:0"), ("b", "/job:ps/task:1/device:CPU:1")):
        assert f"{name} (Identity) {device} (defined at {__file__}" in text
    assert error.op is b.op
    found = place([c], soft=True)
    assert found["a"] == found["b"] == found["c"] == "ps:1/CPU:0"


def test_jobs_that_contradict_are_not_softened():
    with tf.device("/job:ps"):
        tf.identity(tf.constant(1.0), name="a")
    with tf.device("/job:worker"):
        b = tf.identity(tf.constant(2.0), name="b")
    b.op._set_attr("_class", [b"loc:@a"])
    for soft in (False, True):
        assert (
            "incompatible jobs: '/job:ps' and '/job:worker'"
            in message_of(tf.errors.InvalidArgumentError, [b], soft=soft)[0]
        )


def test_soft_placement_takes_what_there_is():
    with tf.device("/job:ps/gpu:3"):
        a = tf.identity(tf.constant(1.0), name="a")
    with tf.device("/job:worker/task:0/cpu:9"):
        b = tf.identity(a, name="b")
    found = place([b], soft=True)
    assert found["a"] == "ps:0/CPU:0" and found["b"] == "worker:0/CPU:0"


def test_changes_of_the_graph_are_seen():
    a = tf.identity(tf.constant(1.0), name="a")
    b = tf.identity(tf.constant(2.0), name="b")
    compiler = Compiler(ResourceManager(), (), cluster())

    def device_of_a():
        program = compiler.program([a, b], [], [])
        return next(short(n.device) for n in program.nodes if n.name == "a")

    assert device_of_a() == "worker:1/CPU:0"
    a.op._set_device("/job:ps")
    assert device_of_a() == "ps:0/CPU:0"
    b.op._set_device("/cpu:1")
    with tf.colocate_with(a.op), tf.colocate_with(b.op):
        tf.identity(tf.constant(3.0))
    assert device_of_a() == "ps:0/CPU:1"


def test_devices_without_memory_of_their_own():
    assert cpu_of("/job:a/replica:0/task:1/device:NULL:0") == "/job:a/replica:0/task:1/device:CPU:0"
    assert cpu_of("/job:a/replica:0/task:1/device:CPU:3") == "/job:a/replica:0/task:1/device:CPU:3"


def test_a_loop_variable_is_where_its_next_value_is_made():
    x = tf.placeholder(tf.float32, name="x")

    def body(i, a, b):
        with tf.device("/job:ps/task:1"):
            return i + 1, tf.exp(a), b + 1.0

    def far(i, a, b):
        i, a, b = body(i, a, b)
        return i * 1, a, b * 1.0

    found = place(tf.while_loop(lambda i, *_: i < 3, far, [0, x, x], name="loop"), [x])
    of = {
        name: found[f"loop/{name}"] for name in ("Merge", "Merge_1", "Switch", "Switch_1", "Exit", "Exit_1", "Exit_2")
    }
    assert {name for name, where in of.items() if where == "ps:1/CPU:0"} == {"Merge_1", "Switch_1", "Exit_1"}
    assert {found[f"loop/{n}_1"] for n in ("Enter", "NextIteration")} == {"ps:1/CPU:0"}
    assert {where for name, where in found.items() if name.startswith("loop/Less")} == {"worker:1/CPU:0"}


def test_a_conditional_is_where_its_values_are():
    p = tf.placeholder(tf.bool, name="p")
    with tf.device("/job:ps/task:1"):
        x = tf.exp(tf.placeholder(tf.float32, name="x"), name="e")

    def branch(name):
        with tf.device("/job:ps/task:1"):
            return tf.exp(x, name=name)

    found = place([tf.cond(p, lambda: branch("a"), lambda: branch("b"), name="cond")], [p, x.op.inputs[0]])
    assert found["cond/Merge"] == found["cond/a/Switch"] == found["cond/b/Switch"] == "ps:1/CPU:0"
    assert found["cond/pred_id"] == "worker:1/CPU:0"


def test_who_uses_a_handle_is_where_it_was_made():
    with tf.device("/job:ps/task:1"):
        stack = tf.raw_ops.StackV2(max_size=-1, elem_type=tf.float32, name="stack")
    with tf.device("/job:worker/task:0"):
        push = tf.raw_ops.StackPushV2(handle=stack, elem=1.0, name="push")
        with tf.control_dependencies([push]):
            pop = tf.raw_ops.StackPopV2(handle=tf.identity(stack, name="same"), elem_type=tf.float32, name="pop")
    found = place([pop])
    assert {found[name] for name in ("stack", "push", "same", "pop")} == {"ps:1/CPU:0"}
