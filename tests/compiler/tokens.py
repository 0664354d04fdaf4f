"""A machine for programs with control flow that runs nodes in random order, with tagged tokens, alive or dead.

It defines what partitions must compute together, in whatever order nodes run and messages arrive. A tag is the path to
an iteration: ((frame name, iteration), ...), outermost first; () is the program itself.
"""

from tfcore.compiler.frames import ENTER as ENTERS
from tfcore.compiler.frames import EXIT as EXITS
from tfcore.compiler.frames import NEXT_ITERATION as REPEATS
from tfcore.compiler.partition import THIS_PROCESS

DEAD = object()

FUNCTIONS = {
    "Identity": lambda a: a,
    "LoopCond": lambda a: a,
    "AddV2": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Maximum": max,
    "Minimum": min,
    "Less": lambda a, b: a < b,
    "LogicalAnd": lambda a, b: a and b,
}


class Task:
    """One partition. The tokens of a node and tag gather in `come` until it can run."""

    def __init__(self, program):
        self.nodes = program.nodes
        self.users = {}  # (node, index; None: control) -> [(user, input; None: control)]
        self.names = {}  # frame name -> its Enter nodes
        for node in self.nodes:
            for j, (source, index) in enumerate(node.inputs):
                self.users.setdefault((source, index), []).append((node, j))
            for source in node.controls:
                self.users.setdefault((source, None), []).append((node, None))
            if node.type in ENTERS:
                self.names.setdefault(node.attrs["frame_name"], []).append(node)
        self.come = {}  # (node, tag) -> {input: value}, controls under ("^", source)
        self.ran = set()
        self.ready = [(n, ()) for n in self.nodes if not n.inputs and not n.controls]
        self.waiting = []  # Recvs
        # (tag of the parent, name) -> {"enters": number received, "exits": {node: value}, "constants", "last"}
        self.frames = {}
        self.later = []  # (node, tag, value): of iterations that may not begin yet


class Machine:
    """Runs partitions until nothing moves. skips: dead values do not enter frames, whose exits are dead at once."""

    def __init__(self, programs, rng, skips=False, window=None):
        self.tasks = [Task(p) for p in programs]
        self.rng = rng
        self.skips = skips
        self.window = window
        self.mail = {}  # (edge, tag) -> value
        self.values = {}  # (node, index), of the program itself -> value
        self.messages = 0
        self.most_mail = 0

    def run(self, fetches, feeds=None):
        """The values of (node, index) pairs."""
        for (node, index), value in (feeds or {}).items():
            for task in self.tasks:
                self.send(task, node, index, (), value)
        while True:
            moves = [(t, i) for t in self.tasks for i in range(len(t.ready))]
            moves += [(t, r) for t in self.tasks for r in t.waiting if (r[0].attrs["_edge"], r[1]) in self.mail]
            if not moves:
                if self.finish_frames():
                    continue
                break
            task, move = self.rng.choice(moves)
            if isinstance(move, int):
                self.step(task, *task.ready.pop(move))
            else:
                task.waiting.remove(move)
                node, tag = move
                self.done(task, node, tag, [self.mail.pop((node.attrs["_edge"], tag))])
            self.begin_iterations()
        left = [(r[0].name, r[1]) for t in self.tasks for r in t.waiting]
        assert not left, f"these wait for ever: {left}"
        assert not self.mail, f"nobody has taken {list(self.mail)}"
        assert not any(t.later for t in self.tasks)
        return [self.values[pair] for pair in fetches]

    # ---- Nodes

    def step(self, task, node, tag):
        found = task.come.get((node, tag), {})
        values = [found.get(j) for j in range(len(node.inputs))]
        dead = any(v is DEAD for v in found.values())
        if node.type == "Merge":
            j = next((j for j, v in enumerate(values) if v is not None and v is not DEAD), None)
            dead = j is None or any(found[k] is DEAD for k in found if isinstance(k, tuple))
            self.done(task, node, tag, [DEAD] * 2 if dead else [values[j], j], dead)
        elif node.type == "ControlTrigger":
            self.done(task, node, tag, [], False)
        elif node.type == "_Send":
            self.messages += 1
            key = node.attrs["_edge"], tag
            assert key not in self.mail
            if node.attrs["_peer"] != THIS_PROCESS or not dead:
                self.mail[key] = DEAD if dead else values[0]
                self.most_mail = max(self.most_mail, len(self.mail))
            self.done(task, node, tag, [], dead)
        elif node.type == "_Recv" and (node.attrs["_peer"] != THIS_PROCESS or not dead):
            task.waiting.append((node, tag))
        elif node.type in ENTERS:
            self.enter(task, node, tag, values[0] if not dead else DEAD)
        elif node.type in EXITS:
            self.leave(task, node, tag, values[0] if not dead else DEAD)
        elif node.type in REPEATS:
            if not dead:
                name, count = tag[-1]
                task.later.append((node, (*tag[:-1], (name, count + 1)), values[0]))
        elif dead:
            self.done(task, node, tag, [DEAD] * len(node.dtypes), True)
        elif node.type == "Switch":
            self.done(task, node, tag, [DEAD, values[0]] if values[1] else [values[0], DEAD])
        elif node.type in ("Const", "NoOp"):
            self.done(
                task, node, tag, [v.item() if v.size == 1 else v for v in [node.attrs.get("value")] if v is not None]
            )
        else:
            self.done(task, node, tag, [FUNCTIONS[node.type](*values)])

    def done(self, task, node, tag, values, dead=None):
        if dead is None:
            dead = bool(values) and all(v is DEAD for v in values)
        for index, value in enumerate(values):
            self.send(task, node, index, tag, value)
        self.send(task, node, None, tag, DEAD if dead else True)

    def send(self, task, node, index, tag, value):
        if tag == () and index is not None:
            self.values[node, index] = value
        for user, j in task.users.get((node, index), ()):
            found = task.come.setdefault((user, tag), {})
            key = ("^", node) if j is None else j
            assert key not in found, f"{user.name} gets input {key} twice in {tag}"
            found[key] = value
            if self.is_ready(user, found, tag) and (user, tag) not in task.ran:
                task.ran.add((user, tag))
                task.ready.append((user, tag))

    @staticmethod
    def is_ready(node, found, tag):
        if sum(isinstance(k, tuple) for k in found) < len(node.controls):
            return False
        values = [found[j] for j in range(len(node.inputs)) if j in found]
        if node.type != "Merge":
            return len(values) == len(node.inputs)
        if any(v is not DEAD for v in values):
            return True
        kind = ENTERS if not tag or tag[-1][1] == 0 else REPEATS
        loops = any(s.type in ENTERS | REPEATS for s, _ in node.inputs)
        return len(values) == (sum(s.type in kind for s, _ in node.inputs) if loops else len(node.inputs))

    # ---- Frames

    def frame(self, task, tag):
        return task.frames.setdefault(tag, {"enters": 0, "exits": {}, "constants": [], "last": 0, "alive": False})

    def enter(self, task, node, tag, value):
        name = node.attrs["frame_name"]
        frame = self.frame(task, (tag, name))
        frame["enters"] += 1
        frame["alive"] |= value is not DEAD
        if value is DEAD and self.skips:
            return
        if node.attrs["is_constant"]:
            frame["constants"].append((node, value))
        for count in range(frame["last"] + 1 if node.attrs["is_constant"] else 1):
            inside = (*tag, (name, count))
            self.send(task, node, 0, inside, value)
            self.send(task, node, None, inside, DEAD if value is DEAD else True)

    def leave(self, task, node, tag, value):
        if value is not DEAD:
            frame = self.frame(task, (tag[:-1], tag[-1][0]))
            assert node not in frame["exits"]
            frame["exits"][node] = value
            self.done(task, node, tag[:-1], [value])

    def is_busy(self, task, tag):
        """Whether something happens in an iteration, or in one before."""
        depth, (name, count) = len(tag), tag[-1]

        def inside(t):
            return (
                len(t) >= depth and t[: depth - 1] == tag[:-1] and t[depth - 1][0] == name and t[depth - 1][1] <= count
            )

        if any(inside(t) for _, t in [*task.ready, *task.waiting]) or any(inside(t) for _, t, _ in task.later):
            return True
        begun = task.frames.get((tag[:-1], name))
        return begun is not None and begun["enters"] < len(task.names[name])

    def begin_iterations(self):
        for task in self.tasks:
            for entry in list(task.later):
                node, tag, value = entry
                name, count = tag[-1]
                if (
                    self.window
                    and count >= self.window
                    and self.is_busy(task, (*tag[:-1], (name, count - self.window)))
                ):
                    continue
                task.later.remove(entry)
                frame = self.frame(task, (tag[:-1], name))
                if count > frame["last"]:
                    frame["last"] = count
                    for constant, held in frame["constants"]:
                        self.send(task, constant, 0, tag, held)
                        self.send(task, constant, None, tag, DEAD if held is DEAD else True)
                self.send(task, node, 0, tag, value)
                self.send(task, node, None, tag, True)

    def finish_frames(self):
        """When nothing moves any more: exits that never had a value are dead. True: that has moved something."""
        for task in self.tasks:
            for (tag, name), frame in sorted(task.frames.items(), key=lambda f: -len(f[0][0])):
                if frame["enters"] < len(task.names[name]) or any(
                    t[: len(tag)] == tag and len(t) > len(tag) and t[len(tag)][0] == name for _, t in task.waiting
                ):
                    continue
                for node in task.nodes:
                    if node.type in EXITS and node not in frame["exits"] and self.belongs(task, node, name):
                        frame["exits"][node] = DEAD
                        self.done(task, node, tag, [DEAD])
                        return True
        return False

    def belongs(self, task, node, name):
        seen, todo, depth = set(), [(node, 0)], 0
        while todo:
            node, depth = todo.pop()
            for source in [*[s for s, _ in node.inputs], *node.controls]:
                inner = depth + (source.type in EXITS)
                if source.type in ENTERS:
                    if inner == 0:
                        return source.attrs["frame_name"] == name
                    inner -= 1
                if (source, inner) not in seen:
                    seen.add((source, inner))
                    todo.append((source, inner))
        return False
