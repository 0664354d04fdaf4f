"""Random pipelines over integers. Each stage is (a function of a Dataset, a function of an iterable)."""

import itertools

from hypothesis import strategies as st

import tfcore as tf

LIMIT = 300  # elements that are compared

small = st.integers(0, 6)
positive = st.integers(1, 5)


def batches(items, n):
    items = iter(items)
    while rows := list(itertools.islice(items, n)):
        yield rows


def interleaved(items, make, cycle, block):
    """Elements of make(item), `block` of each of `cycle` iterators in turn."""
    items, open_ones, at, ended = iter(items), [None] * cycle, 0, False
    while True:
        if open_ones[at] is None and not ended:
            try:
                open_ones[at] = iter(make(next(items)))
            except StopIteration:
                ended = True
        if ended and not any(open_ones):
            return
        if open_ones[at] is not None:
            rows = list(itertools.islice(open_ones[at], block))
            yield from rows
            if len(rows) < block:
                open_ones[at] = None
        at = (at + 1) % cycle


def linear(k, c, calls):
    return (lambda d: d.map(lambda x: x * k + c, calls)), (lambda i: (x * k + c for x in i()))


def repeat(n):
    return (lambda d: d.repeat(n)), (lambda i: itertools.chain.from_iterable(i() for _ in range(n)))


def interleave(cycle, block, calls):
    def make(x):
        return range(abs(x) % 4)

    return (
        lambda d: d.interleave(
            lambda x: tf.data.Dataset.range(tf.abs(x) % 4), cycle, block, calls and min(calls, cycle)
        ),
        lambda i: interleaved(i(), make, cycle, block),
    )


def batched(n):
    """Batches, and back to elements."""
    return (lambda d: d.batch(n).unbatch()), (lambda i: i())


def even_batches(n):
    return (
        lambda d: d.batch(n, drop_remainder=True).map(tf.reduce_sum),
        lambda i: (sum(rows) for rows in batches(i(), n) if len(rows) == n),
    )


def windows(size, shift, stride, drop):
    def expected(items):
        items = list(items)
        for first in range(0, len(items), shift):
            window = items[first : first + (size - 1) * stride + 1 : stride]
            if len(window) == size or not drop:
                yield sum(window)

    return (
        lambda d: d.window(size, shift, stride, drop).flat_map(lambda w: w.batch(size)).map(tf.reduce_sum),
        lambda i: expected(i()),
    )


def groups(n, size):
    """The sums of groups of `size` elements that leave the same rest."""

    def expected(items):
        open_ones = {}
        for x in items:
            group = open_ones.setdefault(x % n, [])
            group.append(x)
            if len(group) == size:
                yield sum(group)
                group.clear()
        yield from (sum(open_ones[key]) for key in sorted(open_ones) if open_ones[key])

    return (
        lambda d: d.group_by_window(lambda x: x % n, lambda _, w: w.batch(size), size).map(tf.reduce_sum),
        lambda i: expected(i()),
    )


def chosen(n):
    """Elements in turn with numbers from 0 to n - 1, until there are no more of either."""
    return (
        lambda d: tf.data.Dataset.choose_from_datasets(
            [d, tf.data.Dataset.range(n)], tf.data.Dataset.range(2).repeat()
        ),
        lambda i: _in_turn(i(), range(n)),
    )


def _in_turn(one, other):
    both = iter(one), iter(other)
    for at in itertools.cycle(both):
        try:
            yield next(at)
        except StopIteration:
            return


def concatenate(n):
    return (lambda d: d.concatenate(tf.data.Dataset.range(n))), (lambda i: itertools.chain(i(), range(n)))


def zipped():
    return (
        lambda d: tf.data.Dataset.zip((d, d.skip(1))).map(lambda a, b: a - b),
        lambda i: (a - b for a, b in zip(i(), itertools.islice(i(), 1, None))),
    )


def sharded(n, index):
    return (lambda d: d.shard(n, index)), (lambda i: itertools.islice(i(), index, None, n))


def unchanged(change):
    return change, (lambda i: i())


stages = st.one_of(
    st.builds(linear, st.integers(-3, 3), st.integers(-9, 9), st.sampled_from([None, -1, 1, 2, 3])),
    st.builds(
        lambda m: ((lambda d: d.filter(lambda x: tf.equal(x % m, 0))), (lambda i: (x for x in i() if x % m == 0))),
        positive,
    ),
    st.builds(lambda n: ((lambda d: d.take(n)), (lambda i: itertools.islice(i(), n))), st.integers(0, 20)),
    st.builds(lambda n: ((lambda d: d.skip(n)), (lambda i: itertools.islice(i(), n, None))), small),
    st.builds(repeat, small),
    st.builds(interleave, positive, positive, st.sampled_from([None, -1, 1, 2, 4])),
    st.builds(batched, positive),
    st.builds(even_batches, positive),
    st.builds(concatenate, small),
    st.builds(zipped),
    st.builds(windows, positive, positive, positive, st.booleans()),
    st.builds(groups, positive, positive),
    st.builds(chosen, small),
    st.just(((lambda d: d.unique()), (lambda i: iter(dict.fromkeys(i()))))),
    st.integers(1, 4).flatmap(lambda n: st.builds(sharded, st.just(n), st.integers(0, n - 1))),
    st.builds(lambda n: unchanged(lambda d: d.prefetch(n)), st.integers(-1, 4)),
    st.just(unchanged(lambda d: d.cache())),
)
pipelines = st.tuples(st.integers(0, 12), st.lists(stages, max_size=8))


def build(drawn):
    """(Dataset, function that returns an iterator over what it should contain)."""
    n, drawn_stages = drawn
    dataset, expected = tf.data.Dataset.range(n), lambda: iter(range(n))
    for change, model in drawn_stages:
        dataset, expected = change(dataset), _applied(model, expected)
    return dataset.take(LIMIT), lambda: itertools.islice(expected(), LIMIT)


def _applied(model, items):
    return lambda: iter(model(items))
