"""Which stage of an input pipeline steps wait for, and what may help: from what the stages of iterators count."""

import os
from typing import NamedTuple

_LEAST_SHARE = 0.5  # of the time that a stage waits for its input, for its input's stage to be the cause
_NOW = ("capacity", "filled", "workers", "calling")  # these counts are of the moment
_NO_THREADS = ("Files", "IgnoreErrors")  # these count only what they leave out
_SOURCES = {
    "Files": "read several files at the same time: num_parallel_reads, or interleave(..., num_parallel_calls)",
    "Generator": "its Python function holds the GIL: make examples in the graph, or read them from files",
}
_PARALLEL = {
    "Map": "map(..., num_parallel_calls=tf.data.AUTOTUNE)",
    "Interleave": "interleave(..., num_parallel_calls=tf.data.AUTOTUNE)",
}


class Bottleneck(NamedTuple):
    """The stage of an iterator's pipeline that the others wait for.

    iterator: the name of its operation. names: of the stages, and kinds: such as "ParallelMap". threads: that work for
    them; 0: the one of the step. waited: how long whoever took elements of the stage waited, in seconds. advice: what
    may help.
    """

    iterator: str
    names: list
    kinds: list
    threads: int
    waited: float
    advice: str

    def __str__(self):
        stages = ", ".join(f"{kind} '{name}'" if name else kind for kind, name in zip(self.kinds, self.names))
        threads = f"{self.threads} thread{'s' * (self.threads != 1)}" if self.threads else "the thread of the step"
        return f"{self.iterator} is held up by {stages}, with {threads}: {self.advice}"


def bottlenecks(before, after):
    """The stage that holds up each iterator from which steps took elements.

    Args:
      before: The stages of all iterators at the start, from `core/registry/statistics.pyx`. after: At the end.

    Returns:
      A list of `Bottleneck`, the one that was waited for longest first.
    """
    old, by_iterator = {_key(stage): stage for stage in _numbered(before)}, {}
    for stage in _numbered(after):
        first = old.get(_key(stage), {})
        for name in ("taken", "taking_ns"):
            stage[name] -= first.get(name, 0)
        if stage["counts"] is not None:
            stage["counts"] = _added(first.get("counts") or {}, stage["counts"])
        by_iterator.setdefault(stage["iterator"], []).append(stage)
    used = [stages for stages in by_iterator.values() if stages[0]["taking_ns"] > 0]
    return sorted(map(_bottleneck, used), key=lambda b: -b.waited)


def _numbered(stages):
    """Copies with their place in the iterator's pipeline."""
    place, last = 0, None
    for stage in stages:
        place = place + 1 if stage["iterator"] == last else 0
        last = stage["iterator"]
        yield {**stage, "place": place}


def _key(stage):
    return stage["iterator"], stage["place"], stage["name"], stage["kind"]


def _added(first, counts):
    if any(counts[name] < first.get(name, 0) for name in ("elements", "consumer_ns")):
        first = {}  # the iterator was begun again
    return {name: count if name in _NOW else count - first.get(name, 0) for name, count in counts.items()}


def _waited(stage):
    return stage["counts"]["consumer_ns"] / 1e9 if stage["counts"] else 0.0


def _bottleneck(stages):
    at, seconds = _slowest(stages, -1), stages[0]["taking_ns"] / 1e9
    waited = _waited(stages[at]) if at is not None else 0.0
    if seconds > 2 * waited:
        own = stages[: len(stages) if at is None else at] or stages[:1]
        return _made(own, 0, seconds - waited, "end the dataset with prefetch")
    while True:
        counts = stages[at]["counts"]
        if counts["function_ns"] >= counts["input_ns"]:
            return _made([stages[at]], counts["workers"], _waited(stages[at]), _of_function(stages[at]))
        inner = _slowest(stages, at)
        if inner is None or stages[inner]["counts"]["consumer_ns"] < _LEAST_SHARE * counts["input_ns"]:
            break
        at = inner
    end = len(stages) if inner is None else inner
    own = [s for s in stages[at + 1 : end] if s["depth"] > stages[at]["depth"]] or [stages[at]]
    return _made(own, 1, _waited(stages[at]), _of_stages([s["kind"] for s in own]))


def _slowest(stages, at):
    """The index of the first stage with counts below stage `at`; of several inputs, the one that was waited for."""
    found, depth, skipped = None, -1 if at < 0 else stages[at]["depth"], None
    for i in range(at + 1, len(stages)):
        if stages[i]["depth"] <= depth:
            break
        if skipped is not None and stages[i]["depth"] > skipped:
            continue
        skipped = None
        if stages[i]["counts"] and stages[i]["kind"] not in _NO_THREADS:
            skipped = stages[i]["depth"]
            if found is None or _waited(stages[i]) > _waited(stages[found]):
                found = i
    return found


def _made(stages, threads, waited, advice):
    names, kinds = [s["name"].rpartition("dataset_factory/")[2] for s in stages], [s["kind"] for s in stages]
    return Bottleneck(stages[0]["iterator_name"], names, kinds, threads, waited, advice)


def _of_function(stage):
    workers, cores = stage["counts"]["workers"], os.cpu_count() or 1
    if stage["kind"] == "ParallelInterleave":
        return "the datasets of its cycle take the time; a larger cycle_length with more num_parallel_calls may help"
    if workers < cores:
        return f"its function takes the time; more num_parallel_calls may help, there are {cores} cores"
    return f"its function takes the time, and there are {cores} cores: only a cheaper function helps"


def _of_stages(kinds):
    for kind, advice in _PARALLEL.items():
        if kind in kinds:
            return advice
    return next((advice for kind, advice in _SOURCES.items() if kind in kinds), "they run one after the other")
