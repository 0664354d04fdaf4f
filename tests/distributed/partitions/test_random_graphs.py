"""Random graphs, placed at random over four processes, give the bits that one process gives."""

import os

import pytest

from tests.distributed import mpi

EXAMPLES = int(60 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))
NO_CREDIT = {"TFCORE_RECEIVE_BUDGET": "0"}  # each value needs a request to send

PROGRAM = """
    import numpy as np
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    import tfcore as tf
    from tests.compiler.test_partition_property import place_at_random
    from tests.compiler.test_property import Builder, bits, instruction

    cluster = tf.train.ClusterSpec.from_mpi()
    server = tf.train.Server(cluster)
    if cluster.task_index:
        server.join()

    spread = []


    def results(target, fetches, feeds, init, variables):
        with tf.Session(target) as sess:
            sess.run(init)
            got = [bits(sess.run(fetches, feeds)) for _ in range(2)]
            return got + [bits(sess.run(variables))]


    @settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.lists(instruction, min_size=1, max_size=25), st.data())
    def check(program, data):
        with tf.Graph().as_default() as graph:
            built = Builder(program)
            fetches = [*built.values[-3:], *[v._ref() for v in built.variables]]
            rng = np.random.RandomState(len(program))
            feeds = {p: np.asarray(rng.randn(*p.shape.as_list()), np.float32) for p in built.feeds}
            init = tf.global_variables_initializer()
            variables = [v._ref() for v in built.variables]
            expected = results("", fetches, feeds, init, variables)
            place_at_random(graph, data, "/job:worker/task:{}")
            tf.Session.reset(server.target)
            assert results(server.target, fetches, feeds, init, variables) == expected
            spread.append(len({op.device for op in graph.get_operations()}))


    check()
    assert len(spread) >= EXAMPLES and max(spread) >= 4, spread
    print("fine")
"""


@pytest.mark.cpu  # a GPU's tanh has other bits than the CPU's
@pytest.mark.parametrize(
    ("examples", "env"),
    [(EXAMPLES, {}), (EXAMPLES // 4, NO_CREDIT), (EXAMPLES // 4, {**NO_CREDIT, "TFCORE_TRANSPORT": "mpi"})],
    ids=["", "no credit", "no credit over mpi"],
)
def test_tasks_change_no_bit(examples, env):
    job = mpi.run(PROGRAM.replace("EXAMPLES", str(examples)), 4, env=env, limit=240)
    assert job.code == 0 and job.lines("fine") == ["fine"], job.text
