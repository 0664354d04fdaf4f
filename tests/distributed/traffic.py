"""A program for real clusters: every task sends every other messages of all types and sizes, and checks what it gets.

    python -m tests.distributed.traffic MEGABYTES

Prints "right N" with the number of messages that it has checked, and, between the first two ranks, "round trip" in us
and "throughput" in GB/s of a tensor of so many megabytes, there and back.
"""

import os
import sys
import time

import ml_dtypes
import numpy as np

import tfcore as tf
from tests.distributed import LONG_S
from tfcore.distributed.fabric import fabric

KIND = 15  # TFC_MSG_TEST
DTYPES = "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128".split()
SHAPES = [(), (0,), (3, 0, 2), (7, 5), (1, 2, 1, 2, 1, 2, 1, 2), (2047,), (2048,), (2049,), (64, 33, 3), (300_001,)]


def values(seed):
    """Tensors of every type, sizes on both sides of what fits into a header, in an order that mixes small and large."""
    rng = np.random.default_rng(seed)
    for shape in SHAPES:
        for name in [*DTYPES, "bfloat16"]:
            dtype = ml_dtypes.bfloat16 if name == "bfloat16" else np.dtype(name)
            yield rng.integers(0, 2 if name == "bool" else 100, shape).astype(dtype)
        texts = [bytes(rng.integers(0, 256, n, np.uint8)) for n in rng.integers(0, 30, min(5000, int(np.prod(shape))))]
        yield np.array(texts, object)
        yield None
    yield np.array([b"", b"x" * 3_000_000, b"y"], object)


def check(mailbox, others):
    """Receives what all others send, and compares it with what they should have sent.

    Returns: how many values were right, and the messages of what follows that came meanwhile.
    """
    expected = {rank: enumerate(values(rank)) for rank in others}
    right, left, early = 0, set(others), []
    while left:
        message = mailbox.get(LONG_S)
        assert message is not None, f"nothing more comes, but {left} have not sent everything"
        if message.source not in left:
            early.append(message)
            continue
        number, value = next(expected[message.source], (-1, None))
        if message.flags:
            assert number == -1, f"rank {message.source} left out message {number}"
            left.discard(message.source)
            continue
        assert (message.edge, message.step, message.iteration) == (number, -number, message.source), message
        got = None if message.value is None else message.value.numpy()
        assert (got is None) == (value is None)
        if value is not None:
            assert got.dtype == value.dtype and got.shape == value.shape, (number, got.dtype, value.dtype)
            np.testing.assert_array_equal(got, value)
        right += 1
    return right, early


def send_all(rank, others):
    for number, value in enumerate(values(rank)):
        for other in others:
            fabric.send(other, KIND, value, edge=number, step=-number, iteration=rank)
    for other in others:
        fabric.send(other, KIND, flags=4)


def measure(mailbox, early, rank, megabytes):
    """Messages between ranks 0 and 1, there and back."""
    small, large = np.float32(1), np.arange(megabytes << 18, dtype=np.float32)
    found = []
    for value, rounds in [(small, 200), (large, 3)]:
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            if rank == 0:
                fabric.send(1, KIND, value)
            got = (early.pop(0) if early else mailbox.get(LONG_S)).value
            if rank == 1:
                fabric.send(0, KIND, got)
            times.append(time.perf_counter() - start)
        assert got.numpy().size == value.size and got.numpy().flat[-1] == value.flat[-1]
        found.append(sorted(times)[len(times) // 2])
    print(f"round trip {found[0] * 1e6:.0f} us")
    print(f"throughput {2 * large.nbytes / found[1] / 1e9:.2f} GB/s")


def main(megabytes):
    mailbox = fabric.Mailbox(KIND)
    server = tf.train.Server(tf.train.ClusterSpec.from_mpi())
    rank = fabric.rank()
    others = [r for r in range(fabric.size()) if r != rank]
    send_all(rank, others)
    right, early = check(mailbox, others)
    # one write: lines of two ranks do not mix
    print(f"right {right} foreign {len(fabric.foreign())}\n", end="", flush=True)
    if rank < 2:
        measure(mailbox, early, rank, megabytes)
    if os.environ.get("TFCORE_TEST_IDLE"):
        time.sleep(float(os.environ["TFCORE_TEST_IDLE"]))
    server.join()


if __name__ == "__main__":
    main(int(sys.argv[1]))
