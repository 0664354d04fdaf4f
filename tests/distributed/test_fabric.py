"""Messages between processes: order, payloads, full rings, memory, calls, failures."""

import time

import numpy as np

from tests.distributed import tasks

TENSOR, RUN = 4, 5


def ping(task):
    box = {}

    def prepare():
        from tfcore.distributed import fabric

        box[0] = fabric.Mailbox(TENSOR)
        fabric.serve("double", lambda source, data: data * 2)

    fabric = task.connect(prepare)
    mail = box[0]
    other = 1 - task.rank
    for i in range(1000):
        if task.rank == 0:
            fabric.send(other, TENSOR, np.float32(i), step=i)
        m = mail.get(10)
        assert m.step == i and m.value.numpy() == i and m.source == other
        if task.rank == 1:
            fabric.send(other, TENSOR, np.float32(i), step=i)
    assert fabric.call(other, "double", b"abc") == b"abcabc"
    big = b"x" * (1 << 20)
    assert fabric.call(other, "double", big) == big * 2
    task.meet()
    fabric.close()
    return task.rank


DTYPES = "float32 float64 int32 uint8 int16 int8 complex64 int64 bool bfloat16 uint16 complex128 float16 uint32 uint64"


def values():
    """Tensors of every type in shapes small and large, empty ones too."""
    import ml_dtypes

    rng = np.random.default_rng(1)
    for name in DTYPES.split():
        dtype = ml_dtypes.bfloat16 if name == "bfloat16" else np.dtype(name)
        for shape in [(), (0,), (3, 0, 2), (1,), (7, 5), (64, 33, 3), (1, 2, 1, 2, 1, 2, 1, 2), (300_001,)]:
            yield rng.integers(0, 2 if name == "bool" else 100, shape).astype(dtype)
    for shape in [(), (0,), (4,), (3, 2), (5000,)]:
        texts = [bytes(rng.integers(0, 256, n, np.uint8)) for n in rng.integers(0, 30, int(np.prod(shape)))]
        yield np.array(texts, object).reshape(shape)
    yield np.array([b"", b"x" * 3_000_000, b"y"], object)


def exchange_values(task):
    boxes = []

    def prepare():
        from tfcore.distributed import fabric

        boxes.append(fabric.Mailbox(TENSOR))

    fabric = task.connect(prepare)
    n = 0
    for i, value in enumerate(values()):
        fabric.send(1 - task.rank, TENSOR, value, step=i, edge=i + 1, frame=i + 2, iteration=-i, flags=1, code=3)
    for i, value in enumerate(values()):
        m = boxes[0].get(10)
        assert (m.step, m.edge, m.frame, m.iteration, m.flags, m.code) == (i, i + 1, i + 2, -i, 1, 3)
        assert m.value.shape == value.shape
        got = np.asarray(m.value.numpy())
        assert got.dtype == (value.dtype if value.dtype != object or value.ndim else got.dtype)
        assert got.tolist() == value.tolist()
        n += 1
    del m
    fabric.send(1 - task.rank, TENSOR)
    assert boxes[0].get(10).value is None
    for _ in range(1000):
        fabric.poll()
        if not fabric.stats()["outstanding"]:
            break
        time.sleep(0.01)
    assert fabric.stats()["outstanding"] == 0
    task.meet()
    return n


def test_every_type_and_shape():
    assert tasks.run(2, exchange_values) == [126, 126]


def flood(task, n):
    """Every task sends n messages to every other before it looks at any."""
    boxes = []

    def prepare():
        from tfcore.distributed import fabric

        boxes.append(fabric.Mailbox(TENSOR))

    fabric = task.connect(prepare)
    for i in range(n):
        for other in task.others:
            fabric.send(other, TENSOR, None if i % 3 else np.full(i % 700, i, np.int32), step=i)
    expected = dict.fromkeys(task.others, 0)
    for _ in range(n * len(task.others)):
        m = boxes[0].get(20)
        assert m.step == expected[m.source]
        if m.step % 3 == 0:
            assert m.value.numpy().tolist() == [m.step] * (m.step % 700)
        expected[m.source] += 1
    task.meet()
    return sorted(set(expected.values()))


def test_floods_keep_their_order():
    assert tasks.run(3, flood, 20_000) == [[20_000]] * 3


def test_ping():
    assert tasks.run(2, ping) == [0, 1]
