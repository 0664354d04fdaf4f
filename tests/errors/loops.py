"""Conditionals and loops: functions that return the wrong things, shapes that grow, values that leak out."""

from tests.errors.table import wrong


@wrong("TypeError", "pred' must not be a Python bool")
def condition_of_python(tf, sess):
    tf.cond(3 > 2, lambda: tf.constant(1), lambda: tf.constant(2))  # <- wrong


@wrong("ValueError", "Received int32 from 'true_fn' and float32 from 'false_fn'")
def branches_of_two_types(tf, sess):
    p = tf.placeholder(tf.bool, [])
    tf.cond(p, lambda: 1, lambda: 2.0)  # <- wrong


@wrong("ValueError", "the same nested structure", "number of elements|is a sequence")
def branches_of_two_lengths(tf, sess):
    p = tf.placeholder(tf.bool, [])
    tf.cond(p, lambda: [1, 2, 3], lambda: [1, 2])  # <- wrong


@wrong("ValueError", "'false_fn' must have a return value")
def branch_without_result(tf, sess):
    p = tf.placeholder(tf.bool, [])
    tf.cond(p, lambda: 1, lambda: None)  # <- wrong


@wrong("InvalidArgumentError", "divi", op="cond")
def division_in_the_branch_that_is_taken(tf, sess):
    x = tf.placeholder(tf.int32, [])
    y = tf.cond(
        tf.equal(x, 0),
        lambda: 10 // x,  # <- wrong
        lambda: x,
    )
    return lambda: sess.run(y, {x: 0})


@wrong("InvalidArgumentError", "None of conditions evaluated as True", op="case")
def no_case_holds(tf, sess):
    x = tf.placeholder(tf.int32, [])
    y = tf.case([(x > 3, lambda: 1), (x < 0, lambda: 2)])  # <- wrong
    return lambda: sess.run(y, {x: 2})


@wrong("InvalidArgumentError", "more than 1 conditions", "evaluated as True", op="case")
def two_exclusive_cases_hold(tf, sess):
    x = tf.placeholder(tf.int32, [])
    y = tf.case([(x > 3, lambda: 1), (x > 2, lambda: 2)], default=lambda: 3, exclusive=True)  # <- wrong
    return lambda: sess.run(y, {x: 5})


@wrong("ValueError", r"'start:0' enters the loop with shape \(1,\), but has shape \(2,\)", "shape_invariants")
def loop_variable_that_grows(tf, sess):
    start = tf.zeros([1], name="start")
    tf.while_loop(lambda x: tf.reduce_sum(x) < 3, lambda x: tf.concat([x, [1.0]], 0), [start])  # <- wrong


@wrong("ValueError", r"invariant specified for start:0", r"\(1,\)", r"\(2,\)")
def invariant_that_does_not_hold_at_the_start(tf, sess):
    start = tf.zeros([1], name="start")
    tf.while_loop(lambda x: True, lambda x: x, [start], [tf.TensorShape([2])])  # <- wrong


@wrong("ValueError", "the same nested structure", "number of elements")
def body_that_forgets_a_variable(tf, sess):
    tf.while_loop(lambda i, x: i < 3, lambda i, x: i + 1, [0, 1.0])  # <- wrong


@wrong("ValueError", "the same nested structure", "number of elements")
def body_with_one_more_variable(tf, sess):
    tf.while_loop(lambda i: i < 3, lambda i: [i + 1, i], [0])  # <- wrong


@wrong("TypeError", "argument")
def body_of_other_arguments(tf, sess):
    tf.while_loop(lambda i, x: i < 3, lambda i: i + 1, [0, 1.0])  # <- wrong


@wrong("ValueError", "None values not supported")
def body_without_result(tf, sess):
    tf.while_loop(lambda i: i < 3, lambda i: None, [0])  # <- wrong


@wrong("TypeError", "int32", "bool")
def condition_that_is_a_number(tf, sess):
    tf.while_loop(lambda i: 10 - i, lambda i: i + 1, [0])  # <- wrong


@wrong("ValueError", "Shape must be rank 0 but is rank 1", "LoopCond")
def condition_that_is_a_vector(tf, sess):
    tf.while_loop(lambda x: x < 3.0, lambda x: x + 1.0, [tf.zeros([2])])  # <- wrong


@wrong("ValueError", "'loop_vars' must be provided")
def loop_without_variables(tf, sess):
    tf.while_loop(lambda: True, lambda: [], [])  # <- wrong


@wrong("ValueError", r"Cannot use 'while/leak' as input to '\w+' because 'while/leak' is in a while loop")
def value_that_leaks_out_of_a_loop(tf, sess):
    leaked = []

    def body(i):
        leaked.append(tf.identity(i, name="leak"))
        return i + 1

    tf.while_loop(lambda i: i < 3, body, [0])
    tf.add(leaked[0], 1)  # <- wrong


@wrong("ValueError", r"Cannot use 'while/leak' as input to 'while_1/\w+' because they are in different while loops")
def value_of_another_loop(tf, sess):
    leaked = []

    def body(i):
        leaked.append(tf.identity(i, name="leak"))
        return i + 1

    tf.while_loop(lambda i: i < 3, body, [0])
    tf.while_loop(lambda i: i < 3, lambda i: i + leaked[0], [0])  # <- wrong


@wrong("ValueError", "loop/inside.* has been marked as not fetchable")
def fetch_out_of_a_loop(tf, sess):
    tf.while_loop(lambda i: i < 3, lambda i: tf.add(i, 1, name="inside"), [0], name="loop")
    return lambda: sess.run("loop/inside:0")  # <- wrong


@wrong("ValueError", "loop/inside:0.* may not be fed")
def feed_into_a_loop(tf, sess):
    result = tf.while_loop(lambda i: i < 3, lambda i: tf.add(i, 1, name="inside"), [0], name="loop")
    return lambda: sess.run(result, {"loop/inside:0": 3})  # <- wrong


@wrong("ValueError", "Variable.*is from inside a control-flow +construct", "use a lambda")
def initial_value_out_of_a_loop(tf, sess):
    def body(i):
        tf.Variable(tf.zeros([2]))  # <- wrong
        return i + 1

    tf.while_loop(lambda i: i < 3, body, [0])


@wrong("InvalidArgumentError", "out of bounds|indices", op="while")
def index_that_runs_out_of_a_vector(tf, sess):
    x = tf.constant([1, 2, 3])
    n = tf.placeholder(tf.int32, [])

    def body(i, total):
        return i + 1, total + tf.gather(x, i)  # <- wrong

    result = tf.while_loop(lambda i, total: i < n, body, [0, 0])
    return lambda: sess.run(result, {n: 10})


@wrong("ValueError", "'maximum_iterations' must be a scalar", r"\(2,\)")
def limits_that_are_a_vector(tf, sess):
    tf.while_loop(lambda i: True, lambda i: i + 1, [0], maximum_iterations=[3, 4])  # <- wrong


@wrong("TypeError", "parallel_iterations' must be a positive integer")
def no_parallel_iterations(tf, sess):
    tf.while_loop(lambda i: True, lambda i: i + 1, [0], parallel_iterations=0)  # <- wrong


@wrong("TypeError", "branch_index' must be an integer Tensor")
def switch_of_a_fraction(tf, sess):
    tf.switch_case(tf.constant(1.0), [lambda: 1, lambda: 2])  # <- wrong
