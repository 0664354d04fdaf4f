"""Whether ranks run the same collectives: they compare, when a step is compiled, what it will run.

Each rank tells every other rank the hash of the collectives of its step in which both take part; only where a peer has no
step with that hash, but others that this rank has not, they look at the lists. Two steps that share a collective and
differ can't go together: that is an error on both ranks at once. Steps that share none may be those of two threads; if
both still wait for each other's after a while, that is an error, too.
"""

import hashlib
import json
import threading

from tfcore.distributed import collective, fabric
from tfcore.framework import errors

GRACE_S = 5.0

_lock = threading.Lock()
_mine = {}  # peer -> [schedule] of this rank that the peer has not told of yet; a schedule is {key: description}
_theirs = {}  # peer -> [hash] that this rank has not compiled yet

_KINDS = {
    "GroupAllreduce": "allreduce",
    "GroupBarrier": "barrier",
    "GroupAllgather": "allgather",
    "GroupBroadcast": "broadcast",
    "GroupReduceScatter": "reduce_scatter",
}
_OPS = {b"Add": "sum", b"Min": "min", b"Max": "max", b"Mul": "product"}


def check_schedule(nodes):
    """Compares the collectives of a step with those of the other ranks; does not wait for ranks that come later.

    Args:
      nodes: the operations of the step; those that are no collectives are left out.

    Raises:
      InvalidArgumentError: another rank has compiled a step that differs; names ranks, operation and both descriptions.
    """
    nodes = [n for n in nodes if n.type in _KINDS]
    if not nodes or fabric.size() < 2:
        return
    me, by_peer = fabric.rank(), {}
    for node in nodes:
        group = collective.members(node.attrs["group"] or node.attrs["job"].decode() or None)
        for peer in group if me in group else ():
            if peer != me:
                key = (node.attrs["instance_key"] or node.op.name.encode()).decode()
                by_peer.setdefault(peer, {})[key] = _describe(node, group)
    problems = [text for peer, schedule in by_peer.items() if (text := _compare(peer, schedule))]
    if problems:
        for peer, schedule in by_peer.items():
            _call(peer, "collective_broken", [list(schedule), problems[0]])
        raise errors.InvalidArgumentError(None, None, problems[0])


def _describe(node, group):
    """[what it does, type and shape of each input, their names]; shapes are None where they are not known."""
    attrs = node.attrs
    what = _KINDS[node.type]
    if "merge_op" in attrs:
        what += f" ({'mean' if attrs['final_op'] == b'Div' else _OPS[attrs['merge_op']]})"
    if "root" in attrs:
        what += f" from {attrs['root']}"
    inputs = []
    for source, index in node.inputs:
        dims = source.dims[index]
        if node.type == "GroupAllgather" and dims:
            dims = (None, *dims[1:])
        inputs.append([source.dtypes[index].base_dtype.name, None if dims is None else list(dims)])
    return [f"{what} among ranks {group}", inputs, [f"{source.name}:{index}" for source, index in node.inputs]]


def _hash(schedule):
    compared = sorted((key, what, inputs) for key, (what, inputs, _) in schedule.items())
    return hashlib.sha1(json.dumps(compared).encode()).hexdigest()


def _call(peer, method, value):
    """The peer's answer; True if it is gone, which the collectives will say."""
    try:
        return json.loads(fabric.call(peer, method, json.dumps(value).encode()))
    except errors.UnavailableError:
        return True


def _compare(peer, schedule):
    """What is wrong, or None."""
    digest = _hash(schedule)
    with _lock:
        waiting = _theirs.get(peer, [])
        known = digest in waiting
        if known:
            waiting.remove(digest)
        else:
            _mine.setdefault(peer, []).append(schedule)
    answer = _call(peer, "collective_schedule", [digest, None])
    if known or answer is True or not answer:
        return None
    answer = _call(peer, "collective_schedule", [digest, schedule])
    if answer is True:
        _forget(peer, schedule)
        return None
    difference = _first_difference(schedule, answer)
    if difference:
        _forget(peer, schedule)
        return _text(peer, *difference)
    if answer:
        timer = threading.Timer(GRACE_S, _look_again, [peer, schedule])
        timer.daemon = True
        timer.start()
    return None


def _forget(peer, schedule):
    with _lock:
        if schedule in _mine.get(peer, ()):
            _mine[peer].remove(schedule)


def _on_schedule(peer, payload):
    """Another rank has compiled a step. Answer: True if this one has, too, else its steps that the peer does not know."""
    digest, schedule = json.loads(payload)
    with _lock:
        mine = list(_mine.get(peer, ()))
        same = next((s for s in mine if _hash(s) == digest or schedule and _goes_with(s, schedule)), None)
        if same is not None:
            _mine[peer].remove(same)
        elif schedule is None:
            _theirs.setdefault(peer, []).append(digest)
        if schedule is not None and same is not None and digest in _theirs.get(peer, ()):
            _theirs[peer].remove(digest)
    if same is not None:
        return b"true"
    for other in mine if schedule else ():
        difference = _first_difference(other, [schedule])
        if difference:
            _forget(peer, other)
            _poison(other, _text(peer, *difference))
    return json.dumps(mine).encode()


def _goes_with(mine, theirs):
    return bool(mine.keys() & theirs.keys()) and _first_difference(mine, [theirs]) is None


def _first_difference(schedule, others):
    """(key, mine, theirs) of a step that shares a collective with one of the others and differs, or None."""
    for other in others:
        if not schedule.keys() & other.keys():
            continue
        for key in sorted(schedule.keys() | other.keys()):
            mine, theirs = schedule.get(key), other.get(key)
            if mine is None or theirs is None or not _compatible(mine, theirs):
                return key, mine, theirs
    return None


def _compatible(mine, theirs):
    """Sizes that are not known when the step is compiled are compared when it runs."""
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


def _text(peer, key, mine, theirs):
    return (
        f"Ranks have compiled steps with different collectives: '{key}': {fabric.description(fabric.rank())} {_say(mine)}, but "
        f"{fabric.description(peer)} {_say(theirs)}"
    )


def _poison(schedule, text):
    for key in schedule:
        collective.poison(key, errors.INVALID_ARGUMENT, text)


def _look_again(peer, schedule):
    """After the time of grace: an error if both ranks wait in steps of which the other knows nothing."""
    with _lock:
        lonely = schedule in _mine.get(peer, ())
    waiting = [key for key in schedule if collective.waits(key)] if lonely else []
    if not waiting:
        return
    text = f"{fabric.description(fabric.rank())} waits in '{waiting[0]}'"
    answer = _call(peer, "collective_wait", text)
    if isinstance(answer, str):
        _poison(schedule, f"Ranks wait for each other in different collectives: {text}, but {answer}")


def _on_wait(peer, payload):
    """A peer waits in a step that this rank does not have. Answer: where this rank waits for the peer, or None."""
    with _lock:
        mine = list(_mine.get(peer, ()))
    for schedule in mine:
        for key in schedule:
            if collective.waits(key):
                here = f"{fabric.description(fabric.rank())} waits in '{key}'"
                _poison(
                    schedule, f"Ranks wait for each other in different collectives: {here}, but {json.loads(payload)}"
                )
                return json.dumps(here).encode()
    return b"null"


def _on_broken(peer, payload):
    """A peer can't run a step: what others wait for in it will not come."""
    keys, text = json.loads(payload)
    _poison(keys, text)
    return b"true"


def serve():
    """Before the fabric is started."""
    _mine.clear()
    _theirs.clear()
    fabric.serve("collective_schedule", _on_schedule)
    fabric.serve("collective_wait", _on_wait)
    fabric.serve("collective_broken", _on_broken)
