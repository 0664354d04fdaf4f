"""Runs an exported model in onnxruntime and compares it with the session."""

import numpy as np
import onnxruntime

import tfcore as tf
import tfcore.onnx


def compare(session, inputs, outputs, values, tolerance=1e-5):
    """Exports the graph from `inputs` to `outputs`; both give equal results for `values`. Returns the model."""
    model = tfcore.onnx.export(session, inputs, outputs)
    expected = session.run(list(outputs), dict(zip(inputs, values)))
    found = run(model, values)
    assert len(found) == len(expected)
    for wanted, got in zip(expected, found):
        wanted = np.asarray(wanted)
        assert got.dtype == wanted.dtype and got.shape == wanted.shape, (
            got.dtype,
            wanted.dtype,
            got.shape,
            wanted.shape,
        )
        if wanted.dtype.kind == "f":
            np.testing.assert_allclose(got, wanted, rtol=tolerance, atol=tolerance)
        else:
            assert got.tolist() == wanted.tolist()
    return model


def run(model, values):
    """What onnxruntime computes for the inputs in their order."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    content = model if isinstance(model, (str, bytes)) else model.SerializeToString()
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    return session.run(None, {given.name: np.asarray(value) for given, value in zip(session.get_inputs(), values)})


def placeholders(values, static=False):
    """Placeholders for arrays, whose first dimension is unknown unless they are to be static."""
    return [
        tf.placeholder(tf.as_dtype(v.dtype), list(v.shape) if static or not v.shape else [None, *v.shape[1:]], f"x{i}")
        for i, v in enumerate(values)
    ]
