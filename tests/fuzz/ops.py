"""Feeds every registered op hostile calls, built, differentiated and run; the caller watches over the process."""

import argparse
import faulthandler
import os
import resource
import sys
import tempfile
import traceback

# They print, or wait by design: for other ends, or for somebody who fills or empties a staging area.
SKIP = {"Abort", "Print", "PrintV2", "_Recv", "_RunPartition", "Stage", "StagePeek", "Unstage"}
SKIP |= {o + op for o in ("", "Ordered") for op in ("MapStage", "MapPeek", "MapUnstage", "MapUnstageNoKey")}
MEMORY_LIMIT = 1 << 30
SECONDS_PER_CALL = 60


def limit_memory():
    """Little memory for tensors, and a bound for everything else (sanitizers need all the addresses they like)."""
    from tfcore.core.runtime import set_memory_limit

    addresses = addresses_with_gpu()
    set_memory_limit(MEMORY_LIMIT)
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):
        resource.setrlimit(resource.RLIMIT_AS, (addresses + 16 * MEMORY_LIMIT, addresses + 16 * MEMORY_LIMIT))


def addresses_with_gpu():
    """The bytes of addresses of this process once it has started its emulated GPU, which reserves many; 0 without."""
    import tfcore as tf

    if not tf.test.is_gpu_available():
        return 0
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.no_op())
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def one_call(tf, op_def, seed):
    """Draws, adds and runs one call. Returns whether it ran to a value; raises errors of unexpected classes."""
    from tests.fuzz.calls import CLEAN_ERRORS, Call, flatten
    from tests.fuzz.draws import SeedDraw

    clean = (*CLEAN_ERRORS, tf.errors.OpError)
    draw = SeedDraw(seed)
    with tf.Graph().as_default(), tf.Session() as session:
        try:
            call = Call(draw, tf, op_def)
            fetches = flatten(call.add())
        except clean:
            return False
        gradients = _gradients(tf, call, fetches, clean) if draw.chance(30) else []
        ran = False
        session.run(tf.global_variables_initializer())
        for fetch in (fetches, gradients):
            try:
                ran |= bool(fetch) and session.run(fetch, call.feeds) is not None
            except clean:
                pass
    return ran


def _gradients(tf, call, outputs, clean):
    wanted = [t for t in outputs if isinstance(t, tf.Tensor) and t.dtype.is_floating]
    try:
        found = tf.gradients(wanted, list(call.feeds)) if wanted else []
    except (*clean, LookupError, NotImplementedError):  # an op without gradient, or one that TensorFlow refuses
        return []
    return [t for g in found if g is not None for t in ((g.values, g.indices) if hasattr(g, "indices") else (g,))]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--op", help="only this op")
    parser.add_argument("--go-on", action="store_true", help="report unclean errors and continue")
    args = parser.parse_args()
    limit_memory()
    import tfcore as tf
    from tfcore.framework.definitions.op_def import registered_ops

    os.chdir(tempfile.mkdtemp(prefix="tfcore-fuzz-"))  # ops that write files get any names
    ran = failed = 0
    for number, op_def in enumerate(registered_ops()):
        if op_def.name in SKIP or op_def.name.startswith("Test") or args.op not in (None, op_def.name):
            continue
        if number % args.parts != args.part and args.op is None:
            continue
        for seed in range(args.first_seed, args.first_seed + args.rounds):
            print(f"--op {op_def.name} --first-seed {seed} --rounds 1", flush=True)
            faulthandler.dump_traceback_later(SECONDS_PER_CALL, exit=True)
            try:
                ran += one_call(tf, op_def, seed)
            except Exception:  # noqa: BLE001  reported
                failed += 1
                print(f"unclean: --op {op_def.name} --first-seed {seed} --rounds 1", file=sys.stderr)
                traceback.print_exc()
                if not args.go_on:
                    sys.exit(1)
            faulthandler.cancel_dump_traceback_later()
    print(f"ran {ran} failed {failed}")


if __name__ == "__main__":
    main()
