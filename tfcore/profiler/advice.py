"""`tf.profiler.advise`: what the checkers find in a profile."""

from tfcore.framework import protos
from tfcore.profiler.nodes import is_accelerator
from tfcore.profiler.option_builder import ProfileOptionBuilder
from tfcore.profiler.options import Options
from tfcore.profiler.texts import time_text
from tfcore.profiler.views import VIEWS

ALL_ADVICE = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}
_MOST = 3  # how many operations, scopes and lines are reported


def advice_of(profile, checkers):
    """An AdviceProto, which is also printed.

    Args:
      profile: A `Profile`.
      checkers: The names of checkers; unknown ones are ignored.
    """
    advice = protos.AdviceProto()
    for name in sorted(set(checkers) & set(_CHECKERS)):
        advice.checkers[name].reports.extend(_CHECKERS[name](profile))
        print(f"\n{name}:", *advice.checkers[name].reports, sep="\n")
    return advice


def _times(message, prefix=""):
    cpu, gpu, total = (getattr(message, f"{prefix}{kind}exec_micros") for kind in ("cpu_", "accelerator_", ""))
    return f"cpu: {time_text(cpu)}, accelerator: {time_text(gpu)}, total: {time_text(total)}"


def _expensive(profile):
    """The op types, scopes and lines that took most of the time."""
    found = [_expensive_types(profile)] if profile.step_stats else []
    found.append(_expensive_scopes(profile))
    if profile.has_traces:
        found.append(_expensive_lines(profile))
    return ["\n".join(lines) for lines in found if lines]


def _show(profile, command, **values):
    builder = ProfileOptionBuilder().with_empty_output().order_by("micros")
    message, _ = VIEWS[command](profile).show(Options({**builder.build(), **values}))
    return message


def _expensive_types(profile):
    root = at = _show(profile, "op", min_micros=1, max_depth=_MOST)
    lines = []
    while at.children and len(lines) < _MOST:
        at = at.children[0]
        share = 100 * at.exec_micros / root.total_exec_micros
        lines.append(f"top {len(lines) + 1} operation type: {at.name}, {_times(at)} ({share:.2f}%)")
    return lines


def _expensive_scopes(profile):
    children = _show(profile, "scope", min_micros=100).children[:_MOST]
    return [f"top {i} graph node: {child.name}, {_times(child)}" for i, child in enumerate(children, 1)]


def _expensive_lines(profile):
    at = _show(profile, "code", min_micros=1)
    while len(at.children) == 1:  # the part of the stack that everything shares
        at = at.children[0]
    return list(_branches(at, 0))


def _branches(message, depth):
    if len(message.children) <= 1 or depth > 3:
        return
    for child in message.children[:_MOST]:
        if child.total_exec_micros >= 1000:
            yield f"{'  ' * depth}{child.name}, {_times(child, 'total_')}"
            yield from _branches(child, depth + 1)


def _utilization(profile):
    """The part of the last step in which each GPU computed."""
    spans = {}  # device -> [start, end, time of kernels]
    for node in profile.nodes.values():
        if not node.steps or not is_accelerator(node.device):
            continue
        of_step = node.steps[max(node.steps)]
        start, end = of_step.profile.all_start_micros, of_step.profile.latest_end_micros
        span = spans.setdefault(node.device, [start, end, 0])
        span[:2] = min(span[0], start) if start else span[0], max(span[1], end)
        span[2] += of_step.values()["accelerator_exec_micros"]
    reports = []
    for device, (start, end, busy) in sorted(spans.items()):
        if end > start:
            share = busy / (end - start)
            reports.append(f"device: {device} {'' if share >= 0.5 else 'low '}utilization: {share:.2f}")
    return reports


def _operations(profile):
    """Operations for which there are faster ones."""
    nodes = profile.nodes.values()
    reports = []
    is_fused = any("FusedBatchNorm" in node.types for node in nodes)
    if not is_fused and any("BatchNorm" in node.name for node in nodes):
        reports.append("Maybe use faster FusedBatchNorm instead of BatchNorm")
    on_gpu = [node for node in nodes if is_accelerator(node.device) and "data_format" in node.attrs]
    if any(node.attrs["data_format"].s == b"NHWC" for node in on_gpu):
        reports.append("Found operation using NHWC data_format on GPU. Maybe NCHW is faster.")
    return reports


_CHECKERS = {
    "AcceleratorUtilizationChecker": _utilization,
    "ExpensiveOperationChecker": _expensive,
    "OperationChecker": _operations,
}
