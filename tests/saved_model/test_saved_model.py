"""SavedModels that are written here: what is in them, several graphs, files, operations to run, errors."""

import os
import shutil

import pytest

import tfcore as tf
from tests.saved_model.test_fixtures import EFFORT, call
from tfcore.framework import protos
from tfcore.saved_model import files
from tfcore.saved_model.builder import _SavedModelBuilder
from tfcore.saved_model.loader import SavedModelLoader, get_init_op, get_train_op


@pytest.fixture(autouse=True)
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def scale(session, value=2.0):
    """A model y = x * v, with its variable initialized, and its signature."""
    x = tf.placeholder(tf.float32, [None], name="x")
    v = tf.get_variable("v", initializer=value)
    session.run(v.initializer)
    return v, tf.saved_model.predict_signature_def({"x": x}, {"y": x * v})


def fresh():
    return tf.Session(graph=tf.Graph())


@pytest.mark.parametrize("as_text", [False, True])
def test_there_and_back(session, tmp_path, as_text):
    _, signature = scale(session)
    builder = tf.saved_model.builder.SavedModelBuilder(tmp_path / "new" / "model")
    builder.add_meta_graph_and_variables(session, ["serve", "b"], {"f": signature})
    assert not tf.saved_model.contains_saved_model(tmp_path / "new" / "model")
    path = builder.save(as_text=as_text)
    assert os.fsdecode(path) == str(tmp_path / "new" / "model" / ("saved_model.pbtxt" if as_text else "saved_model.pb"))
    assert tf.saved_model.maybe_saved_model_directory(tmp_path / "new" / "model")
    shutil.move(tmp_path / "new" / "model", tmp_path / "moved")
    with fresh() as other:
        model = tf.saved_model.loader.load(other, {"b", "serve"}, tmp_path / "moved")
        assert call(other, model, "f", x=[1, 2])["y"].tolist() == [2, 4]
        assert model.meta_info_def.tensorflow_version == "1.15.0"


def test_several_graphs_share_the_variables(session, tmp_path):
    _, signature = scale(session)
    builder = tf.saved_model.Builder(str(tmp_path))
    with pytest.raises(AssertionError, match="has not been saved yet"):
        builder.add_meta_graph(["other"])
    builder.add_meta_graph_and_variables(session, ["serve"], {"f": signature})
    with pytest.raises(AssertionError, match="already been saved"):
        builder.add_meta_graph_and_variables(session, ["serve"])
    with tf.Graph().as_default():
        v = tf.get_variable("v", [])
        signature = tf.saved_model.predict_signature_def({"v": v}, {"y": v + 100.0})
        builder.add_meta_graph(["other"], {"g": signature}, strip_default_attrs=True)
    builder.save()
    with fresh() as other:
        model = tf.saved_model.load(other, ["other"], str(tmp_path))
        assert other.run(model.signature_def["g"].outputs["y"].name) == 102
        assert model.meta_info_def.stripped_default_attrs
        with pytest.raises(RuntimeError, match=r"tags 'x', 'y' could not be found[^$]*available_tags: \[\['serve'\]"):
            tf.saved_model.load(other, ["x", "y"], str(tmp_path))


def test_two_models_in_scopes_of_one_graph(session, tmp_path):
    for number in (1, 2):
        with tf.Graph().as_default(), tf.Session() as other:
            v, signature = scale(other, float(number))
            builder = tf.saved_model.Builder(tmp_path / str(number))
            builder.add_meta_graph_and_variables(other, ["serve"], {"f": signature}, main_op=v.assign_add(10.0).op)
            builder.save()
    for number in (1, 2):
        model = tf.saved_model.load(session, ["serve"], tmp_path / str(number), import_scope=f"m{number}")
        assert call(session, model, "f", f"m{number}", x=[1])["y"] == number + 10
    assert session.run(tf.global_variables()) == [11, 12]
    tf.saved_model.load(session, ["serve"], tmp_path / "2", import_scope="m1")
    assert [v.op.name for v in tf.global_variables()] == ["m1/v", "m2/v", "m1_1/v"]
    assert session.run(tf.global_variables()) == [11, 12, 12]
    loader = SavedModelLoader(tmp_path / "2")
    with pytest.raises(RuntimeError, match="to run 'AssignAdd' when it is loaded, but the graph has no 'm3/AssignAdd'"):
        loader.run_init_ops(session, ["serve"], "m3")


def test_files_and_a_main_operation(session, tmp_path):
    folders = [tmp_path / name for name in "abc"]
    for folder, text in zip(folders, ("one\ntwo\n", "one\ntwo\n", "three\n")):
        folder.mkdir()
        (folder / "words.txt").write_text(text)
    keys = tf.placeholder(tf.string, [None], name="keys")
    tables = [tf.contrib.lookup.index_table_from_file(str(folder / "words.txt")) for folder in folders]
    ids = tf.stack([table.lookup(keys) for table in tables])
    session.run(tf.tables_initializer())
    tf.saved_model.simple_save(
        session, tmp_path / "m", {"keys": keys}, {"ids": ids}, legacy_init_op=tf.tables_initializer()
    )
    assert sorted(os.listdir(tmp_path / "m" / "assets")) == ["words.txt", "words.txt_1"]
    for folder in folders:
        shutil.rmtree(folder)
    with fresh() as other:
        model = tf.saved_model.load(other, [tf.saved_model.SERVING], tmp_path / "m")
        assert call(other, model, "serving_default", keys=["two", "three"])["ids"].tolist() == [
            [1, -1],
            [1, -1],
            [-1, 0],
        ]
        assert set(model.collection_def) >= {tf.saved_model.ASSETS_KEY, tf.saved_model.MAIN_OP_KEY}


def test_initialization_and_training_by_signatures(session, tmp_path):
    v, signature = scale(session)
    (tmp_path / "file").write_text("text")
    path = tf.constant(str(tmp_path / "file"))
    with tf.control_dependencies([tf.print(path)]):
        init_op = v.assign_add(1.0)
    builder = _SavedModelBuilder(tmp_path / "m")
    with pytest.raises(TypeError, match="train_op needs to be a Tensor or Op: 3"):
        builder.add_meta_graph_and_variables(session, ["serve"], train_op=3)
    with pytest.raises(TypeError, match="init_op needs to be an Operation: .*Tensor"):
        builder.add_meta_graph_and_variables(session, ["serve"], init_op=init_op)
    builder.add_meta_graph_and_variables(
        session, ["serve"], {"f": signature}, [path], init_op=init_op.op, train_op=v.assign_add(5.0)
    )
    builder.add_meta_graph(["plain"], {"f": signature})
    builder.save()
    with fresh() as other:
        model = tf.saved_model.load(other, ["serve"], tmp_path / "m")
        assert call(other, model, "f", x=[1])["y"] == 3
        other.run(get_train_op(model))
        assert call(other, model, "f", x=[1])["y"] == 8
        assert [a.filename for a in model.asset_file_def] == ["file"]
        assert set(model.signature_def) == {"f", "__saved_model_init_op", "__saved_model_train_op"}
        # Other programs may name a tensor.
        info = model.signature_def["__saved_model_train_op"].outputs["__saved_model_train_op"]
        model.signature_def["__saved_model_init_op"].outputs["__saved_model_init_op"].CopyFrom(info)
        assert get_init_op(model).name == get_train_op(model).name
    for key in ("__saved_model_init_op", "__saved_model_train_op"):
        with pytest.raises(KeyError, match=f"{key}.* is reserved"):
            _SavedModelBuilder(tmp_path / "n").add_meta_graph_and_variables(session, ["serve"], {key: signature})


def test_a_saver_of_ones_own_and_devices(session, tmp_path):
    with tf.device("/cpu:0"):
        v, signature = scale(session)
    tf.get_variable("not_saved", [])
    builder = tf.saved_model.Builder(tmp_path / "m")
    saver = tf.train.Saver({"renamed": v})
    builder.add_meta_graph_and_variables(session, ["serve"], {"f": signature}, clear_devices=True, saver=saver)
    builder.save()
    reader = tf.train.NewCheckpointReader(tf.compat.path_to_str(tmp_path / "m" / "variables" / "variables"))
    assert list(reader.get_variable_to_shape_map()) == ["renamed"]
    with fresh() as other:
        model = tf.saved_model.load(other, ["serve"], tmp_path / "m")
        assert call(other, model, "f", x=[1])["y"] == 2
        assert not any(node.device for node in model.graph_def.node)


def test_the_steps_of_loading(session, tmp_path):
    _, signature = scale(session)
    tf.saved_model.simple_save(session, tmp_path / "m", {"x": tf.constant(1)}, {"y": tf.constant(2)})
    loader = SavedModelLoader(tmp_path / "m")
    with fresh() as other:
        saver, (y,) = loader.load_graph(other.graph, ["serve"], "s", return_elements=["v:0"])
        assert y.name == "s/v:0"
        with pytest.raises(ValueError, match="No tf.train.Saver object"):
            loader.restore_variables(other, None)
        loader.restore_variables(other, saver, "s")
        assert other.run(y) == 2


def test_no_variables(session, tmp_path):
    x = tf.placeholder(tf.float32, name="x")
    tf.saved_model.simple_save(session, tmp_path / "m", {"x": x}, {"y": x + 1.0})
    assert os.listdir(tmp_path / "m" / "variables") == []
    with fresh() as other:
        model = tf.saved_model.load(other, ["serve"], tmp_path / "m")
        assert call(other, model, "serving_default", x=1)["y"] == 2


# ---- Errors


def test_folders_that_cannot_be_used(session, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").write_text("")
    with pytest.raises(AssertionError, match="already exists, and isn't empty.*full"):
        tf.saved_model.Builder(tmp_path / "full")
    with pytest.raises(tf.errors.OpError, match="full/file"):
        tf.saved_model.Builder(tmp_path / "full" / "file" / "below")
    with pytest.raises(OSError, match="SavedModel file does not exist at: .*none/{saved_model.pbtxt|saved_model.pb}"):
        tf.saved_model.load(session, ["serve"], tmp_path / "none")


def test_damaged_files(session, tmp_path):
    scale(session)
    tf.saved_model.simple_save(session, tmp_path / "m", {"x": tf.constant(1)}, {"y": tf.constant(2)})
    index = tmp_path / "m" / "variables" / "variables.index"
    index.write_bytes(index.read_bytes()[:-9])
    with fresh() as other, pytest.raises(tf.errors.DataLossError, match="variables.index"):
        tf.saved_model.load(other, ["serve"], tmp_path / "m")
    index.unlink()
    with fresh() as other, pytest.raises(ValueError, match="not a valid checkpoint: .*/variables/variables"):
        tf.saved_model.load(other, ["serve"], tmp_path / "m")
    (tmp_path / "m" / "saved_model.pb").write_bytes(b"\xff\xff\xff")
    with pytest.raises(OSError, match="Cannot parse file .*saved_model.pb: "):
        tf.saved_model.load(session, ["serve"], tmp_path / "m")
    (tmp_path / "m" / "saved_model.pb").rename(tmp_path / "m" / "saved_model.pbtxt")
    with pytest.raises(OSError, match="Cannot parse file .*saved_model.pbtxt: "):
        tf.saved_model.load(session, ["serve"], tmp_path / "m")


def test_a_call_that_failed_can_be_repeated(session, tmp_path):
    v, signature = scale(session)
    uninitialized = tf.get_variable("u", [])
    builder = tf.saved_model.Builder(tmp_path / "m")
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value u"):
        builder.add_meta_graph_and_variables(session, ["serve"], {"f": signature}, main_op=v.initializer)
    session.run(uninitialized.initializer)
    with pytest.raises(TypeError, match="main_op needs to be an Operation: 'init'"):
        builder.add_meta_graph_and_variables(session, ["serve"], {"f": signature}, main_op="init")
    builder.add_meta_graph_and_variables(session, ["serve"], {"f": signature}, legacy_init_op=v.initializer)
    with pytest.raises(ValueError, match="already contains one or more main ops under the collection saved_model_main"):
        builder.add_meta_graph(["other"], main_op=v.initializer)
    builder.save()
    with pytest.raises(RuntimeError, match="experimental_image_format"):
        builder.save(experimental_image_format=True)
    with fresh() as other:
        assert tf.saved_model.load(other, ["serve"], tmp_path / "m").signature_def["f"] == signature


@pytest.mark.parametrize(
    "asset, error",
    [
        (lambda: "path", "must be a Tensor"),
        (lambda: tf.placeholder(tf.string), "must be of type constant"),
        (lambda: tf.constant(1), "must be of dtype string"),
        (lambda: tf.constant(["a", "b"]), "must be a scalar"),
        (lambda: tf.constant(""), "Invalid asset filepath tensor"),
        (lambda: tf.constant("/no/such/file"), "/no/such/file; No such file"),
    ],
)
def test_assets_that_are_none(session, tmp_path, asset, error):
    builder = tf.saved_model.Builder(tmp_path)
    with pytest.raises((TypeError, ValueError, tf.errors.NotFoundError), match=error):
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=[asset()])


def test_graphs_that_are_too_large(session, tmp_path, monkeypatch):
    builder = tf.saved_model.Builder(tmp_path)
    builder.add_meta_graph_and_variables(session, ["serve"])
    monkeypatch.setattr("tfcore.saved_model.files._MAX_MESSAGE_BYTES", 10)
    with pytest.raises(ValueError, match="take more than the 10 bytes"):
        builder.save()
    assert os.listdir(tmp_path) == ["variables"]


def test_several_main_operations_are_refused(session, tmp_path):
    tf.saved_model.simple_save(session, tmp_path, {"x": tf.constant(1, name="a")}, {"y": tf.constant(2, name="b")})
    path = tmp_path / "saved_model.pb"
    message = protos.SavedModel.FromString(path.read_bytes())
    message.meta_graphs[0].collection_def["legacy_init_op"].node_list.value.extend(["a", "b"])
    path.write_bytes(message.SerializeToString())
    with fresh() as other, pytest.raises(RuntimeError, match=r"exactly one SavedModel init op. Found: \['a', 'b'\]"):
        tf.saved_model.load(other, ["serve"], tmp_path)


def test_unknown_operations_that_are_needed(session, tmp_path):
    x = tf.placeholder(tf.float32, name="x")
    tf.saved_model.simple_save(session, tmp_path, {"x": x}, {"y": tf.negative(x, name="y")})
    path = tmp_path / "saved_model.pb"
    message = protos.SavedModel.FromString(path.read_bytes())
    (node,) = (n for n in message.meta_graphs[0].graph_def.node if n.name == "y")
    unused = message.meta_graphs[0].graph_def.node.add(name="unused", op="NoSuchOp")
    path.write_bytes(message.SerializeToString())
    with fresh() as other:
        model = tf.saved_model.load(other, ["serve"], tmp_path)
        assert call(other, model, "serving_default", x=3)["y"] == -3
        assert unused.name not in [op.name for op in other.graph.get_operations()]
    node.op = "NoSuchOp"
    path.write_bytes(message.SerializeToString())
    with fresh() as other, pytest.raises(tf.errors.NotFoundError, match="NoSuchOp.*'y'"):
        tf.saved_model.load(other, ["serve"], tmp_path)


def test_a_tag_may_be_a_string(session, tmp_path):
    v, _ = scale(session)
    builder = tf.saved_model.Builder(tmp_path)
    builder.add_meta_graph_and_variables(session, "serve")
    builder.save()
    with fresh() as other:
        assert list(tf.saved_model.load(other, "serve", tmp_path).meta_info_def.tags) == ["serve"]


def test_assets_that_are_no_files(session, tmp_path):
    scale(session)
    for path in (f"{tmp_path}/", f"{tmp_path}/..", "."):
        builder = tf.saved_model.Builder(tmp_path / "m")
        with pytest.raises(tf.errors.InvalidArgumentError, match="must end in the name of a file, unlike"):
            builder.add_meta_graph_and_variables(session, ["t"], assets_collection=[tf.constant(path)])
        shutil.rmtree(tmp_path / "m")


def test_folders_behind_schemes(session, tmp_path, monkeypatch):
    """Those of other systems are refused, before anything is written."""
    monkeypatch.chdir(tmp_path)
    for path in ("memory://m", "nosuchscheme://m"):
        with pytest.raises(tf.errors.UnimplementedError, match="://m"):
            tf.saved_model.Builder(path)
    assert os.listdir(tmp_path) == []
    tf.saved_model.simple_save(session, f"file://{tmp_path}/m", {"x": tf.placeholder(tf.float32)}, {"y": tf.ones([])})
    assert tf.saved_model.maybe_saved_model_directory(tmp_path / "m") and os.listdir(tmp_path) == ["m"]


@pytest.mark.skipif(EFFORT < 3, reason="takes 7 GB of memory")
def test_graphs_of_more_than_two_gigabytes(tmp_path):
    model = protos.SavedModel()
    model.meta_graphs.add().graph_def.node.add().attr["value"].s = bytes(2**31)
    with pytest.raises(ValueError, match="take more than the 2147483647 bytes of a protocol buffer"):
        files.write_saved_model(model, tmp_path)
    assert os.listdir(tmp_path) == []


def test_graphs_that_cannot_be_written(tmp_path):
    """Some implementations of the package protobuf fail."""
    from google.protobuf.message import EncodeError

    class Large:
        def SerializeToString(self, deterministic):
            raise EncodeError("Failed to serialize proto")

    with pytest.raises(ValueError, match="of a protocol buffer"):
        files.write_saved_model(Large(), tmp_path)
    assert os.listdir(tmp_path) == []
