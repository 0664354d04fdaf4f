"""The memory that a step allocates: by operation, with the user's line."""

from tfcore.client.step_stats import allocation_ids
from tfcore.core.step.failure import readable


class MemoryUse:
    """The memory of one operation in one step, in bytes.

    Attributes:
      name, type, line: of the operation. output: memory of values that it made. scratch: temporary memory.
        live_at_peak: how much of `output` (and, for the operation that runs then, `scratch`) was live at the peak.
        kept: output that outlives the step, in a variable or a fetched array.
    """

    __slots__ = ("name", "type", "line", "output", "scratch", "live_at_peak", "kept")

    def __repr__(self):
        return f"<MemoryUse {self.name}: output {self.output}, scratch {self.scratch}, at peak {self.live_at_peak}>"


class MemoryReport:
    """Memory of a traced step. str() is a table.

    Attributes:
      uses: list of MemoryUse, the largest at the peak first. peak: the most bytes that the step's values held.
      allocated: bytes allocated in all. variables: bytes of the variables that the step read, by name.
    """

    def __init__(self, observer):
        records = observer.nodes()
        ids = allocation_ids(observer, records)
        self.uses = []
        by_record = {}
        for record in records:
            use = MemoryUse()
            use.name, use.type, use.line = record.op.name, record.op.type, record.op.creation_line or ""
            use.output = sum(s.bytes for s in record.outputs if s is not None and s.fresh)
            use.scratch, use.live_at_peak, use.kept = record.scratch, 0, 0
            by_record[record.index] = use
            self.uses.append(use)
        self.allocated = sum(u.output + u.scratch for u in self.uses)
        self._find_peak(records, ids, by_record)
        for maker, n_bytes, freed in ids.live.values():
            if maker is not None and not freed:
                by_record[maker.index].kept += n_bytes
        self.uses.sort(key=lambda u: (-u.live_at_peak, -u.output - u.scratch))
        snapshots = [s for s in observer.snapshots().values() if s is not None]
        self.variables = sum({s.buffer: s.bytes for s in snapshots}.values())

    def _find_peak(self, records, ids, by_record):
        events = []  # (time, order, bytes, index, is scratch)
        for maker, n_bytes, freed in ids.live.values():
            index = -1 if maker is None else maker.index
            events.append((0 if maker is None else maker.start, 1, n_bytes, index, False))
            if freed:
                events.append((freed, 0, -n_bytes, index, False))
        for record in records:
            if record.scratch:
                events.append((record.start, 1, record.scratch, record.index, True))
                events.append((record.done, 0, -record.scratch, record.index, True))
        held, total, self.peak, at_peak = {}, 0, 0, {}
        for _, _, n_bytes, index, _ in sorted(events):
            total += n_bytes
            held[index] = held.get(index, 0) + n_bytes
            if total > self.peak:
                self.peak, at_peak = total, dict(held)
        for index, n_bytes in at_peak.items():
            if index >= 0:
                by_record[index].live_at_peak = n_bytes

    def table(self, rows=20):
        """The largest users, one per line."""
        lines = [
            f"peak {readable(self.peak)}, allocated {readable(self.allocated)}, "
            f"variables read {readable(self.variables)}"
        ]
        lines.append(f"{'at peak':>10s} {'output':>10s} {'scratch':>10s} {'kept':>10s}  operation")
        for use in self.uses[:rows]:
            sizes = [use.live_at_peak, use.output, use.scratch, use.kept]
            where = f" (defined at {use.line})" if use.line else ""
            lines.append(" ".join(f"{readable(n):>10s}" for n in sizes) + f"  {use.name} (op: {use.type}){where}")
        if len(self.uses) > rows:
            lines.append(f"and {len(self.uses) - rows} more operations")
        return "\n".join(lines)

    def __str__(self):
        return self.table()
