"""Signatures and the tensors that they name."""

import pytest

import tfcore as tf
from tfcore.framework import protos

utils = tf.saved_model.signature_def_utils


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def placeholders():
    return tf.placeholder(tf.string, [None], "s"), tf.placeholder(tf.float32, [None, 3], "f")


def test_tensor_infos(graph):
    text, numbers = placeholders()
    info = tf.saved_model.build_tensor_info(numbers)
    assert (info.name, info.dtype, [d.size for d in info.tensor_shape.dim]) == ("f:0", 1, [-1, 3])
    assert tf.saved_model.get_tensor_from_tensor_info(info) is numbers
    assert tf.saved_model.build_tensor_info(tf.placeholder(tf.int8)).tensor_shape.unknown_rank
    sparse = tf.sparse_placeholder(tf.int64, name="p")
    info = tf.saved_model.utils.build_tensor_info(sparse)
    assert info.WhichOneof("encoding") == "coo_sparse"
    found = tf.saved_model.utils.get_tensor_from_tensor_info(info, graph)
    assert [found.indices, found.values, found.dense_shape] == [sparse.indices, sparse.values, sparse.dense_shape]
    with tf.name_scope("inner"):
        inner = tf.constant(1, name="c")
    info = protos.TensorInfo(name="c:0", dtype=3)
    for scope in ("inner", "inner/"):
        assert tf.saved_model.get_tensor_from_tensor_info(info, import_scope=scope) is inner
    with pytest.raises(KeyError, match="c:0"):
        tf.saved_model.get_tensor_from_tensor_info(info)
    with pytest.raises(ValueError, match="Invalid TensorInfo.encoding: None"):
        tf.saved_model.get_tensor_from_tensor_info(protos.TensorInfo(dtype=3))
    info = protos.TensorInfo()
    info.composite_tensor.type_spec.type_spec_class_name = "RaggedTensorSpec"
    with pytest.raises(tf.errors.UnimplementedError, match="RaggedTensorSpec"):
        tf.saved_model.get_tensor_from_tensor_info(info)
    with pytest.raises(TypeError, match="not IndexedSlices"):
        tf.saved_model.build_tensor_info(tf.IndexedSlices(numbers, tf.constant([0])))


def test_what_kinds_of_signatures_have():
    text, numbers = placeholders()
    regress = utils.regression_signature_def(text, numbers)
    assert (list(regress.inputs), list(regress.outputs)) == (["inputs"], ["outputs"])
    classify = utils.classification_signature_def(text, text, numbers)
    assert (list(classify.inputs), sorted(classify.outputs)) == (["inputs"], ["classes", "scores"])
    assert list(utils.classification_signature_def(text, None, numbers).outputs) == ["scores"]
    predict = utils.predict_signature_def({"a": text, "b": numbers}, {"c": numbers})
    assert (sorted(predict.inputs), list(predict.outputs)) == (["a", "b"], ["c"])
    for signature in (regress, classify, predict):
        assert signature.method_name.startswith("tensorflow/serving/")
        assert utils.is_valid_signature(signature)


def test_defaults_of_inputs():
    text, _ = placeholders()
    signature = utils.build_signature_def(defaults={"s": tf.constant([2.5])})
    assert tf.make_ndarray(signature.defaults["s"]).tolist() == [2.5]
    with pytest.raises(ValueError, match="Unable to convert object"):
        utils.build_signature_def(defaults={"s": text})


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda s, f: utils.regression_signature_def(None, f), "Regression examples cannot be None"),
        (lambda s, f: utils.regression_signature_def("s", f), "Regression examples must be a string Tensor"),
        (lambda s, f: utils.regression_signature_def(s, None), "Regression predictions cannot be None"),
        (lambda s, f: utils.regression_signature_def(f, f), "Regression input tensors must be of type string"),
        (lambda s, f: utils.regression_signature_def(s, s), "Regression output tensors must be of type float"),
        (lambda s, f: utils.classification_signature_def(None, s, f), "Classification examples cannot be None"),
        (lambda s, f: utils.classification_signature_def(s, None, None), "cannot both be None"),
        (lambda s, f: utils.classification_signature_def(f, s, f), "Classification input tensors must be of type str"),
        (lambda s, f: utils.classification_signature_def(s, f, f), "Classification classes must be of type string"),
        (lambda s, f: utils.classification_signature_def(s, s, s), "Classification scores must be a float Tensor"),
        (lambda s, f: utils.predict_signature_def({}, {"f": f}), "Prediction inputs cannot be None or empty"),
        (lambda s, f: utils.predict_signature_def({"f": f}, None), "Prediction outputs cannot be None or empty"),
    ],
)
def test_errors(make, error):
    with pytest.raises(ValueError, match=error):
        make(*placeholders())


def test_signatures_that_cannot_be_served():
    text, numbers = map(tf.saved_model.build_tensor_info, placeholders())

    def valid(method, inputs, outputs):
        return utils.is_valid_signature(utils.build_signature_def(inputs, outputs, f"tensorflow/serving/{method}"))

    assert valid("classify", {"inputs": text}, {"classes": text})
    assert not valid("classify", {"inputs": text}, {"classes": text, "more": text})
    assert not valid("classify", {"inputs": text}, {"classes": numbers})
    assert not valid("classify", {"inputs": numbers}, {"classes": text})
    assert not valid("classify", {"inputs": text}, {})
    assert valid("regress", {"inputs": text}, {"outputs": numbers})
    assert not valid("regress", {"inputs": text, "more": text}, {"outputs": numbers})
    assert not valid("regress", {"inputs": text}, {"outputs": text})
    assert valid("predict", {"any": text}, {"thing": text})
    assert not valid("predict", {"any": text}, {}) and not valid("predict", {}, {"any": text})
    assert not valid("other", {"any": text}, {"thing": text})
    assert not utils.is_valid_signature(None)


def test_incomplete_signatures_are_refused(tmp_path):
    builder = tf.saved_model.Builder(tmp_path)
    with tf.Session() as session:
        for info, error in (
            (protos.TensorInfo(dtype=1), "'encoding' fields"),
            (protos.TensorInfo(name="x:0"), "dtype field set"),
        ):
            signature = utils.build_signature_def({"x": info})
            with pytest.raises(AssertionError, match=error):
                builder.add_meta_graph_and_variables(session, ["serve"], {"f": signature})


def test_method_names_are_replaced(tmp_path):
    x = tf.placeholder(tf.float32)
    with tf.Session() as session:
        tf.saved_model.simple_save(session, tmp_path / "m", {"x": x}, {"y": x + 1.0})
    updater = utils.MethodNameUpdater(tmp_path / "m")
    updater.replace_method_name("serving_default", "a/b", tags="serve")
    updater.save(tmp_path / "n")
    with tf.Session(graph=tf.Graph()) as session:
        assert (
            tf.saved_model.load(session, ["serve"], tmp_path / "n").signature_def["serving_default"].method_name
            == "a/b"
        )
    for args, error in (
        (("", "a"), "signature_key must be defined"),
        (("a", ""), "method_name must be defined"),
        (("a", "b"), "does not have a signature_def with key: 'a'"),
        (("serving_default", "b", ["x"]), "tags \\['x'\\] could not be found"),
    ):
        with pytest.raises(ValueError, match=error):
            updater.replace_method_name(*args)


def test_main_operations():
    v = tf.Variable(1.0)
    local = tf.Variable(2.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    restore = v.assign(5.0)
    with tf.Session() as session:
        session.run(tf.saved_model.main_op.main_op())
        assert session.run([v, local]) == [1, 2]
    with tf.Session() as session:
        session.run(tf.saved_model.main_op_with_restore(restore))
        assert session.run(local) == 2
