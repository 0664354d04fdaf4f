"""The trees of collectives: of collectives/tree.c alone, and in processes that pretend to be on several hosts."""

import ctypes
import os
import shutil
import subprocess
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.distributed import tasks
from tests.distributed.collectives.reductions import in_order, reduced
from tests.distributed.collectives.test_collective import TYPES, digest, join, run_op
from tests.distributed.collectives.test_collective_failure import error_of

FOLDER = os.path.join(tasks.ROOT, "tfcore", "distributed")
SOURCE = os.path.join(FOLDER, "collectives", "tree.c")
MANY = 40  # hosts


class Hosts(ctypes.Structure):
    _fields_ = [("n_ranks", ctypes.c_int), ("n_hosts", ctypes.c_int)]
    _fields_ += [(name, ctypes.POINTER(ctypes.c_int32)) for name in ("host_of", "first", "members")]


class Tree(ctypes.Structure):
    _fields_ = [("root", ctypes.c_int32), ("turn", ctypes.c_int32)]


class Child(ctypes.Structure):
    _fields_ = [("host", ctypes.c_int32), ("before", ctypes.c_bool)]


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    target = tmp_path_factory.mktemp("tree") / "tree.so"
    flags = [f"-I{FOLDER}", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, SOURCE, "-o", str(target)], check=True)
    library = ctypes.CDLL(str(target))
    library.tfc_hosts_init.restype = ctypes.c_bool
    library.tfc_tree_in_turn.restype = Tree
    return library


class Group:
    def __init__(self, code, memory):
        self.code, self.hosts = code, Hosts()
        assert code.tfc_hosts_init(ctypes.byref(self.hosts), len(memory), (ctypes.c_int32 * len(memory))(*memory))

    def close(self):
        self.code.tfc_hosts_clear(ctypes.byref(self.hosts))

    def in_turn(self, i):
        return self.code.tfc_tree_in_turn(ctypes.byref(self.hosts), ctypes.c_int64(i))

    def leader(self, tree, host):
        return self.code.tfc_tree_leader(ctypes.byref(self.hosts), tree, host)

    def parent(self, tree, rank):
        return self.code.tfc_tree_parent(ctypes.byref(self.hosts), tree, rank)

    def children(self, tree, host):
        found = (Child * 32)()
        n = self.code.tfc_tree_children(ctypes.byref(self.hosts), tree, host, found)
        return [(c.host, c.before) for c in found[:n]]


def expression(group, tree, host):
    """What a host's leader makes of all that comes to it; hosts are leaves."""
    children = group.children(tree, host)
    if group.hosts.n_hosts <= 8:
        before = [expression(group, tree, h) for h, early in children if early]
        after = [expression(group, tree, h) for h, early in children if not early]
        return in_order([*before, str(host), *after], lambda a, b: f"({a}{b})")
    total = str(host)
    for child, before in children:
        other = expression(group, tree, child)
        total = f"({other}{total})" if before else f"({total}{other})"
    return total


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_every_tree_combines_all_in_the_same_order(code, data):
    n = data.draw(st.integers(1, MANY))
    memory = [data.draw(st.integers(0, n - 1)) for _ in range(n)]
    group = Group(code, memory)
    hosts = group.hosts.n_hosts
    order = list(dict.fromkeys(memory))
    assert hosts == len(order) and [order[group.hosts.host_of[r]] for r in range(n)] == memory
    want = in_order([str(h) for h in range(hosts)], lambda a, b: f"({a}{b})")
    trees = [group.in_turn(i) for i in range(2 * n)] + [Tree(r, r + 3) for r in range(n)]
    for tree in trees:
        root_host = group.hosts.host_of[tree.root]
        assert group.leader(tree, root_host) == tree.root and group.parent(tree, tree.root) == -1
        assert expression(group, tree, root_host) == want
        for host in range(hosts):  # children and parents agree
            leader = group.leader(tree, host)
            assert group.hosts.host_of[leader] == host
            for child, _ in group.children(tree, host):
                assert group.parent(tree, group.leader(tree, child)) == leader
        for rank in range(n):
            if group.leader(tree, group.hosts.host_of[rank]) != rank:
                assert group.parent(tree, rank) == group.leader(tree, group.hosts.host_of[rank])
    group.close()


@pytest.mark.parametrize("hosts", [1, 2, 5, 8, 9, 16, 31, 40])
def test_a_tree_has_short_ways_and_few_children(code, hosts):
    group = Group(code, range(hosts))
    for tree in (group.in_turn(i) for i in range(hosts)):
        longest = 0
        for rank in range(hosts):
            at, steps = rank, 0
            while (up := group.parent(tree, at)) >= 0:
                at, steps = up, steps + 1
            longest = max(longest, steps)
            assert len(group.children(tree, rank)) <= (7 if hosts <= 8 else hosts.bit_length())
        assert longest <= (1 if hosts <= 8 else hosts.bit_length())
    group.close()


# ---- In processes


def spread(n, seed):
    """Hosts for n ranks: the lowest rank of each."""
    first = {}
    picks = np.random.default_rng(seed).integers(0, max(1, n - 1), n).tolist()
    return [first.setdefault(pick, rank) for rank, pick in enumerate(picks)]


def random_values(dtype, shape, size, seed):
    """For which the order matters, where that is possible."""
    rng = np.random.default_rng(seed)
    np_dtype = tf.as_dtype(dtype).as_numpy_dtype
    if dtype.startswith("complex"):
        return [(rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(np_dtype) for _ in range(size)]
    if "float" in dtype:
        return [np.asarray(rng.standard_normal(shape)).astype(np_dtype) for _ in range(size)]
    return [rng.integers(0, 9, shape).astype(np_dtype) for _ in range(size)]


def check_hosts(task, layouts, examples):
    from tfcore.distributed.fabric import fabric

    d = join(task)
    digests = []

    def check_one(layout, number, dtype, n, op, seed):
        op = "sum" if dtype.startswith("complex") else op
        all_values = random_values(dtype, [n], task.size, seed)
        want = reduced(op, all_values, layout)
        mine = all_values[task.rank]
        got = run_op(lambda x: d.allreduce(x, op, name=f"all{number}"), dtype, mine)
        assert got.tobytes() == want.tobytes(), (dtype, n, op, layout)
        rows = run_op(lambda x: d.reduce_scatter(x, op, name=f"rows{number}"), dtype, mine)
        assert rows.tobytes() == np.array_split(want, task.size)[task.rank].tobytes()
        root = seed % task.size
        sent = run_op(lambda x: d.broadcast(x, root, name=f"one{number}"), dtype, mine)
        assert sent.tobytes() == all_values[root].tobytes()
        digests.append(digest(got))

    for i, layout in enumerate(layouts):
        task.meet()
        fabric.pretend_hosts(layout)
        for k in range(examples):
            rng = np.random.default_rng(examples * i + k)
            n = int(rng.choice([0, 1, 5, 3000, 20011, 150_001, 600_000]))
            check_one(layout, f"{i}_{k}", rng.choice(TYPES), n, rng.choice(["sum", "mean", "min", "max"]), k)
        gathered = run_op(lambda x, i=i: d.allgather(x, name=f"gathered{i}"), "int32", np.int32(task.rank))
        assert gathered.tolist() == list(range(task.size))
    return digests


@pytest.mark.parametrize(
    "layouts",
    [
        [[0, 0], [0, 1]],
        [[0, 0, 0, 3], [0, 1, 1, 0], [0, 1, 2, 2], [0, 1, 2, 3]],
        [spread(7, 1), spread(7, 2)],
        [[*range(9)]],
        [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 3, 10]],
    ],
)
def test_results_have_the_defined_bits(layouts):
    results = tasks.run(len(layouts[0]), check_hosts, layouts, 12, seconds=180)
    assert results[0] and all(r == results[0] for r in results)


def count_messages(task, layout, sizes):
    from tfcore.distributed.collectives import collective
    from tfcore.distributed.fabric import fabric

    d = join(task)
    fabric.pretend_hosts(layout)
    counts = []
    for i, n in enumerate(sizes):
        before = collective.messages_sent()
        run_op(lambda x, i=i: d.allreduce(x, name=f"sum{i}"), "float32", np.ones(n, np.float32))
        task.meet()
        counts.append(collective.messages_sent() - before)
    return counts


def test_messages_of_each_rank_do_not_grow_with_the_ranks():
    sizes = [1, 50_000, 2_000_000]
    few, many = (tasks.run(n, count_messages, [*range(n)], sizes, seconds=180) for n in (9, 18))
    for counts in (few, many):
        for tiny, *_ in counts:
            assert tiny <= 6  # up once, down to the children of a binomial tree
        assert sum(tiny for tiny, *_ in counts) == 2 * (len(counts) - 1)
    for size in (1, 2):
        blocks = max(c[size] for c in few), max(c[size] for c in many)
        assert blocks[1] <= 2.5 * blocks[0], blocks


def test_ranks_of_a_host_send_one_stream_to_others():
    """2 hosts of 4 ranks: each block crosses once in each direction."""
    counts = tasks.run(8, count_messages, [0, 0, 0, 0, 4, 4, 4, 4], [4_000_000], seconds=120)
    blocks = 32
    assert sum(c[0] for c in counts) == 2 * 7 * blocks


def disagreeing(task, layout, odd):
    """One rank has another shape, then another operation; afterwards all agree."""
    from tfcore.distributed.fabric import fabric

    d = join(task)
    fabric.pretend_hosts(layout)

    def check(i, n):
        is_odd = task.rank == odd
        ones = np.ones(n, np.float32)
        other = np.ones(n + 1, np.float32) if is_odd else ones
        shapes = error_of(lambda: run_op(lambda x: d.allreduce(x, name=f"shape{i}"), "float32", other))
        with tf.Graph().as_default():
            op = d.barrier(name=f"kind{i}") if is_odd else d.allreduce(tf.constant(ones), name=f"kind{i}").op
        kinds = error_of(lambda: run_plain(op))
        task.meet()
        return [shapes, kinds, float(run_op(lambda x: d.allreduce(x, name=f"fine{i}"), "float32", ones)[0])]

    return check(0, 1) + check(1, 70_000)


def run_plain(op):
    with tf.Session(graph=op.graph) as session:
        session.run(op)


@pytest.mark.parametrize("layout, odd", [([0, 0, 2, 2], 3), ([*range(10)], 7), ([*range(9)], 0)])
def test_a_disagreement_is_found_by_all(layout, odd):
    for rank, result in enumerate(tasks.run(len(layout), disagreeing, layout, odd, seconds=120)):
        for i in (0, 1, 3, 4):
            kind, text = result[i]
            assert kind == "InvalidArgumentError" and f"(rank {odd})" in text, (rank, result)
        assert result[2] == result[5] == len(layout)


def one_dies(task, layout, victim, n):
    from tfcore.distributed.fabric import fabric

    d = join(task)
    fabric.pretend_hosts(layout)
    ones = np.ones(n, np.float32)
    total = d.allreduce(ones, name="total")
    with tf.Session() as session:
        session.run(total)
        if task.rank == victim:
            os.kill(os.getpid(), 9)
        threading.Timer(0.3, fabric.fail, [victim, "killed"]).start()
        waiting = error_of(lambda: session.run(total))
        later = error_of(lambda: session.run(total))
    others = [r for r in range(task.size) if r != victim]
    left = run_op(lambda x: d.allreduce(x, group=others, name="left"), "float32", ones)
    return [waiting, later, float(left[0])]


@pytest.mark.parametrize(
    "layout, victim, n", [([0, 0, 2, 2], 1, 300_000), ([*range(10)], 9, 300_000), ([*range(10)], 0, 3)]
)
def test_a_rank_that_is_killed_is_named_by_all(layout, victim, n):
    results = tasks.run(len(layout), one_dies, layout, victim, n, killed=[victim], seconds=120)
    for rank, result in enumerate(results):
        if rank == victim:
            continue
        for kind, text in result[:2]:
            assert kind == "UnavailableError" and "'total'" in text and f"(rank {victim})" in text, (rank, result)
        assert result[2] == len(layout) - 1
