"""Makes the exception for a failed step: which operation, on which line, and what a user needs to know."""

from cpython.ref cimport Py_DECREF
from libc.stdint cimport int64_t
from libc.stdlib cimport free

from tfcore.core.step.observer cimport Observer
from tfcore.core.step.plan cimport Plan
from tfcore.core.runtime cimport *
from tfcore.core.step.step cimport *
from tfcore.core.memory.tensor cimport tensor_to_numpy

import numpy

from tfcore.core.runtime import memory_stats
from tfcore.core.memory.tensor import DEVICE
from tfcore.framework.types import dtypes
from tfcore.framework import errors

cdef enum:
    LISTED = 20  # holders of memory that are named
    SHOWN = 10   # running operations that are named


cdef object step_error(Plan plan, StepState *s, tfc_step *step, Observer observer, control, int64_t timeout_ms):
    """The exception for a step whose code is not 0, while its values are still in their slots."""
    cause, text = errors.take_cause(step.id, step.node)
    if step.interrupt != NULL:
        error = <object>step.interrupt
        Py_DECREF(error)
        step.interrupt = NULL
        return error
    if cause is not None and not isinstance(cause, Exception):
        return cause
    if step.after_cancel:
        return cancellation(plan, step, observer, control, timeout_ms)
    message = text or (step.message.decode(errors="replace") if step.message != NULL else "")
    op = plan.op(step.node) if step.node >= 0 else None
    if op is not None and op.type == "_RunPartition":
        return remote_error(op, step.code, message, control)
    if op is not None and observer is not None and observer.o.bad_node == step.node:  # and did not fail otherwise
        message = numerics(plan, observer.o.state, step.node, observer)
    if op is not None:
        message += errors.location(op)
    if op is not None and control is not None and step.code == TFC_OUT_OF_RANGE:
        message += ends_of_inputs(op, control)
    if step.out_of_memory and step.code == TFC_RESOURCE_EXHAUSTED:
        message += memory_holders(plan, s, step, control)
    error = errors.from_code(step.code, None if op is None else op.original, message)
    error.__cause__ = cause
    return error


cdef str ends_of_inputs(op, control):
    """Why nothing more comes into the queues that an operation takes from."""
    text = ""
    for given in getattr(op.original, "inputs", ()):  # of another task's operation only the name is known
        if given.op.name in control.ends:
            text += f"\nThe queue runner of '{given.op.name}' has ended: {control.ends[given.op.name]}"
    return text


cdef object remote_error(node, int code, str message, control):
    """The error that another task reported for its part of the step, or that it can't be reached."""
    name = errors.name_in(message)
    if name is None:
        return errors.from_code(code, node.original, f"{message.rstrip('.')}. {node.partition.share()}")
    op = control.find_op(name) if control is not None else None
    return errors.from_code(code, op, message)


# ---- Cancelled steps

cdef object cancellation(Plan plan, tfc_step *step, Observer observer, control, int64_t timeout_ms):
    if step.code != TFC_DEADLINE_EXCEEDED:
        closed = control is not None and control.closed
        return errors.CancelledError(None, None, "Session has been closed." if closed else "The step was cancelled.")
    lines = [f"Timed out waiting for notification: step {step.id} did not finish within {timeout_ms} ms"]
    at = observer.o.deadline_ns
    running, finished = [], 0
    for record in observer.nodes():
        if record.done and record.done <= at:
            finished += 1
        elif record.start <= at:
            running.append(record)
    for record in running[:SHOWN]:
        suspended = 0 < record.suspended <= at
        since = record.suspended if suspended else record.start
        state = "suspended" if suspended else "running"
        lines.append(f"{state} for {(at - since) / 1e6:.1f} ms:{errors.location(record.op)}")
    if len(running) > SHOWN:
        lines.append(f"and {len(running) - SHOWN} more")
    total = plan.num_nodes
    lines.append(f"{finished} of {total} operations had finished, {total - finished - len(running)} had not started.")
    op = running[0].op.original if running else None
    return errors.DeadlineExceededError(None, op, "\n".join(lines))


# ---- Out of memory

def readable(n_bytes):
    """A number of bytes as TensorFlow writes it: 1.50KiB."""
    if n_bytes < 1024:
        return f"{n_bytes}B"
    for unit in "KMGTPE":
        n_bytes /= 1024
        if n_bytes < 1024 or unit == "E":
            return f"{n_bytes:.2f}{unit}iB"


cdef list values_of(Plan plan, StepState *s, tfc_step *step):
    """(buffer, bytes, text that names its holder, address of the device) of each value of a step."""
    cdef tfc_holders holders
    cdef size_t i
    cdef const tfc_buffer *buffer
    found = []
    tfc_list_holders(&plan.a, s, step, &holders)
    for i in range(holders.n):
        number = holders.items[i].number
        slot = -1 - number
        if number >= 0:
            text = errors.named(plan.op(number))
        elif slot < plan.a.n_feeds:
            text = f"the fed value of {plan.feed_names[slot]}"
        else:
            text = "a variable's earlier value"
        buffer = holders.items[i].buffer
        found.append((<size_t>buffer, holders.items[i].bytes, text, <size_t>buffer.device))
    free(holders.items)
    return found


cdef str memory_holders(Plan plan, StepState *s, tfc_step *step, control):
    """What holds memory now where there was not enough: values of the step, and the session's variables."""
    cdef tfc_device *device = NULL
    if step != NULL and 0 <= step.node < plan.a.n_nodes:
        device = plan.a.nodes[step.node].device
    if device != NULL and device.name not in step.message:  # an argument on the host
        device = NULL
    held = {}  # buffer -> (bytes, text)
    if control is not None:
        for name, n_bytes, buffer, where in control.variables():
            if where == <size_t>device:
                op = control.find_op(name)
                held[buffer] = (n_bytes, "variable " + (name if op is None else errors.named(op)))
    for buffer, n_bytes, text, where in values_of(plan, s, step):
        if where == <size_t>device:
            held.setdefault(buffer, (n_bytes, text))
    by_text = {}
    for n_bytes, text in held.values():
        by_text[text] = by_text.get(text, 0) + n_bytes
    largest = sorted(by_text.items(), key=lambda item: -item[1])
    stats, name, allocator, others = memory_stats(), DEVICE, "cpu", 0
    if device != NULL:
        from tfcore.core.device import gpu

        used = gpu.with_pointer(<size_t>device)
        stats, name, allocator = used.memory_stats(), device.name.decode(), device.allocator.decode()
        others = used.bytes_of_others()
    lines = [f"\n\nCurrent usage from device: {name}, allocator: {allocator}"]
    lines += [f"  {readable(n)} from {text}" for text, n in largest[:LISTED]]
    if len(largest) > LISTED:
        rest = sum(n for _, n in largest[LISTED:])
        lines.append(f"  Remaining {len(largest) - LISTED} holders with {readable(rest)}")
    elsewhere = stats["bytes_in_use"] - sum(n for n, _ in held.values())
    if elsewhere > 4096:
        lines.append(f"  {readable(elsewhere)} elsewhere: constants, other steps and sessions, fetched values")
    limit = f"limit {readable(stats['bytes_limit'])}" if stats["bytes_limit"] else "no limit set"
    in_use, reserved = readable(stats["bytes_in_use"]), readable(stats["bytes_reserved"])
    lines.append(f"In use: {in_use}, held from the system: {reserved}, {limit}.")
    if others:
        lines.append(
            f"Other libraries (such as PyCUDA's pools), other programs and the driver hold {readable(others)} more.")
    return "\n".join(lines)


# ---- Values that are not finite

cdef str counts(array):
    nans = int(numpy.isnan(array).sum())
    return f"{nans} NaN, {int(numpy.isinf(array).sum())} Inf"


cdef object as_numbers(const tfc_tensor *t):
    array = numpy.asarray(tensor_to_numpy(<tfc_tensor *>t, False))
    return array if array.dtype.kind in "fciub" else array.astype(numpy.float64)


cdef str statistics(const tfc_tensor *t):
    """Type, shape and, for numbers, smallest, largest and mean value."""
    shape = [t.dims[i] for i in range(t.rank)]
    text = f"{dtypes.as_dtype(t.dtype % TFC_REF).name}, shape {shape}"
    if t.n == 0 or t.dtype % TFC_REF == TFC_STRING:
        return text
    array = as_numbers(t)
    sizes = numpy.abs(array) if array.dtype.kind == "c" else array
    wide = sizes.astype(numpy.float64)
    prefix = "absolute " if array.dtype.kind == "c" else ""
    text += f", {prefix}min {sizes.min():.6g}, max {sizes.max():.6g}, mean {wide.mean():.6g}"
    return text + f", {counts(array)}" if array.dtype.kind in "fc" else text


cdef str numerics(Plan plan, const StepState *s, int i, Observer observer):
    cdef const Node *node = &plan.a.nodes[i]
    cdef tfc_tensor held
    cdef const tfc_tensor *bad = &held
    cdef const tfc_tensor *t
    cdef int j, k
    op = plan.ops[i]
    held.buffer = NULL
    if observer.o.bad_output >= 0:
        what = f"{op.name}:{observer.o.bad_output}"
        bad = &s.slots[node.first_output + observer.o.bad_output]
    else:
        what = f"{op.name} (the variable of input {observer.o.bad_input})"
        tfc_variable_read(<tfc_variable *>s.inputs[node.first_input + observer.o.bad_input].data, &held)
    array = as_numbers(bad)
    kinds = [kind for kind, found in (("NaN", numpy.isnan(array).any()), ("Inf", numpy.isinf(array).any())) if found]
    where = [int(x) for x in numpy.argwhere(~numpy.isfinite(array))[0]]
    shape = [bad.dims[k] for k in range(bad.rank)]
    lines = [f"{what} : Tensor had {' and '.join(kinds) or 'NaN or Inf'} values, though all inputs are finite"]
    name = dtypes.as_dtype(bad.dtype).name
    lines.append(f"  {counts(array)} among {array.size} elements of type {name}, shape {shape}; first at {where}")
    tfc_tensor_clear(&held)
    for j in range(node.n_inputs):
        t = s.inputs[node.first_input + j]
        if t.dtype >= TFC_REF:
            for k in range(observer.o.n_before):
                if observer.o.before_input[k] == j:
                    t = &observer.o.before[k]
        source, index = op.inputs[j]
        name = source.name if source.is_feed else f"{source.name}:{index}"
        value = "no value yet" if t.dtype >= TFC_REF else statistics(t)
        lines.append(f"  input {j} ({name}{', fed' if source.is_feed else ''}): {value}")
    return "\n".join(lines)
