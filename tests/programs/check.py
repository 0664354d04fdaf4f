"""Whether a random program does the same as a graph in a step and in plain Python, and in TensorFlow."""

import re

import numpy as np

import tfcore as tf
from tests.programs import graph, plain

# TensorFlow 2.21 gives a loop variable on which nothing depends float32 zeros as its gradient, whatever its type, if
# its shape is not known (control_flow/gradient_state.py, PostProcessing); such a graph does not run.
_ZEROS_WITHOUT_DTYPE = "b_switch was passed float from .* incompatible with expected double"


class Expected:
    """What plain Python finds: `results` {variable: array}, `state` {name: array}, `gradients` {input: array}; with
    `second` the gradients of a weighted sum of the gradients."""

    def __init__(self, program, second=False):
        duals, self.state = plain.run(program)
        self.results = {v: dual.value for v, dual in duals.items()}
        along = _slopes(program, duals)
        if second:
            weights = np.concatenate([graph.second_weights(program, v).reshape(-1) for v in program.float_inputs()])
            curved = [_slopes(program, plain.run(program, k)[0]) for k in range(len(weights))]
            along = np.array([np.sum(np.imag(c) * weights) / plain.STEP for c in curved])
        self.gradients, first = {}, 0
        for v in program.float_inputs():
            shape = program.types[v].shape
            size = int(np.prod(shape, dtype=int))
            self.gradients[v] = along[first : first + size].reshape(shape)
            first += size


def _slopes(program, duals):
    """Derivatives of the loss along each direction."""
    total = sum(int(np.prod(program.types[v].shape, dtype=int)) for v in program.float_inputs())
    result = np.zeros(total)
    for v in program.float_results():
        tangent = duals[v].tangent
        if tangent is not None:
            weighted = tangent * graph.weights(program, v)
            result = result + weighted.reshape(total, -1).sum(1)
    return result


def bounds(program):
    """Relative and absolute deviation that rounding may cause."""
    single = any(kind.dtype == "float32" for kind in program.types.values())
    return {"rtol": 3e-4, "atol": 3e-5} if single else {"rtol": 1e-9, "atol": 1e-10}


class Runs:
    """A program in a graph of tfcore and what a step of it gives, by the names of tensors."""

    def __init__(self, program, gradients=True, second=False):
        self.program = program
        with tf.Graph().as_default() as self.graph:
            self.built = built = graph.build(tf, program, gradients, second)
            self.initializer = tf.global_variables_initializer()
            self.reads = {name: variable.value() for name, variable in built.state.items()}
        self.feeds = {built.inputs[v].name: value for v, value in program.inputs.items()}
        self.fetches = list(built.results.values())
        self.fetches += [g for g in built.gradients.values() if g is not None]
        self.fetches += [] if built.done is None else [built.done]

    def values(self):
        """{name of a tensor: value} of a step, and {name: value} of the variables after it."""
        with tf.Session(graph=self.graph) as sess:
            sess.run(self.initializer)
            found = sess.run({t.name: t for t in self.fetches}, self.feeds)
            return found, sess.run(self.reads)

    def gradients_alone(self):
        """{name of a gradient: value} of a step that fetches no result."""
        with tf.Session(graph=self.graph) as sess:
            sess.run(self.initializer)
            return sess.run({g.name: g for g in self.built.gradients.values() if g is not None}, self.feeds)

    def values_in(self, peer):
        """The same in TensorFlow, from the GraphDef."""
        with self.graph.as_default():
            data = self.graph.as_graph_def().SerializeToString()
        names = [t.name for t in self.fetches]
        steps = [
            {"feeds": {}, "targets": [self.initializer.name]},
            {"feeds": self.feeds, "fetches": names},
            {"feeds": {}, "fetches": [t.name for t in self.reads.values()]},
        ]
        answer = peer.ask(graph=data, steps=steps)
        assert "error" not in answer, answer["error"]
        _, found, state = answer["values"]
        return found, {name: state[t.name] for name, t in self.reads.items()}

    def compare(self, values, expected):
        """Raises AssertionError where the values of a step are not what is expected."""
        found, state = values
        limits = bounds(self.program)
        for v, tensor in self.built.results.items():
            np.testing.assert_allclose(found[tensor.name], expected.results[v], err_msg=f"result {v}", **limits)
        for name, value in expected.state.items():
            np.testing.assert_allclose(state[name], value, err_msg=f"variable {name}", **limits)
        self.compare_gradients(found, expected)

    def compare_gradients(self, found, expected):
        for v, gradient in self.built.gradients.items():
            value = np.zeros_like(expected.gradients[v]) if gradient is None else found[gradient.name]
            np.testing.assert_allclose(value, expected.gradients[v], err_msg=f"gradient of {v}", **bounds(self.program))


def check(program):
    """tfcore's values and gradients are those of plain Python."""
    runs, expected = Runs(program), Expected(program)
    runs.compare(runs.values(), expected)
    runs.compare_gradients(runs.gradients_alone(), expected)


def check_second_order(program):
    """Checks gradients of gradients. Returns whether there are any: those of a conditional in a loop are rejected."""
    try:
        runs = Runs(program, second=True)
    except TypeError as error:
        assert "Second-order gradient for while loops not supported" in str(error)
        return False
    runs.compare(runs.values(), Expected(program, second=True))
    return True


def check_imported(program):
    """The gradients that are added to an imported GraphDef, which has no contexts, are those of plain Python."""
    forward, expected, limits = Runs(program, gradients=False), Expected(program), bounds(program)
    inputs = program.float_inputs()
    with forward.graph.as_default():
        graph_def = forward.graph.as_graph_def()
    names = [forward.built.loss.name, *(forward.built.inputs[v].name for v in inputs)]
    with tf.Graph().as_default(), tf.Session() as sess:
        loss, *xs = tf.import_graph_def(graph_def, return_elements=names, name="prefix")
        gradients = tf.gradients(loss, xs, unconnected_gradients="zero")
        sess.run(f"prefix/{forward.initializer.name}")
        found = sess.run(gradients, {f"prefix/{name}": value for name, value in forward.feeds.items()})
    for v, value in zip(inputs, found):
        np.testing.assert_allclose(value, expected.gradients[v], err_msg=f"gradient of {v}", **limits)


def check_in(peer, program):
    """The same GraphDef in TensorFlow gives what plain Python does; so do the gradients that TensorFlow adds to an
    exported MetaGraphDef, there and when tfcore runs the GraphDef that TensorFlow writes then."""
    expected = Expected(program)
    runs = Runs(program)
    runs.compare(runs.values_in(peer), expected)
    forward = Runs(program, gradients=False)
    inputs = program.float_inputs()
    with forward.graph.as_default():
        meta = tf.train.export_meta_graph()
    names = [[forward.built.loss.name], [forward.built.inputs[v].name for v in inputs], []]
    steps = [{"feeds": {}, "targets": [forward.initializer.name]}, {"feeds": forward.feeds, "gradients": True}]
    answer = peer.ask(meta_graph=meta.SerializeToString(), gradients=names, steps=steps)
    if re.search(_ZEROS_WITHOUT_DTYPE, str(answer.get("error"))):
        return
    assert "error" not in answer, answer["error"]
    assert isinstance(answer["gradients"], list), answer["gradients"]
    gradients = dict(zip(inputs, answer["gradients"]))
    fetches = [name for name in gradients.values() if name is not None]
    here = _run_imported(answer["graph"], forward.initializer.name, fetches, forward.feeds)
    for values in (answer["values"][1], here):
        for v, name in gradients.items():
            value = np.zeros_like(expected.gradients[v]) if name is None else values[name]
            np.testing.assert_allclose(value, expected.gradients[v], err_msg=f"gradient of {v}", **bounds(program))


def _run_imported(graph_def, initializer, fetches, feeds):
    """A step of a serialized GraphDef, to which TensorFlow has added operations that save variables."""
    wanted = [initializer, *(name.partition(":")[0] for name in [*fetches, *feeds])]
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(tf.graph_util.extract_sub_graph(tf.GraphDef.FromString(graph_def), wanted), name="")
        sess.run(initializer)
        return dict(zip(fetches, sess.run(fetches, feeds)))
