"""Users' own functions, gradients and libraries, used wrongly."""

import functools
import os
import tempfile

import numpy as np
from tfcore.core.registry.registry import available_levels

from tests.errors.table import wrong

# ---- Python functions as operations


@wrong("ValueError", "Expected func to be callable", "42")
def py_func_of_a_number(tf, sess):
    tf.py_func(42, [1.0], tf.float32)  # <- wrong


@wrong("TypeError|ValueError", "iterable|Expected list|inp")
def py_func_inputs_that_are_no_list(tf, sess):
    tf.py_func(np.sin, 1.0, tf.float32)  # <- wrong


@wrong("TypeError", "complexity|convert")
def py_func_of_an_unknown_type(tf, sess):
    tf.py_func(np.sin, [1.0], "complexity")  # <- wrong


@wrong("InvalidArgumentError", "float64|double", "float32|float\\b")
def py_func_that_returns_another_type(tf, sess):
    y = tf.py_func(lambda x: np.float64(x), [1.0], tf.float32)  # <- wrong
    return lambda: sess.run(y)


@wrong("InvalidArgumentError", "1", "2")
def py_func_that_returns_too_few_values(tf, sess):
    y = tf.py_func(lambda x: [x], [1.0], [tf.float32, tf.float32])  # <- wrong
    return lambda: sess.run(y)


@wrong("InvalidArgumentError", "too small: 1.0")
def py_func_that_raises_a_value_error(tf, sess):
    def check(x):
        raise ValueError(f"too small: {x}")

    y = tf.py_func(check, [1.0], tf.float32)  # <- wrong
    return lambda: sess.run(y)


@wrong("UnknownError", "KeyError", "missing")
def py_func_that_raises_a_key_error(tf, sess):
    y = tf.py_func(lambda x: {}["missing"], [1.0], tf.float32)  # <- wrong
    return lambda: sess.run(y)


@wrong("InvalidArgumentError|UnimplementedError", "returns 0 values, but expects to see 1")
def py_func_that_returns_nothing(tf, sess):
    y = tf.py_func(lambda x: None, [1.0], tf.float32)  # <- wrong
    return lambda: sess.run(y)


@wrong("InvalidArgumentError|ValueError", "TypeError|argument")
def py_func_with_too_many_inputs(tf, sess):
    y = tf.py_func(lambda x: x, [1.0, 2.0], tf.float32)  # <- wrong
    return lambda: sess.run(y)


# ---- Gradients of one's own


@wrong("TypeError", "op_type must be a string")
def gradient_registered_for_a_number(tf, sess):
    tf.RegisterGradient(3)  # <- wrong


@wrong("KeyError", "Registering two gradient with name 'Exp'")
def gradient_registered_twice(tf, sess):
    tf.RegisterGradient("Exp")(lambda op, grad: grad)  # <- wrong


@wrong("KeyError", "Registering two gradient with name 'Exp'")
def known_gradient_declared_to_be_none(tf, sess):
    tf.NotDifferentiable("Exp")  # <- wrong


@wrong("TypeError", "op_type_map must be a dictionary")
def override_map_that_is_a_list(tf, sess):
    with tf.get_default_graph().gradient_override_map(["Exp"]):  # <- wrong
        pass


@wrong("TypeError", "op_type_map must be a dictionary mapping strings to strings")
def override_map_to_a_number(tf, sess):
    with tf.get_default_graph().gradient_override_map({"Exp": 7}):  # <- wrong
        pass


@wrong("LookupError", "No gradient defined for operation 'y'", "Exp")
def override_by_a_name_that_nobody_registered(tf, sess):
    x = tf.constant(1.0)
    with tf.get_default_graph().gradient_override_map({"Exp": "NobodyRegisteredThis"}):
        y = tf.exp(x, name="y")
    tf.gradients(y, x)  # <- wrong


@wrong("TypeError|ValueError", "double.* must return \\(result, grad_fn\\), but returned .*mul:0")
def custom_gradient_that_returns_no_pair(tf, sess):
    @tf.custom_gradient
    def double(x):
        return 2.0 * x

    double(tf.constant(1.0))  # <- wrong


@wrong("ValueError", "gradient|1|2")
def custom_gradient_of_too_few_inputs(tf, sess):
    @tf.custom_gradient
    def product(x, y):
        return x * y, lambda dz: dz

    x, y = tf.constant(1.0), tf.constant(2.0)
    z = product(x, y)
    tf.gradients(z, [x, y])  # <- wrong


@wrong("TypeError", "custom_gradient", "'dict'|{}")
def custom_gradient_of_no_function(tf, sess):
    tf.custom_gradient({})(1.0)  # <- wrong


@wrong("LookupError", "No gradient defined for operation 'y'", "Unique")
def gradient_of_unique(tf, sess):
    x = tf.constant([1.0, 2.0])
    y = tf.unique(x, name="y").y
    tf.gradients(y, x)  # <- wrong


@wrong("LookupError", "No gradient defined for operation 'y'", "ScatterUpdate")
def gradient_through_an_update(tf, sess):
    v, x = tf.Variable([1.0, 2.0], use_resource=False), tf.constant([3.0])
    y = tf.scatter_update(v, [0], x, name="y")
    tf.gradients(y, x)  # <- wrong


@wrong("LookupError", "No gradient defined for operation 'y'", "Bitcast")
def gradient_of_bitcast(tf, sess):
    x = tf.constant([1.0, 2.0])
    y = tf.bitcast(x, tf.bfloat16, name="y")
    tf.gradients(y, x)  # <- wrong


# ---- Libraries


@functools.cache
def file_with(content):
    """The path of a file that lives as long as the process."""
    folder = folder_of_files()
    path = os.path.join(folder.name, f"{hash(content) & 0xFFFFFFFF:x}.so")
    with open(path, "wb") as file:
        file.write(content)
    return path


@functools.cache
def folder_of_files():
    return tempfile.TemporaryDirectory()


@wrong("NotFoundError", "nowhere.so", "No such file")
def library_that_does_not_exist(tf, sess):
    tf.load_op_library("nowhere.so")  # <- wrong


@wrong("NotFoundError", "[Ii]s a directory")
def library_that_is_a_folder(tf, sess):
    tf.load_op_library(folder_of_files().name)  # <- wrong


@wrong("NotFoundError", "invalid ELF header|file too short")
def library_that_is_a_text(tf, sess):
    path = file_with(b"int main(void) { return 0; }\n" * 10)
    tf.load_op_library(path)  # <- wrong


@wrong("NotFoundError", "file too short")
def library_that_is_empty(tf, sess):
    path = file_with(b"")
    tf.load_op_library(path)  # <- wrong


@wrong("NotFoundError", "file too short")
def library_that_was_cut_off(tf, sess):
    with open(os.path.join(tf.sysconfig.get_lib(), f"kernels_{available_levels()[0]}.so"), "rb") as file:
        path = file_with(file.read(3000))
    tf.load_op_library(path)  # <- wrong


@wrong("InvalidArgumentError|NotFoundError", "no symbol tfc_library|not a tfcore kernel library|undefined symbol")
def library_of_something_else(tf, sess):
    import _ctypes

    tf.load_op_library(_ctypes.__file__)  # <- wrong


@wrong("TypeError", "str, bytes or os.PathLike|expected str", "int|float")
def library_named_by_a_number(tf, sess):
    tf.load_op_library(3.5)  # <- wrong
