"""Saving and restoring: values, slices, merges, files that are there afterwards, errors."""

import os
import stat
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tests.fixtures.checkpoints import values
from tfcore.framework.types.dtypes import as_dtype

FOLDER = os.path.dirname(values.__file__)


def run(fetch):
    """`fetch` is a function that builds what to run."""
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(fetch())


def save(prefix, pairs, specs=None):
    names = [name for name, _ in pairs]
    run(
        lambda: tf.raw_ops.SaveV2(
            prefix=str(prefix),
            tensor_names=names,
            shape_and_slices=specs or [""] * len(names),
            tensors=[tf.constant(value) for _, value in pairs],
        )
    )


def restore(prefix, names, types, specs=None):
    return run(
        lambda: tf.raw_ops.RestoreV2(
            prefix=str(prefix), tensor_names=names, shape_and_slices=specs or [""] * len(names), dtypes=types
        )
    )


def type_of(value):
    return as_dtype(np.asarray(value).dtype)


def assert_same(found, expected):
    found, expected = np.asarray(found, np.asarray(expected).dtype), np.asarray(expected)
    assert found.shape == expected.shape
    assert found.tolist() == expected.tolist() if expected.dtype == object else found.tobytes() == expected.tobytes()


@pytest.fixture
def types():
    pairs = sorted(values.tensors().items())
    return [*pairs, ("bfloat16", values.bfloat16_bits().view(tf.bfloat16.as_numpy_dtype))]


def test_values_come_back(types, tmp_path):
    save(tmp_path / "model", types)
    assert sorted(os.listdir(tmp_path)) == ["model.data-00000-of-00001", "model.index"]
    names = [name for name, _ in types]
    for found, (_, value) in zip(restore(tmp_path / "model", names, [type_of(v) for _, v in types]), types):
        assert_same(found, value)


def test_the_files_are_tensorflow_s(types, tmp_path):
    """The same bytes as in the fixtures, which TensorFlow wrote in the order of names."""
    save(tmp_path / "types", sorted(types))
    parts = [values.FULL[:2], values.FULL[2:], values.FULL[:, :3], values.FULL[:, 3:]]
    specs = ["6 10 0,2:0,10", "6 10 2,4:0,10", "6 10 -:0,3", "6 10 -:3,7"]
    save(tmp_path / "parts", list(zip(["rows", "rows", "columns", "columns"], parts)), specs)
    for name in ("types", "parts"):
        for end in (".index", ".data-00000-of-00001"):
            with open(os.path.join(FOLDER, name + end), "rb") as file:
                assert (tmp_path / (name + end)).read_bytes() == file.read(), name + end


def test_tensorflow_s_files_are_restored(types):
    names = [name for name, _ in types]
    for found, (_, value) in zip(restore(f"{FOLDER}/types", names, [type_of(v) for _, v in types]), types):
        assert_same(found, value)


def test_a_file_of_the_first_format_is_restored():
    expected = sorted(values.legacy_tensors().items())
    found = restore(f"{FOLDER}/legacy", [n for n, _ in expected], [type_of(v) for _, v in expected])
    for value, (_, wanted) in zip(found, expected):
        assert_same(value, wanted)
    part = restore(f"{FOLDER}/legacy", ["rows"], [tf.float32], ["6 10 1,3:2,5"])[0]
    assert_same(part, values.FULL[1:4, 2:7])


@given(st.data())
def test_any_slices_of_any_parts(tmp_path_factory, data):
    """A tensor of up to three dimensions is saved in a grid of parts; a box of it is restored."""
    folder = tmp_path_factory.mktemp("slices")
    dims = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=3))
    kind = data.draw(st.sampled_from(["float32", "int64", "string"]))
    whole = np.arange(np.prod(dims)).reshape(dims)
    whole = np.array([b"v%d" % x for x in whole.ravel()], object).reshape(dims) if kind == "string" else whole
    whole = whole if kind == "string" else whole.astype(kind)
    cuts = [sorted({0, d, *data.draw(st.lists(st.integers(0, d), max_size=2))}) for d in dims]
    pieces = [(slice(None),) * 0]
    for c in cuts:
        pieces = [(*p, slice(a, b)) for p in pieces for a, b in zip(c, c[1:])]

    def spec(piece):
        extents = ":".join(f"{s.start},{s.stop - s.start}" for s in piece)
        return " ".join(map(str, dims)) + " " + extents

    save(folder / "m", [("x", whole[p]) for p in pieces], [spec(p) for p in pieces])
    starts = [data.draw(st.integers(0, d - 1)) for d in dims]
    box = tuple(slice(s, s + data.draw(st.integers(1, d - s))) for s, d in zip(starts, dims))
    everything, part = restore(folder / "m", ["x", "x"], [type_of(whole)] * 2, ["", spec(box)])
    assert_same(everything, whole)
    assert_same(part, whole[box])


def test_a_large_tensor_is_read_in_parallel(tmp_path):
    """Larger than several pieces of the reader, of a size that is not a multiple of anything."""
    value = np.random.default_rng(1).integers(0, 255, (3 << 22) + 17, np.uint8)
    save(tmp_path / "m", [("a", np.float32(1)), ("x", value), ("y", value[:5])])
    found = restore(tmp_path / "m", ["x", "y"], [tf.uint8] * 2)
    assert (found[0] == value).all() and (found[1] == value[:5]).all()
    data = tmp_path / "m.data-00000-of-00001"
    with open(data, "r+b") as file:
        file.seek(9_000_000)
        file.write(bytes([value[9_000_000 - 4] ^ 64]))
    with pytest.raises(tf.errors.DataLossError, match="tensor 'x': Checksum does not match"):
        restore(tmp_path / "m", ["x", "y"], [tf.uint8] * 2)
    assert (restore(tmp_path / "m", ["y"], [tf.uint8])[0] == value[:5]).all()


# ---- Files


def bytes_read():
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])


@pytest.mark.parametrize("kind", ["numbers", "strings"])
def test_a_tensor_is_read_once_for_all_its_slices(tmp_path, kind):
    """A variable that was whole becomes partitioned; reads of all of it for each part would also need much memory."""
    rows, parts = 64, 16
    whole = np.arange(rows << 14, dtype=np.float32).reshape(rows, -1)
    if kind == "strings":
        whole = np.array([bytes([i]) * (1 << 16) for i in range(rows)], object)
    save(tmp_path / "m", [("other", np.float32(1)), ("x", whole)])
    ends = ":-" if kind == "numbers" else ""
    shape = " ".join(map(str, whole.shape))
    specs = [f"{shape} {i * 4},4{ends}" for i in range(parts)]
    before = bytes_read()
    found = restore(tmp_path / "m", [*["x"] * parts, "other"], [type_of(whole)] * parts + [tf.float32], [*specs, ""])
    assert bytes_read() - before < 2 * (rows << 16)
    for i in range(parts):
        assert_same(found[i], whole[i * 4 : i * 4 + 4])


def test_saving_again_leaves_the_old_checkpoint_until_the_new_one_is_complete(tmp_path):
    """The new data has a name of its own; what is left over of anything is removed."""
    for i in range(4):
        save(tmp_path / "m", [("x", np.float32(i))])
        data = f"m.data-00000-of-0000{1 + i % 2}"
        assert sorted(os.listdir(tmp_path)) == [data, "m.index"]
        assert restore(tmp_path / "m", ["x"], [tf.float32]) == [i]
    (tmp_path / "m.data-00000-of-00009").write_bytes(b"left over")
    (tmp_path / "m.data-00000-of-00009.bak").write_bytes(b"somebody's")
    save(tmp_path / "m", [("x", np.float32(5))])
    assert sorted(os.listdir(tmp_path)) == ["m.data-00000-of-00001", "m.data-00000-of-00009.bak", "m.index"]


def test_a_save_that_fails_changes_nothing(tmp_path):
    save(tmp_path / "m", [("x", np.float32(1))])
    before = {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)}
    with pytest.raises(tf.errors.InvalidArgumentError, match="Adding duplicate key: x"):
        save(tmp_path / "m", [("x", np.float32(2)), ("x", np.float32(3))])
    assert {name: (tmp_path / name).read_bytes() for name in os.listdir(tmp_path)} == before


def test_a_damaged_index_is_replaced(tmp_path):
    save(tmp_path / "m", [("x", np.float32(1))])
    (tmp_path / "m.index").write_bytes(b"not a table")
    save(tmp_path / "m", [("x", np.float32(2))])
    assert restore(tmp_path / "m", ["x"], [tf.float32]) == [2]


def test_file_scheme_and_relative_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save("m", [("x", np.float32(1))])
    assert restore(f"file://{tmp_path}/m", ["x"], [tf.float32]) == [1]


def test_permissions_are_those_of_new_files(tmp_path):
    save(tmp_path / "m", [("x", np.float32(1))])
    (tmp_path / "other").touch()
    for name in os.listdir(tmp_path):
        assert stat.S_IMODE(os.stat(tmp_path / name).st_mode) == stat.S_IMODE(os.stat(tmp_path / "other").st_mode)


def test_merge(tmp_path):
    save(tmp_path / "temp" / "a", [("x", np.arange(3.0)), ("rows", values.FULL[:2])], ["", "6 10 0,2:-"])
    save(tmp_path / "temp" / "b", [("y", np.array([b"s"], object)), ("rows", values.FULL[2:])], ["", "6 10 2,4:-"])
    prefixes = [str(tmp_path / "temp" / c) for c in "ab"]
    for wanted in (2, 3):  # the second time over a checkpoint that must stay complete
        run(lambda: tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix=f"{tmp_path}/m"))
        names = [f"m.data-0000{i}-of-0000{wanted}" for i in range(2)]
        assert sorted(os.listdir(tmp_path)) == [*names, "m.index"]
        x, y, rows = restore(tmp_path / "m", ["x", "y", "rows"], [tf.float64, tf.string, tf.float32])
        assert x.tolist() == [0, 1, 2] and y.tolist() == [b"s"]
        assert_same(rows, values.FULL)
        save(tmp_path / "temp" / "a", [("x", np.arange(3.0))])
        save(tmp_path / "temp" / "b", [("y", np.array([b"s"], object)), ("rows", values.FULL)])


def test_merge_of_what_is_missing(tmp_path):
    save(tmp_path / "a", [("x", np.float32(1))])
    prefixes = [str(tmp_path / "a"), str(tmp_path / "b")]

    def merge(**options):
        run(
            lambda: tf.raw_ops.MergeV2Checkpoints(
                checkpoint_prefixes=prefixes, destination_prefix=f"{tmp_path}/m", delete_old_dirs=False, **options
            )
        )

    with pytest.raises(tf.errors.NotFoundError, match=r"b\.index; No such file.*need a file system that they share"):
        merge()
    merge(allow_missing_files=True)
    assert restore(tmp_path / "m", ["x"], [tf.float32]) == [1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="At least one prefix"):
        merge(allow_missing_files=True)


def test_names_of_shards():
    def name(*args):
        return run(lambda: tf.raw_ops.ShardedFilename(basename=args[0], shard=args[1], num_shards=args[2]))

    assert name("a/b", 3, 12) == b"a/b-00003-of-00012"
    assert name("", 123456, 1234567) == b"-123456-of-1234567"
    assert run(lambda: tf.raw_ops.ShardedFilespec(basename="b", num_shards=7)) == b"b-?????-of-00007"


@pytest.mark.parametrize("position, name", enumerate(["basename", "shard", "num_shards"]))
def test_names_of_shards_are_made_of_scalars(position, name):
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(dtype) for dtype in (tf.string, tf.int32, tf.int32)]
        made = tf.raw_ops.ShardedFilename(basename=fed[0], shard=fed[1], num_shards=fed[2])
        values = ["a", 1, 2]
        values[position] = [values[position]]
        with pytest.raises(tf.errors.InvalidArgumentError, match=rf"{name} must be a scalar, got shape \[1\]"):
            session.run(made, dict(zip(fed, values)))


def test_shapes_are_known_from_slices():
    with tf.Graph().as_default():
        outputs = tf.raw_ops.RestoreV2(
            prefix="m", tensor_names=["a", "b"], shape_and_slices=["6 10 0,2:-", ""], dtypes=[tf.float32, tf.int32]
        )
        assert outputs[0].shape.as_list() == [2, 10] and outputs[1].shape.rank is None


# ---- Errors


@pytest.mark.parametrize(
    ("names", "types", "specs", "cls", "text"),
    [
        (["z"], [tf.float32], None, tf.errors.NotFoundError, "Key z not found in checkpoint"),
        (["x"], [tf.int32], None, tf.errors.InvalidArgumentError,
         "tensor_name = x; expected dtype int32 does not equal original dtype float"),
        (["x"], [tf.float32], ["6 11 0,1:-"], tf.errors.InvalidArgumentError,
         r"tensor_name = x; shape in shape_and_slice spec \[6,11\] does not match the shape stored in checkpoint: "
         r"\[6,10\]"),
        (["x"], [tf.float32], ["6"], tf.errors.InvalidArgumentError, "Need least two elements in shape_and_slice"),
        (["x"], [tf.float32], ["6 ten -:-"], tf.errors.InvalidArgumentError, "Non numerical dimension"),
        (["x"], [tf.float32], ["6 10 -:a"], tf.errors.InvalidArgumentError, "Expected a pair of numbers or '-' but"),
        (["x"], [tf.float32], ["6 10 0,0:-"], tf.errors.InvalidArgumentError, "positive length but got start = 0"),
        (["x"], [tf.float32], ["6 10 5,2:-"], tf.errors.InternalError, "Extent in dimension 0 out of bounds"),
        (["x"], [tf.float32], ["6 10 -"], tf.errors.InternalError, "Mismatching ranks"),
    ],
)  # fmt: skip
def test_restoring_what_is_not_there(names, types, specs, cls, text, tmp_path):
    save(tmp_path / "m", [("x", values.FULL)])
    with pytest.raises(cls, match=text):
        restore(tmp_path / "m", names, types, specs)


def test_wrong_arguments(tmp_path):
    def fails(text, **arguments):
        arguments = {"prefix": f"{tmp_path}/m", **arguments}
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(lambda: tf.raw_ops.SaveV2(**dict(zip(arguments, map(of_any_shape, arguments.values())))))

    def of_any_shape(value):
        return value if value is one else tf.placeholder_with_default(value, None)

    one = [np.float32(1)]
    fails("have different number of elements: 1 vs. 2", tensor_names=["a"], shape_and_slices=["", ""], tensors=one)
    fails("Got 2 tensor names but 1 tensors", tensor_names=["a", "b"], shape_and_slices=["", ""], tensors=one)
    fails("should be an 1-D tensors", tensor_names="a", shape_and_slices=[""], tensors=one)
    fails("should have a single element", prefix=["a", "b"], tensor_names=["a"], shape_and_slices=[""], tensors=one)
    fails("needs a name", tensor_names=[""], shape_and_slices=[""], tensors=one)
    fails("does not match the shape of the tensor", tensor_names=["a"], shape_and_slices=["2 0,1"], tensors=one)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("starts", "cls", "text"),
    [((0, 3), tf.errors.InvalidArgumentError, "Does not have sufficient slices"),
     ((0, 1), tf.errors.InternalError, "Overlapping slices")],
)  # fmt: skip
def test_slices_that_are_no_partition(starts, cls, text, tmp_path):
    save(tmp_path / "m", [("x", values.FULL[s : s + 2]) for s in starts], [f"6 10 {s},2:-" for s in starts])
    with pytest.raises(cls, match=f"m: tensor 'x': {text}"):
        restore(tmp_path / "m", ["x"], [tf.float32])


def test_wrong_shapes_are_found_when_the_graph_is_built():
    raw, one = tf.raw_ops, [tf.constant(1.0)]
    wrong = [
        (lambda: raw.SaveV2(prefix=["m"], tensor_names=["a"], shape_and_slices=[""], tensors=one), "0 but is rank 1"),
        (lambda: raw.SaveV2(prefix="m", tensor_names="a", shape_and_slices=[""], tensors=one), "rank 1 but is rank 0"),
        (lambda: raw.SaveV2(prefix="m", tensor_names=["a"], shape_and_slices=["", ""], tensors=one), "be 1 but is 2"),
        (lambda: raw.SaveSlices(filename="m", tensor_names=["a"], shapes_and_slices=[[""]], data=one), "but is rank 2"),
        (lambda: raw.Save(filename="m", tensor_names=["a", "b"], data=one), "Dimension must be 1 but is 2"),
        (lambda: raw.RestoreV2(prefix="m", tensor_names=["a"], shape_and_slices=["", ""], dtypes=[tf.int32]),
         r"Dimension 0 in both shapes must be equal, but are 1 and 2. Shapes are \[1\] and \[2\]"),
        (lambda: raw.RestoreSlice(file_pattern="m", tensor_name=["a"], shape_and_slice="", dt=tf.int32), "is rank 1"),
        (lambda: raw.Restore(file_pattern="m", tensor_name=["a"], dt=tf.int32), "rank 0 but is rank 1"),
        (lambda: raw.Restore(file_pattern=["m"], tensor_name="a", dt=tf.int32), "rank 0 but is rank 1"),
        (lambda: raw.MergeV2Checkpoints(checkpoint_prefixes="a", destination_prefix="m"), "rank 1 but is rank 0"),
        (lambda: raw.ShardedFilename(basename="m", shard=[1], num_shards=2), "rank 0 but is rank 1"),
    ]  # fmt: skip
    for build, text in wrong:
        with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
            build()


def test_a_folder_that_does_not_exist(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="none/none/m.data-00000-of-00001.*No such file or directory"):
        save(tmp_path / "none" / "none" / "m", [("x", np.float32(1))])
    save(tmp_path / "one" / "m", [("x", np.float32(1))])  # one level is made, as by TensorFlow
    assert restore(tmp_path / "one" / "m", ["x"], [tf.float32]) == [1]
    (tmp_path / "file").touch()
    with pytest.raises(tf.errors.FailedPreconditionError, match="Not a directory"):
        save(tmp_path / "file" / "m", [("x", np.float32(1))])


def test_a_folder_without_rights(tmp_path):
    if os.geteuid() == 0:
        folder = "/proc"  # root may write anywhere else
        expected = (tf.errors.NotFoundError, tf.errors.PermissionDeniedError)
    else:
        folder = tmp_path / "readonly"
        os.mkdir(folder, 0o500)
        expected = tf.errors.PermissionDeniedError
    with pytest.raises(expected, match="m.data-00000-of-00001"):
        save(f"{folder}/m", [("x", np.float32(1))])


def test_a_full_disk_is_an_error_that_names_the_tensor(tmp_path, monkeypatch):
    """By a limit of the size of files; tests of crashes fill a disk at every point of a save."""
    import resource
    import signal

    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, old[1]))
    try:
        message = r"m.data.*File too large \(while tensor 'y' was saved\)"
        with pytest.raises(tf.errors.ResourceExhaustedError, match=message):
            save(tmp_path / "m", [("x", np.zeros(1 << 20, np.uint8)), ("y", np.zeros(5 << 20, np.uint8))])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
    assert os.listdir(tmp_path) == []


def test_a_step_is_cancelled_while_it_saves(tmp_path):
    """Closing the session ends a save of many pieces, which leaves nothing behind."""
    with tf.Graph().as_default():
        value = tf.placeholder(tf.uint8, [None])
        op = tf.raw_ops.SaveV2(prefix=f"{tmp_path}/m", tensor_names=["x"], shape_and_slices=[""], tensors=[value])
        session = tf.Session()
        data = np.zeros(600 << 20, np.uint8)
        outcome = []

        def work():
            try:
                session.run(op, {value: data})
                outcome.append("done")
            except (tf.errors.CancelledError, RuntimeError) as error:
                outcome.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        while not os.listdir(tmp_path) and thread.is_alive():
            thread.join(0.001)
        session.close()
        thread.join()
    left = os.listdir(tmp_path)
    assert left == [] or outcome == ["done"] and "m.index" in left
