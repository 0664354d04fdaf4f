"""Messages between processes: order, payloads, full rings, memory, threads."""

import threading
import time

import numpy as np

from tests.distributed import LONG_S, PATIENCE, tasks

TENSOR = 4
DTYPES = "float32 float64 int32 uint8 int16 int8 complex64 int64 bool bfloat16 uint16 complex128 float16 uint32 uint64"


def with_mailbox(task):
    """The connected fabric and its mailbox for TENSOR messages."""
    boxes = []

    def prepare():
        from tfcore.distributed.fabric import fabric

        boxes.append(fabric.Mailbox(TENSOR))

    return task.connect(prepare), boxes[0]


def wait_until(condition, seconds=20):
    """False if it did not become true in time."""
    end = time.monotonic() + seconds * PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.005)
    return True


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
    for size in (2047, 2048, 2049):  # about the limit of what travels inside a message
        yield np.arange(size, dtype=np.float32)


def exchange_values(task):
    fabric, box = with_mailbox(task)
    n = 0
    for i, value in enumerate(values()):
        fabric.send(1 - task.rank, TENSOR, value, step=i, edge=i + 1, frame=i + 2, iteration=-i, flags=1, code=3)
    for i, value in enumerate(values()):
        m = box.get(LONG_S)
        assert (m.step, m.edge, m.frame, m.iteration, m.flags, m.code) == (i, i + 1, i + 2, -i, 1, 3)
        assert m.source == 1 - task.rank and m.value.shape == value.shape
        got = np.asarray(m.value.numpy())
        assert value.dtype == object or got.dtype == value.dtype
        assert got.tolist() == value.tolist()
        n += 1
    del m
    fabric.send(1 - task.rank, TENSOR)
    assert box.get(LONG_S).value is None
    assert wait_until(lambda: fabric.stats()["outstanding"] == 0)
    task.meet()
    return n


def test_every_type_and_shape():
    assert tasks.run(2, exchange_values) == [129, 129]


def send_to_self(task):
    fabric, box = with_mailbox(task)
    for value in values():
        fabric.send(0, TENSOR, value)
        assert np.asarray(box.get(0).value.numpy()).tolist() == value.tolist()
    assert box.get(0.01) is None
    return True


def test_messages_to_the_own_rank_are_handled_at_once():
    assert tasks.run(1, send_to_self) == [True]


def flood(task, n):
    """Every task sends n messages to every other before it looks at any."""
    fabric, box = with_mailbox(task)
    for i in range(n):
        for other in task.others:
            fabric.send(other, TENSOR, None if i % 3 else np.full(i % 700, i, np.int32), step=i)
    expected = dict.fromkeys(task.others, 0)
    for _ in range(n * len(task.others)):
        m = box.get(LONG_S)
        assert m.step == expected[m.source]
        if m.step % 3 == 0:
            assert m.value.numpy().tolist() == [m.step] * (m.step % 700)
        expected[m.source] += 1
    assert wait_until(lambda: fabric.stats()["overflowing"] == 0)
    task.meet()
    return sorted(set(expected.values()))


def test_floods_keep_their_order():
    assert tasks.run(2, flood, 50_000) == [[50_000]] * 2


def test_all_to_all_with_more_processes_than_cores():
    assert tasks.run(8, flood, 1000) == [[1000]] * 8


def bursts(task, seed):
    """Both send random bursts of random sizes, and read random numbers of messages in between."""
    fabric, box = with_mailbox(task)
    other = 1 - task.rank
    plan, expected = np.random.default_rng(seed + task.rank), np.random.default_rng(seed + other)
    pace = np.random.default_rng(task.rank)
    sent = got = 0

    def take(timeout_s):
        nonlocal got
        m = box.get(timeout_s)
        if m is None and timeout_s == 0:
            return
        size = int(expected.integers(0, 3000) ** 2 / 300)
        assert m.step == got and m.value.shape == (size,)
        assert size == 0 or (m.value.numpy() == got % 256).all()
        got += 1

    while sent < 5000:
        for _ in range(pace.integers(1, 400)):
            size = int(plan.integers(0, 3000) ** 2 / 300)
            fabric.send(other, TENSOR, np.full(size, sent % 256, np.uint8), step=sent)
            sent += 1
        for _ in range(pace.integers(0, 400)):
            if got < 5000:
                take(0)
        if pace.integers(4) == 0:
            time.sleep(0.001)
    while got < 5000:
        take(30)
    task.meet()
    return True


def test_random_bursts():
    for seed, spin in ((1, "50"), (2, "0")):
        assert tasks.run(2, bursts, seed, env={"TFCORE_SPIN_US": spin}) == [True, True]


def send_from_threads(task, threads, n):
    fabric, box = with_mailbox(task)
    other = 1 - task.rank

    def work(number):
        for i in range(n):
            fabric.send(other, TENSOR, np.full(1 + i % 5000, i, np.int32), step=i, edge=number)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for t in workers:
        t.start()
    expected = [0] * threads
    for _ in range(threads * n):
        m = box.get(LONG_S)
        assert m.step == expected[m.edge]
        assert (m.value.numpy() == m.step).all()
        expected[m.edge] += 1
    for t in workers:
        t.join()
    task.meet()
    return expected


def test_threads_that_send_at_the_same_time():
    assert tasks.run(2, send_from_threads, 4, 3000) == [[3000] * 4] * 2


def hand_over(task, n):
    """n large tensors, never more than a few at a time: the arena does not grow."""
    from tfcore.core.memory.tensor import TensorValue

    fabric, box = with_mailbox(task)
    other, sizes = 1 - task.rank, []
    for i in range(n):
        fabric.send(other, TENSOR, TensorValue.from_numpy(np.full(5000, i, np.int32)))
        if i % 8 == 7:
            for k in range(i - 7, i + 1):
                a = box.get(LONG_S).value.numpy()
                assert a[0] == k and a[-1] == k
        if i % (n // 4) == n // 4 - 1:
            sizes.append(fabric.stats()["arena_bytes_in_use"])
    assert wait_until(lambda: fabric.stats()["outstanding"] == 0)
    task.meet()
    return sizes


def test_memory_handed_over_comes_back():
    from tests.threads import rounds  # tasks do without Hypothesis, which it imports

    for sizes in tasks.run(2, hand_over, rounds(100_000)):
        assert sizes[-1] <= sizes[0] + (16 << 20)


def hold_and_write(task):
    """What a peer holds does not change, whatever its owner does meanwhile."""
    from tfcore.core.memory.tensor import TensorValue

    fabric, box = with_mailbox(task)
    held = []
    for i in range(50):
        fabric.send(1 - task.rank, TENSOR, TensorValue.from_numpy(np.full(100_000, i, np.int32)))
        held.append(box.get(LONG_S).value)
        TensorValue.from_numpy(np.full(100_000, -1, np.int32))
    assert [set(v.numpy().tolist()) for v in held] == [{i} for i in range(50)]
    task.meet()
    assert fabric.stats()["outstanding"] == 50
    task.meet()
    held.clear()
    assert wait_until(lambda: fabric.stats()["outstanding"] == 0)
    task.meet()
    return True


def test_what_a_peer_holds_stays():
    assert tasks.run(2, hold_and_write) == [True, True]


def use_the_arena(task):
    from tfcore.core.memory.tensor import TensorValue
    from tfcore.core.runtime import memory_stats, set_memory_limit, trim_memory

    before = TensorValue.from_numpy(np.full(1_000_000, 7, np.int8))  # memory of the system
    fabric, box = with_mailbox(task)
    rng = np.random.default_rng(0)
    held = {}
    for i in range(3000):
        held[int(rng.integers(60))] = TensorValue.from_numpy(np.full(int(rng.integers(1, 2_000_000)), i % 100, np.int8))
        if i % 500 == 0:
            trim_memory()
    assert all(v.numpy().min() == v.numpy().max() for v in held.values())
    in_use = fabric.stats()["arena_bytes_in_use"]
    assert sum(v.nbytes for v in held.values()) <= in_use <= memory_stats()["bytes_reserved"] + (1 << 20)
    fabric.send(task.rank, TENSOR, before)
    held.clear()
    del before
    assert (box.get(LONG_S).value.numpy() == 7).all()
    trim_memory()
    assert fabric.stats()["arena_bytes_in_use"] < in_use / 4  # small blocks, kept by threads
    set_memory_limit(memory_stats()["bytes_reserved"] + (4 << 20))
    try:
        TensorValue.from_numpy(np.zeros(10_000_000))
    except Exception as error:
        assert "OOM" in str(error)
    else:
        raise AssertionError("the limit does not hold")
    set_memory_limit(0)
    return fabric.stats()["arena_free_ranges"] < 200


def test_the_allocator_uses_the_arena():
    assert tasks.run(2, use_the_arena) == [True] * 2


def take_memory(task, fabric):
    """Whether a large tensor is in the arena."""
    from tfcore.core.memory.tensor import TensorValue

    held = TensorValue.from_numpy(np.zeros(1_000_000))
    in_use = fabric.stats()["arena_bytes_in_use"]
    task.meet()
    assert in_use == 0 or in_use >= held.nbytes
    return in_use > 0


def take_memory_on_one_host(task):
    return take_memory(task, task.connect())


def take_memory_on_two_hosts(task):
    from tfcore.distributed.fabric import fabric

    addresses = [a.encode() for a in task.exchange(fabric.open(task.rank, task.size).decode())]
    assert fabric.connect(addresses, hosts=[0, 1]) == [rank == task.rank for rank in range(2)]
    assert fabric.share_machine(addresses) == [True, True]
    fabric.start()
    return take_memory(task, fabric)


def test_without_neighbours_the_arena_is_not_used():
    """Nobody would read it, and the pages of the system's memory may be larger."""
    assert tasks.run(1, take_memory_on_one_host) == [False]
    assert tasks.run(2, take_memory_on_two_hosts) == [False, False]
    assert tasks.run(2, take_memory_on_one_host) == [True, True]


def vary_sizes(task):
    """Growing sizes, the worst order for memory that is kept for reuse; three values at a time."""
    from tfcore.core.memory.tensor import TensorValue

    fabric, _ = with_mailbox(task)
    before, largest, values = fabric.stats()["arena_bytes_in_use"], 0, []
    for i in range(300):
        size = int(10_000 * 4000 ** (i / 299))
        values = [*values[-2:], TensorValue.from_numpy(np.full(size, i % 100, np.int8))]
        need = sum(v.nbytes for v in values)
        largest = max(largest, need)
        assert fabric.stats()["arena_bytes_in_use"] - before <= 1.5 * largest + (64 << 20)
    assert largest > 100 << 20
    return True


def test_the_arena_follows_what_is_used():
    assert tasks.run(2, vary_sizes) == [True] * 2


def wait_idle(task):
    fabric, box = with_mailbox(task)
    waiter = threading.Thread(target=box.get, args=(3,))
    waiter.start()
    time.sleep(0.3)
    start = time.process_time()
    time.sleep(1)
    used = time.process_time() - start
    waiter.join()
    task.meet()
    return used


def test_waiting_costs_no_core():
    assert max(tasks.run(3, wait_idle)) < 0.1


def open_again(task):
    from tfcore.core.memory.tensor import TensorValue

    kept = []
    for i in range(3):
        fabric, box = with_mailbox(task)
        fabric.send(1 - task.rank, TENSOR, TensorValue.from_numpy(np.full(10_000, i)))
        kept.append(box.get(LONG_S).value)
        task.meet()
        fabric.close(0.05)
        assert fabric.rank() == -1 and fabric.size() == 0
        task.meet()
    return [sorted(set(v.numpy().tolist())) for v in kept]


def test_a_fabric_can_be_opened_again():
    assert tasks.run(2, open_again) == [[[0], [1], [2]]] * 2
