"""Sessions with chosen rewrites, and looking into the plans they made."""

import tfcore as tf
from tfcore.client.fetches import FetchPlan

REWRITES = (
    "dependency_optimization",
    "constant_folding",
    "arithmetic_optimization",
    "common_subgraph_elimination",
    "remapping",
)
GATES, FOLDING, ARITHMETIC, COMMON, FUSION = REWRITES


def session(*on, graph=None, **options):
    """A session with only these rewrites."""
    config = tf.ConfigProto(**options)
    for name in REWRITES:
        setattr(config.graph_options.rewrite_options, name, 1 if name in on else 2)
    return tf.Session(graph=graph, config=config)


def plan_of(sess, fetches, feed=None):
    """The plan that a run of `fetches` uses; verified."""
    fetch = FetchPlan(sess.graph, fetches)
    plan = sess._make_signature(fetch, fetch.rebuild, list(feed or ()), True, None).plan
    plan.verify()
    return plan


def types_of(plan):
    """Types of its nodes in the order in which they run."""
    return [node.type for node in plan.ops]
