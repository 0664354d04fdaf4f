"""The collective consistency check: when ranks compile a step, they compare the collectives that it will run.

Each rank sends every other rank a hash of the collectives in its step in which both take part, and the constants with
which the step applies results of collectives to variables, such as a learning rate. If the peer has no such step but
has others that this rank lacks, the two compare lists of the collectives. Two steps that share a collective but differ
can't run together: both ranks raise an error at once. Steps that share none may belong to two threads; only if both
ranks still wait in such steps after a while is that an error, too.

One rank may compile a step again while the others don't, for example because its plan was dropped or to check numerics.
So an agreement between two ranks on a step stays valid.

An error ends one attempt at a collective: a program may correct what differed and compile the step again under the same
names. Each rank counts the attempts at each collective. A rank that hears of a failed attempt before it has compiled
its own step fails when it compiles it. A rank that has failed already begins the next attempt with its next step, and
ignores late news of the last one.

A step is sent as JSON, as a schedule: {"hash": of the collectives, "constants": {name: value}, "collectives": {key:
[what it does, type and shape of each input, names of the inputs]}}. A schedule without its collectives is a brief.
"""

import contextlib
import hashlib
import json
import threading

import numpy

from tfcore.distributed.collectives import collective
from tfcore.distributed.fabric import fabric
from tfcore.framework import errors
from tfcore.ops.collective.collective import group_of

GRACE_S = 5.0
KEPT = 4096  # steps that are remembered for each peer: several times the plans of a session

_lock = threading.Lock()
_pairs = {}  # peer -> _Pair, under the lock
_attempts = {}  # key of a collective -> _Attempt, under the lock

_KINDS = {
    "GroupAllreduce": "allreduce",
    "GroupBarrier": "barrier",
    "GroupAllgather": "allgather",
    "GroupBroadcast": "broadcast",
    "GroupReduceScatter": "reduce_scatter",
    "GroupCheckEqual": "equal values",
}
_OPS = {b"Add": "sum", b"Min": "min", b"Max": "max", b"Mul": "product"}


class _Pair:
    """The steps that this rank and a peer have compiled; used under the lock.

    mine: schedules of steps that only this rank has compiled so far. theirs: briefs of steps that only the peer has
    compiled so far. agreed: briefs of steps that both have compiled.
    """

    def __init__(self):
        self.mine, self.theirs, self.agreed = [], [], []

    def agree(self, *steps):
        for step in steps:
            self.forget(step)
            _keep(self.agreed, step)

    def forget(self, step):
        """Neither rank waits for the step any longer."""
        for steps in (self.mine, self.theirs):
            steps[:] = [other for other in steps if not _is_same(other, step)]


class _Attempt:
    """The latest attempt at a collective that this rank knows of; used under the lock.

    error: why it failed, or None. is_compiled: this rank has compiled a step with the collective in this attempt.
    """

    def __init__(self):
        self.number, self.error, self.is_compiled = collective.first_attempt(), None, False


def _begin_attempts(keys):
    """({key: number of its attempt}, error text or None) for the collectives of a step that this rank compiles now."""
    numbers, problem = {}, None
    with _lock:
        for key in keys:
            attempt = _attempts.setdefault(key, _Attempt())
            if attempt.error and attempt.is_compiled and (attempt.number + 1) % collective.MAX_ATTEMPTS:
                attempt.number, attempt.error = attempt.number + 1, None
                collective.begin_attempt(key, attempt.number)
            attempt.is_compiled = True
            numbers[key] = attempt.number
            problem = problem or attempt.error
    return numbers, problem


def _fail_attempts(numbers, text):
    """Fails all runs of these attempts, including those under way. Earlier attempts are over, and are ignored.

    If one of them fails here, a step fails with it, and so do the others: all start over when the step is corrected.

    Args:
      numbers: {key: number of the attempt}; None instead of a number: the current one.
      text: of the error.
    """
    with _lock:
        known = [(number, _attempts[key]) for key, number in numbers.items() if key in _attempts]
        fails_here = any(attempt.is_compiled and number in (None, attempt.number) for number, attempt in known)
        for key, number in numbers.items():
            attempt = _attempts.setdefault(key, _Attempt())
            if number is not None and number < attempt.number:
                continue
            if number is not None and number > attempt.number:
                attempt.number, attempt.is_compiled = number, False
                collective.begin_attempt(key, number)
            attempt.error = text
            attempt.is_compiled |= fails_here
            collective.poison(key, errors.INVALID_ARGUMENT, text)
    collective.end_poisoned()


def _pair(peer):
    return _pairs.setdefault(peer, _Pair())


def _is_same(a, b):
    return a["hash"] == b["hash"] and _differing_constant(a, b) is None


def _among(steps, step):
    return any(_is_same(other, step) for other in steps)


def _keep(steps, step):
    """Appends the step's brief; drops the oldest ones if there are too many."""
    steps[:] = [other for other in steps[1 - KEPT :] if not _is_same(other, step)]
    steps.append(_brief(step))


def _brief(schedule):
    return {"hash": schedule["hash"], "constants": schedule["constants"]}


def check_schedule(nodes):
    """Compares a step with those of the other ranks. Does not wait for ranks that compile theirs later.

    Args:
      nodes: the operations of the step.

    Raises:
      InvalidArgumentError: another rank has compiled a different step; names ranks, operation and both descriptions.
    """
    collectives = [n for n in nodes if n.type in _KINDS]
    if not collectives or fabric.size() < 2:
        return
    me, by_peer = fabric.rank(), {}
    for node in collectives:
        key = (node.attrs["instance_key"] or node.op.name.encode()).decode()
        group, key = collective.resolve(group_of(node.attrs), key)
        for peer in group if me in group else ():
            if peer != me:
                by_peer.setdefault(peer, {})[key] = _describe(node, group)
    numbers, problem = _begin_attempts(sorted({key for found in by_peer.values() for key in found}))
    op = collectives[0].op
    if problem:
        raise errors.InvalidArgumentError(None, op, problem + errors.location(op))
    constants = _constants(nodes)
    schedules = {
        peer: {"hash": _hash(found), "constants": constants, "collectives": found} for peer, found in by_peer.items()
    }
    lonely = {}
    problems = [problem for peer, schedule in schedules.items() if (problem := _compare(peer, schedule, lonely))]
    if lonely and not problems:
        timer = threading.Timer(GRACE_S, _look_again, [lonely])
        timer.daemon = True
        timer.start()
    if problems:
        text, theirs = problems[0][0], {key for _, keys in problems for key in keys}
        others = dict.fromkeys(sorted(theirs - numbers.keys()))  # of the peers' steps, which fail as well
        _fail_attempts({**others, **numbers}, text)
        for peer, schedule in schedules.items():
            _forget(peer, schedule)
            failed = {**others, **{key: numbers[key] for key in schedule["collectives"]}}
            with contextlib.suppress(errors.OpError):  # the remaining peers must still be notified
                _call(peer, "collective_broken", [_brief(schedule), failed, text])
        raise errors.InvalidArgumentError(None, op, text + errors.location(op))


def _describe(node, group):
    """[what it does, type and shape of each input, names of the inputs]; unknown shapes and sizes are None."""
    attrs = node.attrs
    what = _KINDS[node.type]
    if "merge_op" in attrs:
        what += f" ({'mean' if attrs['final_op'] == b'Div' else _OPS[attrs['merge_op']]})"
    if "root" in attrs:
        what += f" from {attrs['root']}"
    inputs, names = [], []
    for source, index in map(_origin, node.inputs):
        names.append(f"{source.op.name}:{index}")
        dims = source.dims[index]
        if node.type == "GroupAllgather" and dims:
            dims = (None, *dims[1:])
        inputs.append([source.dtypes[index].base_dtype.name, None if dims is None else list(dims)])
    return [f"{what} among ranks {group}", inputs, names]


def _origin(pair):
    """The value that a copy between devices of this process copies, or the value itself."""
    while sends := [node for node in pair[0].controls if node.type == "_Send"] if pair[0].type == "_Recv" else ():
        [pair] = sends[0].inputs
    return pair


def _constants(nodes):
    """{name: value} of the constants with which optimizers apply results of collectives."""
    found = {}
    for node in nodes:
        if node.type.startswith(("Apply", "SparseApply")):
            constants, is_shared = _sources(node)
            if is_shared:
                found.update(constants)
    return found


def _sources(update):
    """The constants that an update depends on, and whether it depends on a collective.

    Neither the inputs of collectives nor the origin of variables' values count.
    """
    constants, is_shared = {}, False
    seen, waiting = {update}, [update]
    while waiting:
        for source, index in map(_origin, waiting.pop().inputs):
            if source in seen or source.dtypes[index]._is_ref_dtype:
                continue
            seen.add(source)
            is_shared |= source.type in _KINDS
            if source.type == "Const":
                constants[source.op.name] = _say_value(source.attrs["value"])
            elif source.type not in _KINDS:
                waiting.append(source)
    return constants, is_shared


def _say_value(value):
    array = numpy.asarray(value)
    if array.size == 1:
        return str(array.reshape(())[()])
    digest = hashlib.sha1(numpy.ascontiguousarray(array).tobytes() if array.dtype != object else repr(value).encode())
    return f"{array.dtype.name}{list(array.shape)} with digest {digest.hexdigest()[:16]}"


def _hash(collectives):
    compared = sorted((key, what, inputs) for key, (what, inputs, _) in collectives.items())
    return hashlib.sha1(json.dumps([collective.epoch(), compared]).encode()).hexdigest()


def _call(peer, method, value):
    """The peer's answer; True if it is gone or has excluded this task: then the collectives will report that."""
    try:
        return json.loads(fabric.call(peer, method, json.dumps(value).encode()))
    except (errors.UnavailableError, errors.AbortedError):
        return True


def _compare(peer, schedule, lonely):
    """Compares a schedule with the peer's; returns None, or the text of an error and the keys in the peer's steps.

    Notes in `lonely` (peer -> schedule) that the peer has not compiled it.
    """
    with _lock:
        pair = _pair(peer)
        if _among(pair.agreed, schedule):
            return None
        known = _among(pair.theirs, schedule)
        if known:
            pair.agree(schedule)
        elif not _among(pair.mine, schedule):
            pair.mine.append(schedule)
    # If the answer is a list, it has the steps that this rank has not compiled.
    answer = _call(peer, "collective_schedule", _brief(schedule))
    if not known and answer and answer is not True:
        answer = _call(peer, "collective_schedule", schedule)
    if answer is True:
        with _lock:
            _pair(peer).agree(schedule)
    if known or answer is True or not answer:
        return None
    difference = _first_difference(schedule, answer)
    if difference:
        keys = {key for other in answer if _share_some(schedule, other) for key in other["collectives"]}
        return _text(peer, *difference), keys
    lonely[peer] = schedule
    return None


def _forget(peer, step):
    with _lock:
        _pair(peer).forget(step)


def _on_schedule(peer, payload):
    """Handles the brief or the schedule of a step that a peer has compiled.

    The answer is True if this rank has compiled the step, too, else the steps that only this rank has compiled.
    """
    step = json.loads(payload)
    is_whole = "collectives" in step
    with _lock:
        pair = _pair(peer)
        mine = list(pair.mine)
        same = [s for s in mine if _is_same(s, step)] or [s for s in mine if is_whole and _goes_with(s, step)]
        if same or _among(pair.agreed, step):
            pair.agree(step, *same[:1])
            return b"true"
        _keep(pair.theirs, step)
    for other in mine if is_whole else ():
        difference = _first_difference(other, [step])
        if difference:
            _forget(peer, other)
            _forget(peer, step)
            _fail_attempts(dict.fromkeys({**other["collectives"], **step["collectives"]}), _text(peer, *difference))
    return json.dumps(mine).encode()


def _goes_with(mine, theirs):
    return _share_some(mine, theirs) and _first_difference(mine, [theirs]) is None


def _share_some(mine, theirs):
    return not mine["collectives"].keys().isdisjoint(theirs["collectives"])


def _first_difference(schedule, others):
    """(what differs, mine, theirs) for the first of the others that shares a collective but differs, or None."""
    for other in others:
        if not _share_some(schedule, other):
            continue
        collectives, their_collectives = schedule["collectives"], other["collectives"]
        for key in sorted(collectives.keys() | their_collectives.keys()):
            mine, theirs = collectives.get(key), their_collectives.get(key)
            if mine is None or theirs is None or not _compatible(mine, theirs):
                return f"with different collectives: '{key}'", _say(mine), _say(theirs)
        name = _differing_constant(schedule, other)
        if name is not None:
            mine, theirs = schedule["constants"][name], other["constants"][name]
            return f"that update variables with different constants: '{name}'", f"has {mine}", f"has {theirs}"
    return None


def _differing_constant(a, b):
    """The first name in both steps whose values differ, or None.

    Ranks may update different variables, or name constants differently; those can't be compared.
    """
    mine, theirs = a["constants"], b["constants"]
    return next((name for name in sorted(mine.keys() & theirs) if mine[name] != theirs[name]), None)


def _compatible(mine, theirs):
    """Whether two descriptions may match; sizes that are unknown at compile time are compared when the step runs."""
    if mine[0] != theirs[0] or len(mine[1]) != len(theirs[1]):
        return False
    for (dtype, dims), (other_dtype, other_dims) in zip(mine[1], theirs[1]):
        if dtype != other_dtype:
            return False
        if dims is None or other_dims is None:
            continue
        if len(dims) != len(other_dims) or any(a != b for a, b in zip(dims, other_dims) if None not in (a, b)):
            return False
    return True


def _say(entry):
    if entry is None:
        return "does not have it"
    what, inputs, names = entry
    inputs = ", ".join(f"{dtype}{_shape(dims)} '{name}'" for (dtype, dims), name in zip(inputs, names))
    return f"has {what}" + (f" of {inputs}" if inputs else "")


def _shape(dims):
    return "[...]" if dims is None else f"[{','.join('?' if d is None else str(d) for d in dims)}]"


def _text(peer, what, mine, theirs):
    me, other = fabric.name(fabric.rank()), fabric.name(peer)
    return f"Ranks have compiled steps {what}: {me} {mine}, but {other} {theirs}"


def _look_again(lonely):
    """After the grace period: an error if this rank and a peer each wait in a step that the other has not compiled."""
    for peer, schedule in lonely.items():
        _look_at(peer, schedule)


def _look_at(peer, schedule):
    with _lock:
        is_lonely = _among(_pair(peer).mine, schedule)
    waiting = [key for key in schedule["collectives"] if collective.waits(key)] if is_lonely else []
    if not waiting:
        return
    text = f"{fabric.name(fabric.rank())} waits in '{waiting[0]}'"
    try:
        answer = _call(peer, "collective_wait", text)
    except errors.OpError:
        return  # the fabric was closed, or memory ran out: nobody is waiting for this answer
    if isinstance(answer, str):
        _fail_attempts(
            dict.fromkeys(schedule["collectives"]),
            f"Ranks wait for each other in different collectives: {text}, but {answer}",
        )


def _on_wait(peer, payload):
    """A peer waits in a step that this rank has not compiled. Answers where this rank waits for the peer, or None."""
    with _lock:
        mine = list(_pair(peer).mine)
    for schedule in mine:
        for key in schedule["collectives"]:
            if collective.waits(key):
                here = f"{fabric.name(fabric.rank())} waits in '{key}'"
                text = f"Ranks wait for each other in different collectives: {here}, but {json.loads(payload)}"
                _fail_attempts(dict.fromkeys(schedule["collectives"]), text)
                return json.dumps(here).encode()
    return b"null"


def _on_broken(peer, payload):
    """A peer can't run a step: its collectives fail here, too."""
    step, failed, text = json.loads(payload)
    _forget(peer, step)
    _fail_attempts(failed, text)
    return b"true"


def begin_epoch():
    """All ranks compile their steps again. Those that began the epoch earlier may have told of attempts."""
    with _lock:
        _pairs.clear()
        first = collective.first_attempt()
        for key in [key for key, attempt in _attempts.items() if attempt.number < first]:
            del _attempts[key]


def _on_failure(peer):
    with _lock:
        _pairs.pop(peer, None)


def serve():
    """Registers the handlers; called before the fabric is started."""
    _pairs.clear()
    _attempts.clear()
    fabric.on_failure(_on_failure)
    fabric.serve("collective_schedule", _on_schedule)
    fabric.serve("collective_wait", _on_wait)
    fabric.serve("collective_broken", _on_broken)
