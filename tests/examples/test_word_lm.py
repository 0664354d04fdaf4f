"""The word-level language model: its vocabulary, the sharded softmax, traffic between tasks, and that it learns."""

import numpy as np
import pytest
from scipy import special

import tfcore as tf
from tests.distributed import mpi
from tfcore.examples import word_lm

WORDS, ROWS = 50, 12
SMALL = ["--units", "16", "--batch", "8", "--steps", "10", "--samples", "5", "--rate", "0.5", "--keep-prob", "0.9"]


def test_vocabulary():
    words = word_lm.split("b a b\nc a b <unk> d")
    assert words == ["b", "a", "b", "<eos>", "c", "a", "b", "<unk>", "d"]
    assert word_lm.Vocabulary(words).words == ["b", "a", "<eos>", "<unk>", "c", "d"]
    few = word_lm.Vocabulary(words, 3)
    assert few.words == ["b", "a", "<unk>"]
    assert few.encode(["a", "e", "d", "b"]).tolist() == [1, 2, 2, 0]
    assert word_lm.Vocabulary(["a"]).words == ["a", "<unk>"]


def network(servers):
    return word_lm.Network(WORDS, word_lm.parse_arguments(["--units", "8"]), servers)


def whole(parts):
    """A table from its shards."""
    table = np.empty((WORDS, *parts[0].shape[1:]), np.float32)
    for i, part in enumerate(parts):
        table[i :: len(parts)] = part
    return table


@pytest.mark.parametrize("servers", [1, 2, 3])
def test_the_full_loss_in_shards_is_that_of_the_whole(servers):
    rng = np.random.default_rng(5)
    values, targets = rng.normal(size=(ROWS, 8)), rng.integers(0, WORDS, ROWS)
    with tf.Graph().as_default(), tf.Session() as sess:
        model = network(servers)
        outputs = tf.constant(values, tf.float32)
        loss = model.full_loss(outputs, tf.constant(targets, tf.int32))
        grads = tf.gradients(loss, [outputs, *model.weights, *model.biases])
        sess.run(tf.global_variables_initializer())
        sess.run([tf.assign(v, rng.normal(size=v.shape.as_list())) for v in (*model.weights, *model.biases)])
        found, by_outputs, *by_parts = sess.run([loss, *grads])
        weights, biases = (whole(sess.run(table)) for table in (model.weights, model.biases))
    logits = values @ weights.T + biases
    expected = special.logsumexp(logits, 1) - logits[np.arange(ROWS), targets]
    assert found == pytest.approx(expected.mean(), rel=1e-5)
    by_logits = (special.softmax(logits, 1) - np.eye(WORDS)[targets]) / ROWS
    np.testing.assert_allclose(by_outputs, by_logits @ weights, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(whole(by_parts[:servers]), by_logits.T @ values, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(whole(by_parts[servers:]), by_logits.sum(0), rtol=1e-4, atol=1e-6)


def test_the_full_loss_of_large_logits_is_finite():
    with tf.Graph().as_default(), tf.Session() as sess:
        model = network(2)
        loss = model.full_loss(tf.ones([1, 8]), tf.constant([0]))
        sess.run(tf.global_variables_initializer())
        sess.run([tf.assign(b, np.arange(25) * 1e3) for b in model.biases])
        assert sess.run(loss) == pytest.approx(24000, rel=0.01)


@pytest.mark.parametrize("softmax", ["full", "sampled"])
def test_nothing_with_a_part_for_each_word_travels(softmax):
    """Neither shards, nor their gradients, nor logits: words are 25 to a shard."""
    worker = "/job:worker/task:0"

    def task(op):
        device = op.device
        for group in op.colocation_groups():
            device = device or graph.get_operation_by_name(group[5:].decode()).device
        return device.split("/device")[0]

    with tf.Graph().as_default() as graph:
        with tf.device(tf.train.replica_device_setter(2, worker_device=worker)):
            model = network(2)
            outputs = tf.ones([ROWS, 8])
            loss = getattr(model, softmax + "_loss")(outputs, tf.zeros([ROWS], tf.int32))
            word_lm.language.clipped_training(tf.train.AdagradOptimizer(0.1), loss, 1.0, None)
        initial = {v.initial_value.op for v in tf.global_variables()}
        crossing = [
            t for op in graph.get_operations() for t in op.inputs if t.op not in initial and task(t.op) != task(op)
        ]
        assert {task(op) for op in graph.get_operations()} == {worker, "/job:ps/task:0", "/job:ps/task:1"}
    assert crossing and not [t for t in crossing if t.dims is None or 25 in t.dims]


SENTENCES = "the loop is in the graph \n the graph is in the loop \n a loop is a loop \n "


@pytest.fixture
def files(tmp_path):
    learnt, held_out = tmp_path / "learnt", tmp_path / "held_out"
    learnt.write_text(SENTENCES * 60)
    held_out.write_text(SENTENCES * 8 + "unknown")
    return ["--data", str(learnt), "--held-out", str(held_out)]


@pytest.mark.parametrize("softmax", ["full", "sampled"])
def test_it_learns(files, softmax, capsys):
    perplexity = word_lm.main([*files, "--softmax", softmax, "--epochs", "15", *SMALL])
    printed = capsys.readouterr().out
    assert perplexity < 2.5  # of 8 words
    assert "1200 words to train on, 161 held out, 8 different ones" in printed
    assert f"perplexity {perplexity:.1f}" in printed and "all workers:" in printed


def test_without_files_it_learns_from_the_package(capsys):
    small = [*SMALL, "--vocabulary", "30", "--seconds", "0.01", "--evaluate", "500"]
    assert 1 < word_lm.main(small) < 60
    assert "500 held out, 30 different ones" in capsys.readouterr().out


@pytest.mark.parametrize("later", [2, 1])
def test_a_worker_that_has_finished_is_not_taken_for_one_that_failed(later):
    """`later`: the number of ready workers when one of the two has ended."""
    training = object.__new__(word_lm.Training)
    training.workers, training.ready, training.all_live = 2, "ready", "all_live"
    ready = iter([1, later, later])

    class Session:
        def run(self, fetch):
            if fetch == "all_live":
                raise tf.errors.UnavailableError(None, None, "it has ended")
            return next(ready)

    if later == 2:
        training._await_all(Session())
    else:
        with pytest.raises(tf.errors.UnavailableError, match="it has ended"):
            training._await_all(Session())


@pytest.mark.parametrize(("softmax", "servers", "workers"), [("sampled", 2, 2), ("full", 1, 2), ("full", 2, 1)])
def test_clusters_learn(files, softmax, servers, workers):
    arguments = [*files, "--ps", servers, "--softmax", softmax, "--epochs", "20", *SMALL]
    job = mpi.run(["-m", "tfcore.examples.word_lm", *map(str, arguments)], servers + workers)
    assert job.code == 0, job.text
    (line,) = job.lines("held-out text: ")
    assert float(line.split()[-1]) < 3
    assert len(job.lines("worker ")) == workers
    (rate,) = job.lines("all workers: ")
    assert float(rate.split()[2]) > 0


def test_texts_that_are_too_short(tmp_path):
    path = tmp_path / "text"
    path.write_text("a few words " * 10)
    with pytest.raises(SystemExit, match="A text of 27 numbers is too short for 32 streams"):
        word_lm.main(["--data", str(path)])
    with pytest.raises(SystemExit, match="A text of 3 numbers is too short for 16 streams"):
        word_lm.main(["--data", str(path), "--batch", "2"])


def test_workers_need_a_server():
    job = mpi.run(["-m", "tfcore.examples.word_lm", *SMALL], 2)
    assert job.code != 0 and "workers need a parameter server: --ps 1" in job.text


def test_a_worker_that_is_never_ready_is_not_waited_for(files):
    program = """
    import os, sys
    from tfcore.examples import word_lm

    if os.environ["PMIX_RANK"] == "2":
        word_lm.Training.run = lambda *_: os._exit(3)
    word_lm.main(sys.argv[1:])
    """
    job = mpi.run(program, 3, [*files, "--ps", "1", *SMALL])
    follower = "tfcore: /job:worker/replica:0/task:0 (rank 1) ends because of /job:worker/task:1"
    assert job.code != 0 and len(job.lines(follower)) == 1, job.text
