"""What `tf.contrib` has in the modules of TensorFlow only: eager, learn, tensorboard, the graph editor."""

from tests.as_tensorflow.test_programs import installed


def test_contrib_eager():
    installed(
        """
        import tensorflow as tf
        from tensorflow.contrib import eager
        from tensorflow.contrib.eager.python import tfe
        assert not eager.executing_eagerly() and tfe.defun is eager.defun is tf.function
        assert tfe.Checkpoint is tf.train.Checkpoint and not hasattr(tfe, "Network")
        """
    )


def test_contrib_learn(tmp_path):
    (tmp_path / "with.csv").write_text("2,3,a,b\n1,2,3,1\n4,5,6,0\n")
    (tmp_path / "without.csv").write_text("0,1.5\n1,2.5\n2,3.5\n")
    (tmp_path / "source").write_bytes(b"\x00\xff")
    installed(
        f"""
        import numpy as np, tensorflow as tf
        from tensorflow.contrib import learn
        from tensorflow.contrib.learn.python.learn.datasets import base, mnist
        from tensorflow.contrib.learn.python.learn.estimators import model_fn

        assert learn is tf.contrib.learn and learn.ModeKeys is model_fn.ModeKeys
        assert (learn.ModeKeys.TRAIN, learn.ModeKeys.EVAL, learn.ModeKeys.INFER) == ("train", "eval", "infer")
        assert learn.datasets.mnist is mnist and learn.datasets.base.Datasets is base.Datasets
        found = base.load_csv_with_header("{tmp_path}/with.csv", np.int32, np.float32)
        assert found.data.tolist() == [[1, 2, 3], [4, 5, 6]] and found.target.tolist() == [1, 0]
        assert found.data.dtype == np.float32 and found.target.dtype == np.int32
        found = base.load_csv_without_header("{tmp_path}/without.csv", np.int64, np.float64, target_column=0)
        assert found.data.tolist() == [[1.5], [2.5], [3.5]] and found.target.tolist() == [0, 1, 2]
        for _ in range(2):
            path = base.maybe_download("there", "{tmp_path}/new", "file://{tmp_path}/source")
            assert tf.gfile.ListDirectory("{tmp_path}/new") == ["there"]
        assert open(path, "rb").read() == b"\\x00\\xff" and path == "{tmp_path}/new/there"
        """
    )


def test_runs_of_contrib_learn(tmp_path):
    installed(
        f"""
        import pytest, tensorflow as tf
        from tensorflow.contrib.learn.python.learn import graph_actions

        learn = tf.contrib.learn
        assert learn.run_n is graph_actions.run_n
        v, x = tf.Variable(2.0), tf.placeholder_with_default(3.0, [])
        table = tf.contrib.lookup.index_table_from_tensor(["a", "b"])
        queue = tf.train.input_producer([5, 6], shuffle=False)
        outputs = {{"product": v * x, "place": table.lookup(tf.constant("b")), "next": queue.dequeue()}}
        with tf.Session() as session:
            session.run(tf.variables_initializer([v]))
            tf.train.Saver([v]).save(session, "{tmp_path}/model")
            session.run(v.assign(7.0))
            tf.train.Saver([v]).save(session, "{tmp_path}/other")
        with tf.Graph().as_default():
            assert [r["next"] for r in learn.run_n(outputs, n=3)] == [5, 6, 5]
            first, second = learn.run_feeds(outputs, [None, {{x: 10.0}}], "{tmp_path}/other")
        assert (first["product"], second["product"], first["place"]) == (21, 70, 1)
        with pytest.raises(ValueError, match="output_dict is invalid"):
            learn.run_n({{}})
        with pytest.raises(ValueError, match="not a valid checkpoint"):
            learn.run_n(outputs, restore_checkpoint_path="{tmp_path}/none")
        """
    )


def test_preprocessing(tmp_path):
    installed(
        f"""
        import numpy as np, pytest
        from tensorflow.contrib import learn
        from tensorflow.contrib.learn.python.learn.preprocessing import categorical, text
        from tensorflow.contrib.learn.python.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary

        texts = ["the cat's hat", "the NASACat sat", "a-b the Ölfaß"]
        assert list(text.tokenizer(texts))[1:] == [["the", "NASA", "Cat", "sat"], ["a-b", "the", "Ölfaß"]]
        words = learn.preprocessing.VocabularyProcessor(4)
        found = list(words.fit_transform(texts))
        assert found[0].dtype == np.int64
        assert np.array(found).tolist() == [[1, 2, 3, 0], [1, 4, 5, 6], [7, 1, 8, 0]]
        assert list(words.transform(["a hat the hat sat the"]))[0].tolist() == [0, 3, 1, 3]
        words.save("{tmp_path}/vocabulary")
        again = learn.preprocessing.VocabularyProcessor.restore("{tmp_path}/vocabulary")
        assert list(again.reverse(found[:1])) == ["the cat's hat <UNK>"] and len(again.vocabulary_) == 9
        words_of = lambda texts: (t.split() for t in texts)
        rare = learn.preprocessing.VocabularyProcessor(3, min_frequency=1, tokenizer_fn=words_of)
        assert np.array(list(rare.fit_transform(["b a a", "b a c"]))).tolist() == [[2, 1, 1], [2, 1, 0]]

        numbers = CategoricalVocabulary(support_reverse=False)
        for category, count in (("x", 3), ("y", 1), ("z", 3), ("w", 9)):
            numbers.add(category, count)
        numbers.trim(1, max_frequency=9)
        assert [numbers.get(c) for c in "xz"] == [1, 2] and len(numbers) == 3
        numbers.freeze()
        assert numbers.get("y") == 0
        numbers.freeze(False)
        assert numbers.get("y") == 3
        with pytest.raises(ValueError, match="wasn't initialized with support_reverse"):
            numbers.reverse(1)

        as_bytes = text.ByteProcessor(3)
        found = list(as_bytes.fit(texts).transform(["ab", "Öx", b"wxyz", ""]))
        assert np.array(found).tolist() == [[97, 98, 0], [195, 150, 120], [119, 120, 121], [0, 0, 0]]
        assert found[0].dtype == np.uint8
        assert list(as_bytes.reverse(found + [np.array([255])])) == ["ab", "Öx", "wxy", "", ""]

        rows = [["a", 1.0], ["b", float("nan")], ["a", 2.0]]
        columns = categorical.CategoricalProcessor()
        assert np.array(list(columns.fit_transform(rows))).tolist() == [[1, 1], [2, 0], [1, 2]]
        assert list(columns.transform([["c", 2.0]]))[0].tolist() == [0, 2]
        shared = categorical.CategoricalProcessor(min_frequency=1, share=True)
        assert np.array(list(shared.fit_transform([["a", "b"], ["b", "c"]]))).tolist() == [[0, 1], [1, 0]]
        """
    )


def test_embeddings_for_tensorboard(tmp_path):
    installed(
        f"""
        import os
        import tensorflow as tf
        from tensorflow.contrib.tensorboard.plugins import projector
        assert tf.contrib.tensorboard.plugins.projector is projector
        config = projector.ProjectorConfig()
        embedding = config.embeddings.add(tensor_name="words", tensor_shape=[3, 4])
        embedding.sprite.single_image_dim.extend([28, 28])
        assert isinstance(embedding, projector.EmbeddingInfo)
        with tf.summary.FileWriter({str(tmp_path)!r}) as writer:
            projector.visualize_embeddings(writer, config)
        with open(os.path.join({str(tmp_path)!r}, "projector_config.pbtxt")) as file:
            text = file.read().split()
        assert text == 'embeddings {{ tensor_name: "words" tensor_shape: 3 tensor_shape: 4'.split() + (
            "sprite {{ single_image_dim: 28 single_image_dim: 28 }} }}".split()
        )
        try:
            projector.visualize_embeddings(type("Writer", (), {{"get_logdir": lambda self: None}})(), config)
            assert False
        except ValueError as error:
            assert str(error) == "Summary writer must have a logdir"
        """
    )


def test_walks_through_graphs():
    installed(
        """
        import tensorflow as tf, tensorflow.contrib.graph_editor as ge
        from tensorflow.contrib.graph_editor import get_backward_walk_ops as walk, subgraph, util
        from tensorflow.contrib.graph_editor.transform import graph_replace
        assert ge.sgv is subgraph.make_view and tf.contrib.graph_editor.graph_replace is graph_replace
        assert ge.util.ControlOutputs is util.ControlOutputs is ge.ControlOutputs
        a = tf.placeholder(tf.float32, name="a")
        c = tf.negative(a, name="c")
        assert sorted(op.name for op in walk(c)) == ["a", "c"]
        assert not c.op.op_def.is_stateful and tf.random_shuffle([1]).op.op_def.is_stateful
        """
    )
