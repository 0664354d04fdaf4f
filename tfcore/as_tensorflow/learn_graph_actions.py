"""`contrib.learn`'s runs of a part of a graph: a session of its own, with variables, tables and queues."""

import tfcore as tf
from tfcore.as_tensorflow import resources

__all__ = ["run_feeds", "run_feeds_iter", "run_n"]


def run_feeds_iter(output_dict, feed_dicts, restore_checkpoint_path=None):
    """The outputs' values for each of the feeds, as a generator.

    Args:
      output_dict: What to run: a dictionary of tensors, all of one graph.
      feed_dicts: What is fed: a dictionary, or None, for each run.
      restore_checkpoint_path: A checkpoint with the variables' values (optional).

    Yields:
      A dictionary of arrays.

    Raises:
      ValueError: There is nothing to run.
    """
    if not output_dict:
        raise ValueError(f"output_dict is invalid: {output_dict}.")
    graph = tf.contrib.framework.get_graph_from_inputs(output_dict.values())
    with graph.as_default(), tf.Session() as session:
        session.run(resources.initialize_resources(resources.shared_resources() + resources.local_resources()))
        if restore_checkpoint_path:
            tf.train.Saver().restore(session, restore_checkpoint_path)
        else:
            session.run(tf.global_variables_initializer())
        session.run([tf.local_variables_initializer(), tf.tables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord=coordinator)
        try:
            for feeds in feed_dicts:
                yield session.run(output_dict, feeds)
        finally:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=120)


def run_feeds(*args, **kwargs):
    """The outputs' values for each of the feeds: see `run_feeds_iter`.

    Returns:
      A list of dictionaries of arrays.
    """
    return list(run_feeds_iter(*args, **kwargs))


def run_n(output_dict, feed_dict=None, restore_checkpoint_path=None, n=1):
    """The outputs' values in n runs: see `run_feeds_iter`.

    Returns:
      A list of n dictionaries of arrays.
    """
    return run_feeds(output_dict, [feed_dict] * n, restore_checkpoint_path)
