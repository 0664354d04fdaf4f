"""Positions of iterators: saved, restored into the same and into other sessions, damaged."""

import gzip
import itertools

import hypothesis.stateful as stateful
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tests.data.pipelines as pipelines
import tfcore as tf
from tests.data.test_pipelines import rest


class Input:
    """A dataset with its iterator, and operations for the position."""

    def __init__(self, make):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.iterator = make().make_initializable_iterator()
            self.value = self.iterator.get_next()
            handle = self.iterator._handle
            self.saved = tf.io.serialize_tensor(tf.raw_ops.SerializeIterator(resource_handle=handle))
            self.fed = tf.placeholder(tf.string, [])
            position = tf.io.parse_tensor(self.fed, tf.variant)
            self.restore = tf.raw_ops.DeserializeIterator(resource_handle=handle, serialized=position)

    def session(self):
        return tf.Session(graph=self.graph)


def everything(make):
    made = Input(make)
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        return rest(sess, made.value)


def same(found, expected):
    assert len(found) == len(expected)
    for f, e in zip(found, expected):
        np.testing.assert_equal(f, e)


def check_every_position(make, other=None):
    """A position saved after each number of elements goes on with the rest, in a session of `other`."""
    expected = everything(make)
    first, second = Input(make), Input(other or make)
    with first.session() as sess, second.session() as fresh:
        sess.run(first.iterator.initializer)
        fresh.run(second.iterator.initializer)
        for n in range(len(expected) + 1):
            fresh.run(second.restore, {second.fed: sess.run(first.saved)})
            same(rest(fresh, second.value), expected[n:])
            if n < len(expected):
                np.testing.assert_equal(sess.run(first.value), expected[n])
        with pytest.raises(tf.errors.OutOfRangeError):
            sess.run(first.value)
        fresh.run(second.restore, {second.fed: sess.run(first.saved)})
        assert rest(fresh, second.value) == []


def shuffled(n, seed, reshuffles):
    return pipelines.unchanged(lambda d: d.shuffle(n, seed, reshuffles))


def randomized(seed, calls, n):
    """Draws n or, for every third element, no random numbers."""

    def noise(x):
        some = tf.reduce_sum(tf.random.uniform([n], 0, 99, tf.int64, seed=seed))
        return x + tf.cond(
            tf.equal(x % 3, 0), lambda: some, lambda: tf.random.uniform([], 0, 9, tf.int64, seed=seed + 1)
        )

    return pipelines.unchanged(lambda d: d.map(noise, calls))


stages = st.one_of(
    pipelines.stages,
    st.builds(shuffled, pipelines.positive, st.integers(1, 9), st.booleans()),
    st.builds(randomized, st.integers(1, 9), st.integers(1, 4), pipelines.positive),
)


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_random_numbers_of_a_map_that_is_read_twice_after_a_restore(steps):
    """The second iterator over the map has not begun when the position is saved."""

    def make():
        return pipelines.build((11, [randomized(1, 1, 1), pipelines.zipped()]))[0]

    made = Input(make)
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        position = sess.run(made.saved)
        for _ in range(steps):
            sess.run(made.value)
        sess.run(made.restore, {made.fed: position})
        same(rest(sess, made.value), everything(make))


class Positions(stateful.RuleBasedStateMachine):
    """Steps, saves and restores of one pipeline, in sessions that come and go."""

    saved = stateful.Bundle("saved")

    @stateful.initialize(n=st.integers(0, 12), drawn=st.lists(stages, max_size=6))
    def begin(self, n, drawn):
        def make():
            return pipelines.build((n, drawn))[0]

        self.expected = everything(make)
        self.input = Input(make)
        self.at = None
        self.open()

    def open(self):
        self.sess = self.input.session()
        self.sess.run(self.input.iterator.initializer)
        self.at = 0

    @stateful.rule(n=st.integers(1, 9))
    def step(self, n):
        for _ in range(n):
            if self.at < len(self.expected):
                assert self.sess.run(self.input.value) == self.expected[self.at]
                self.at += 1
            else:
                with pytest.raises(tf.errors.OutOfRangeError):
                    self.sess.run(self.input.value)

    @stateful.rule(target=saved)
    def save(self):
        return self.at, self.sess.run(self.input.saved)

    @stateful.rule(position=saved)
    def restore(self, position):
        self.at, text = position
        self.sess.run(self.input.restore, {self.input.fed: text})

    @stateful.rule(position=saved)
    def restore_into_a_new_session(self, position):
        self.sess.close()
        self.sess = self.input.session()
        self.at, text = position
        self.sess.run(self.input.restore, {self.input.fed: text})
        assert self.sess.run(self.input.saved) == text
        self.sess.run(self.input.iterator.initializer)

    @stateful.rule()
    def begin_again(self):
        self.sess.close()
        self.open()

    def teardown(self):
        if hasattr(self, "sess"):
            same(rest(self.sess, self.input.value), self.expected[self.at :])
            self.sess.close()


TestPositions = Positions.TestCase


def test_numbers_of_threads_may_change():
    def make(calls, ahead):
        return lambda: (
            tf.data.Dataset.range(30).shuffle(7, 5).map(lambda x: x * x, calls).prefetch(ahead).repeat(2).prefetch(1)
        )

    check_every_position(make(4, 9), make(1, 1))
    check_every_position(make(1, 1), make(3, 2))


@pytest.mark.parametrize("compression", ["", "GZIP"])
def test_files(tmp_path, compression):
    names = []
    for i in range(3):
        names.append(str(tmp_path / f"records{i}"))
        with tf.python_io.TFRecordWriter(names[-1], compression and tf.python_io.TFRecordCompressionType.GZIP) as w:
            for k in range(4 * (i != 1)):
                w.write(b"%d of %d" % (k, i) * 9)
    check_every_position(lambda: tf.data.TFRecordDataset(names, compression))
    check_every_position(
        lambda: tf.data.Dataset.list_files(names, shuffle=True, seed=4).interleave(
            lambda name: tf.data.TFRecordDataset(name, compression), cycle_length=2
        )
    )


def test_lines_and_pieces(tmp_path):
    lines, packed, pieces = tmp_path / "lines", tmp_path / "packed", tmp_path / "pieces"
    lines.write_bytes(b"one\ntwo\r\n\nfour")
    packed.write_bytes(gzip.compress(b"five\nsix"))
    pieces.write_bytes(b"headaabbccfoot")
    check_every_position(lambda: tf.data.TextLineDataset(str(lines)).concatenate(tf.data.Dataset.from_tensors(b"end")))
    check_every_position(lambda: tf.data.TextLineDataset(str(packed), "GZIP"))
    check_every_position(lambda: tf.data.FixedLengthRecordDataset(str(pieces), 2, 4, 4).repeat(2))


def test_generators_run_again():
    def make():
        return tf.data.Dataset.from_generator(lambda n: iter(range(n)), tf.int64, args=(5,)).repeat(2)

    check_every_position(make)


def test_elements_of_all_kinds():
    def make():
        numbers = np.arange(12).reshape(4, 3)
        values = {
            "half": numbers.astype(np.float16),
            "complex": numbers * 1j,
            "text": np.array([[b"", b"a\0b", b"\xff" * 300]] * 4, object),
            "none": np.zeros([4, 0, 2], np.int8),
        }
        dataset = tf.data.Dataset.from_tensor_slices((values, tf.constant([True, False, True, True])))
        return dataset.shuffle(3, 1).batch(3).apply(tf.data.experimental.unbatch()).prefetch(2)

    check_every_position(make)


def test_scans_and_caches():
    check_every_position(
        lambda: (
            tf.data.Dataset.range(6)
            .cache()
            .apply(tf.data.experimental.scan(np.int64(0), lambda s, x: (s + x, s * 10 + x)))
            .repeat(3)
        )
    )


def total(window):
    return window.reduce(np.int64(0), lambda s, x: s + x)


def test_windows_that_are_held():
    """A shuffle holds datasets; a flat map is in one."""

    def make():
        nested = tf.data.Dataset.range(20).window(6, 3, 2).window(3)
        return nested.shuffle(2, 1).flat_map(lambda outer: outer.flat_map(lambda w: w)).map(lambda w: w + 1)

    check_every_position(make)
    check_every_position(lambda: tf.data.Dataset.range(9).window(2).shuffle(3, 1).map(total).repeat(2))


def test_groups_and_choices():
    def reduce(key, window):
        return window.map(lambda x: (key, x))

    def make_groups():
        return tf.data.Dataset.range(17).group_by_window(lambda x: (x * x) % 5 - 2, reduce, 3)

    def make_reduced():
        reducer = tf.data.experimental.Reducer(lambda key: key, lambda s, x: 2 * s + x, lambda s: s)
        return tf.data.Dataset.range(7).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer))

    def make_sampled():
        parts = [tf.data.Dataset.range(4), tf.data.Dataset.random(3).take(3), tf.data.Dataset.range(10, 15)]
        return tf.data.Dataset.sample_from_datasets(parts, [0.4, 0.2, 0.4], seed=2)

    for make in (make_groups, make_reduced, make_sampled):
        check_every_position(make)
    check_every_position(lambda: tf.data.Dataset.range(40).map(lambda x: tf.as_string(x * x % 19)).unique())


def test_errors_in_windows():
    def make():
        numbers = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0, 4.0])
        return numbers.map(lambda x: tf.check_numerics(1 / x, "bad")).window(2, 1).flat_map(lambda w: w.batch(2))

    made = Input(make)
    with made.session() as sess, made.session() as fresh:
        sess.run(made.iterator.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
            sess.run(made.value)
        fresh.run(made.restore, {made.fed: sess.run(made.saved)})
        fresh.run(made.iterator.initializer)
        for s in (sess, fresh):
            with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
                s.run(made.value)
            assert [x.tolist() for x in rest(s, made.value)] == [[0.5, 0.25], [0.25]]


def test_datasets_that_are_no_windows_are_not_saved():
    made = Input(lambda: tf.data.Dataset.range(4).map(tf.data.Dataset.range).shuffle(3).map(total))
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        sess.run(made.value)
        with pytest.raises(tf.errors.UnimplementedError, match="holds values of type variant"):
            sess.run(made.saved)


def test_errors_that_are_ready():
    def make():
        numbers = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 2.0])
        return numbers.map(lambda x: tf.check_numerics(1 / x, "bad"), 1).prefetch(4)

    made = Input(make)
    with made.session() as sess, made.session() as fresh:
        sess.run(made.iterator.initializer)
        assert sess.run(made.value) == 1
        fresh.run(made.restore, {made.fed: sess.run(made.saved)})
        fresh.run(made.iterator.initializer)
        for s in (sess, fresh):
            with pytest.raises(tf.errors.InvalidArgumentError, match="bad"):
                s.run(made.value)
            assert rest(s, made.value) == [0.5]


def test_an_iterator_without_a_dataset_is_at_the_beginning():
    made = Input(lambda: tf.data.Dataset.range(3))
    with made.session() as sess:
        position = sess.run(made.saved)
        sess.run(made.iterator.initializer)
        assert sess.run(made.value) == 0
        sess.run(made.restore, {made.fed: position})
        assert rest(sess, made.value) == [0, 1, 2]


def test_positions_that_do_not_fit():
    first = Input(lambda: tf.data.Dataset.range(5).take(3))
    with first.session() as sess:
        sess.run(first.iterator.initializer)
        sess.run(first.value)
        position = sess.run(first.saved)
    for make, message in (
        (lambda: tf.data.Dataset.range(5).skip(3), "it has a stage Take where the dataset has Skip"),
        (lambda: tf.data.Dataset.range(5), "it has a stage Take where the dataset has Range"),
    ):
        other = Input(make)
        with other.session() as sess:
            sess.run(other.iterator.initializer)
            sess.run(other.value)
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                sess.run(other.restore, {other.fed: position})
            assert rest(sess, other.value) == everything(make)[1:]  # as if nothing had happened
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="VariantTensorData|position"):
        sess.run(tf.io.serialize_tensor(tf.data.Dataset.range(3).variant_tensor))


part = st.floats(0, 1, exclude_max=True)


@given(st.integers(0, 5), st.lists(st.tuples(part, st.integers(0, 255)), max_size=3), st.none() | part)
def test_damaged_positions(steps, changes, cut):
    made = Input(_pipeline_of_everything)
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        for _ in range(steps):
            sess.run(made.value)
        text = bytearray(sess.run(made.saved))
        for where, byte in changes:
            text[int(where * len(text))] = byte
        if cut is not None:
            del text[int(cut * len(text)) :]
        try:
            sess.run(made.restore, {made.fed: bytes(text)})
            list(itertools.islice(_elements(sess, made.value), 50))
        except (tf.errors.InvalidArgumentError, tf.errors.DataLossError, tf.errors.ResourceExhaustedError):
            pass
        sess.run(made.iterator.initializer)
        assert len(rest(sess, made.value)) == 11


def test_positions_with_one_wrong_byte():
    made = Input(lambda: tf.data.Dataset.range(5).map(lambda x: x + 1).window(2).shuffle(2, 1).map(total).batch(1))
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        sess.run(made.value)
        text = sess.run(made.saved)
        for i, byte in itertools.product(range(len(text)), (0, 1, 255)):
            try:
                sess.run(made.restore, {made.fed: text[:i] + bytes([byte]) + text[i + 1 :]})
                list(itertools.islice(_elements(sess, made.value), 9))
            except (tf.errors.InvalidArgumentError, tf.errors.DataLossError, tf.errors.ResourceExhaustedError):
                pass


def _elements(sess, value):
    while True:
        try:
            yield sess.run(value)
        except tf.errors.OutOfRangeError:
            return


def _pipeline_of_everything():
    numbers = tf.data.Dataset.range(8).shuffle(4, 2).cache().map(lambda x: x + 1, 2)
    parts = numbers.interleave(lambda x: tf.data.Dataset.range(x % 3), 2).batch(2).apply(tf.data.experimental.unbatch())
    sums = tf.data.Dataset.range(30).window(3, 2).shuffle(3, 1).map(total).unique()
    groups = sums.group_by_window(lambda x: x % 4, lambda key, w: w.map(lambda x: x + key), 2)
    chosen = tf.data.Dataset.sample_from_datasets([groups, tf.data.Dataset.range(9)], seed=5)
    return tf.data.Dataset.zip((parts.repeat(2), tf.data.Dataset.range(11), chosen)).prefetch(2)


def test_a_saver_saves_positions_and_sessions_restore_them(tmp_path):
    def run(steps):
        seen = []
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            iterator = tf.data.Dataset.range(40).shuffle(9, 3).repeat().make_initializable_iterator()
            tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
            saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
            tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saveable)
            value, count = iterator.get_next(), tf.assign_add(step, 1)
            with tf.train.MonitoredTrainingSession(
                checkpoint_dir=str(tmp_path), save_checkpoint_steps=10, save_checkpoint_secs=None
            ) as sess:
                for _ in range(steps):
                    seen.append(sess.run([value, count])[0])
        return seen

    whole = everything(lambda: tf.data.Dataset.range(40).shuffle(9, 3).repeat(3))
    assert run(25) + run(30) + run(20) == whole[:75]


@pytest.mark.parametrize("calls", [2, tf.data.AUTOTUNE])
def test_of_a_map_that_is_quick(calls):
    """After so many elements the iterator calls the function itself."""
    made = Input(lambda: tf.data.Dataset.range(2040).map(lambda x: x + 1, calls))
    with made.session() as sess, made.session() as fresh:
        for each in (sess, fresh):
            each.run(made.iterator.initializer)
        assert [sess.run(made.value) for _ in range(2000)] == list(range(1, 2001))
        for n in range(2000, 2041, 8):
            fresh.run(made.restore, {made.fed: sess.run(made.saved)})
            assert rest(fresh, made.value) == list(range(n + 1, 2041))
            assert [sess.run(made.value) for _ in range(8 if n < 2040 else 0)] == list(range(n + 1, min(n + 9, 2041)))


@pytest.mark.parametrize("captured", [False, True])
def test_a_refused_position_leaves_the_seeds_of_shuffles(captured):
    """The order of later epochs is that of an iterator to which nobody has offered one."""

    def make():
        d = tf.data.Dataset.range(9).shuffle(9, 3)
        if captured:
            return tf.data.Dataset.range(5).flat_map(lambda _: d)
        return tf.data.Dataset.zip((d, d)).repeat(4)

    expected = everything(make)
    other = Input(lambda: make().skip(0).take(40))
    with other.session() as sess:
        sess.run(other.iterator.initializer)
        position = sess.run(other.saved)
    made = Input(make)
    with made.session() as sess:
        sess.run(made.iterator.initializer)
        found = [sess.run(made.value)]
        damaged = sess.run(made.saved)[:-6]
        for wrong in (position, damaged, position):
            with pytest.raises(tf.errors.OpError):
                sess.run(made.restore, {made.fed: wrong})
        same([*found, *rest(sess, made.value)], expected)
