"""The order in which one thread runs a program's nodes.

Depth-first order keeps values short-lived. Nodes that change a variable wait, where dependencies allow, until the nodes
that hold a snapshot of it have run: otherwise the change would have to copy the variable first.
"""

import heapq

from tfcore.compiler.frames import before


def schedule(nodes):
    """The nodes, given in topological order, in the order in which to run them."""
    waiting, users = _dependencies(nodes)
    reads, unread = _readers(nodes)
    parked = {}  # variable -> writers that only wait for its readers
    ready = []

    def offer(node):
        blocking = next((v for v in _written(node) if unread.get(v)), None)
        if blocking is None:
            heapq.heappush(ready, (node.index, node))
        else:
            parked.setdefault(blocking, []).append(node)

    for node in nodes:
        if waiting[node] == 0:
            offer(node)
    order = []
    while ready or parked:
        if not ready:  # a reader needs a writer first: release one writer
            variable = min(parked, key=lambda v: parked[v][0].index)
            unread[variable] = 0
            for node in parked.pop(variable):
                offer(node)
            continue
        _, node = heapq.heappop(ready)
        order.append(node)
        for variable in reads.get(node, ()):
            unread[variable] -= 1
            if unread[variable] == 0:
                for writer in parked.pop(variable, ()):
                    offer(writer)
        for user in users.get(node, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                offer(user)
    return order


def _dependencies(nodes):
    """How many nodes each node waits for, and which nodes wait for it."""
    waiting, users = {}, {}
    for i, node in enumerate(nodes):
        node.index = i
        sources = {n for n in before(node) if not n.is_feed}
        waiting[node] = len(sources)
        for n in sources:
            users.setdefault(n, []).append(node)
    return waiting, users


def _written(node):
    """The reference-producing nodes whose variables `node` may change."""
    if not node.may_write():
        return []
    return [source for source, index in node.inputs if source.dtypes[index]._is_ref_dtype]


def _readers(nodes):
    """By node: the variables whose snapshots it uses, directly or through an Identity; and their numbers of readers."""
    reads, unread = {}, {}
    for node in nodes:
        if node.may_write():
            continue
        found = set()
        for source, index in node.inputs:
            if not source.is_feed and source.dtypes[index]._is_ref_dtype:
                found.add(source)
            elif source.type == "Identity" and source.inputs[0][0].dtypes[source.inputs[0][1]]._is_ref_dtype:
                found.add(source.inputs[0][0])
        if found:
            reads[node] = found
            for variable in found:
                unread[variable] = unread.get(variable, 0) + 1
    return reads, unread
