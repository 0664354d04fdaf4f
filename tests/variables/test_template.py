"""tf.make_template: one set of variables for all calls."""

import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def scaled(x, name="w"):
    tf.get_variable("local", [], collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    return x * tf.get_variable(name, [], initializer=tf.constant_initializer(2.0))


def test_calls_share_variables():
    template = tf.make_template("t", scaled)
    assert template.variables == [] and template.variable_scope is None and template.variable_scope_name is None
    a, b = template(1.0), template(3.0)
    assert [v.op.name for v in template.variables] == ["t/w", "t/local"]
    assert template.trainable_variables == tf.trainable_variables() == template.global_variables
    assert template.local_variables == tf.local_variables() and not template.non_trainable_variables
    assert (template.name, template.variable_scope.name, template.variable_scope_name) == ("t", "t", "t/")
    assert (a.op.name, b.op.name) == ("t/mul", "t_1/mul")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run([a, b]) == [2, 6]


def test_what_checkpoints_save(tmp_path):
    def function(x):
        with tf.variable_scope("in"):
            y = tf.get_variable("y", [], initializer=tf.constant_initializer(3.0))
            x = tf.make_template("inner", scaled)(x)
        return tf.make_template("empty", tf.identity)(scaled(x * y, "u"))

    module = tf.Module()
    with tf.variable_scope("outside"):
        module.t = template = tf.make_template("t", function)
    checkpoint = tf.train.Checkpoint(m=module)
    template(1.0)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        path = checkpoint.write(tmp_path / "m")
        names = [name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name, _ in tf.train.list_variables(path)]
        assert names[1:] == ["m/t/in.Sinner/local", "m/t/in.Sinner/w", "m/t/in.Sy", "m/t/local", "m/t/u"]
        before = session.run(template.variables)
        session.run([v.assign(0.0) for v in template.variables])
        checkpoint.restore(path).run_restore_ops()
        assert session.run(template.variables) == before


def test_templates_of_one_name_are_different():
    first, second = tf.make_template("t", scaled), tf.make_template("t", scaled)
    first(1.0), second(1.0), first(1.0)
    assert [v.op.name for v in tf.trainable_variables()] == ["t/w", "t_1/w"]


def test_unique_name():
    tf.make_template("s", scaled, unique_name_="t")(1.0)
    with pytest.raises(ValueError, match="Variable t/local already exists(.|\n)*originally defined at"):
        tf.make_template("s", scaled, unique_name_="t")(1.0)


@pytest.mark.parametrize("now", [False, True])
def test_where_the_scope_is_chosen(now):
    with tf.variable_scope("here"):
        template = tf.make_template("t", scaled, create_scope_now_=now)
    with tf.variable_scope("there"):
        template(1.0)
    assert tf.trainable_variables()[0].op.name == ("here/t/w" if now else "there/t/w")


def test_arguments_and_getter():
    seen = []

    def getter(getter, name, *args, **kwargs):
        seen.append(name)
        return getter(name, *args, **kwargs)

    tf.make_template("t", scaled, custom_getter_=getter, name="other")(1.0)
    assert seen == ["t/local", "t/other"]


def test_nested_templates():
    inner = tf.make_template("inner", scaled)
    outer = tf.make_template("outer", lambda x: inner(inner(x)))
    outer(1.0), outer(2.0)
    assert [v.op.name for v in tf.trainable_variables()] == ["outer/inner/w"]


def test_a_failed_first_call_can_be_repeated():
    failures = [RuntimeError("no")]

    def function():
        if failures:
            raise failures.pop()
        return tf.get_variable("v", [])

    template = tf.make_template("t", function)
    with pytest.raises(RuntimeError, match="no\n\noriginally defined at"):
        template()
    assert template() is template()


def test_later_calls_create_no_variables():
    template = tf.make_template("t", lambda: tf.Variable(1.0))
    template()
    with pytest.raises(ValueError, match="Trainable variable created when calling a template after the first time"):
        template()
    with pytest.raises(ValueError, match="name cannot be None"):
        tf.make_template(None, scaled)
