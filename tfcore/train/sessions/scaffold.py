"""Scaffold: the operations that a session for training needs besides those of the model."""

from tfcore.framework.graph.graph import GraphKeys, get_default_graph
from tfcore.ops.control_flow import control
from tfcore.platform import tf_logging
from tfcore.summary import merge_all
from tfcore.train.checkpoints.checkpoint import Checkpoint
from tfcore.train.checkpoints.object_saver import saver_of_objects
from tfcore.train.checkpoints.saver import Saver
from tfcore.variables import variable_collections


class Scaffold:
    """The operations that initialize, check, save and summarize a model.

    What is not given is taken from a collection of the graph, or made, by `finalize`.

    Args:
      init_op: Operation that initializes the model; by default all global variables.
      init_feed_dict: Values that `init_op` is fed (optional).
      init_fn: Function `init_fn(scaffold, session)`, called after `init_op` (optional).
      ready_op: `Tensor` with the names of variables that are not initialized; by default of all.
      ready_for_local_init_op: The same, for what `local_init_op` needs; by default of global variables.
      local_init_op: Operation that runs in each new session; by default it initializes local variables and tables.
      summary_op: Scalar `Tensor` of type string, a Summary; by default all of the collection SUMMARIES are merged.
      saver: A `Saver`; by default one for all variables, sharded, which saves the state of random operations, too. Or a
        `tf.train.Checkpoint`, in whose place `finalize` puts a saver of the variables below it, with their keys.
      copy_from_scaffold: A `Scaffold` that has what is not given (optional).
      local_init_feed_dict: Values that `local_init_op` is fed (optional).

    Raises:
      TypeError: `copy_from_scaffold` is no `Scaffold`.
    """

    def __init__(
        self,
        init_op=None,
        init_feed_dict=None,
        init_fn=None,
        ready_op=None,
        ready_for_local_init_op=None,
        local_init_op=None,
        summary_op=None,
        saver=None,
        copy_from_scaffold=None,
        local_init_feed_dict=None,
    ):
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")

        def given(value, attribute):
            return getattr(copy_from_scaffold, attribute, None) if value is None else value

        self._init_op = given(init_op, "_init_op")
        self._init_feed_dict = given(init_feed_dict, "_init_feed_dict")
        self._user_init_fn = given(init_fn, "_user_init_fn")
        self._ready_op = given(ready_op, "_ready_op")
        self._ready_for_local_init_op = given(ready_for_local_init_op, "_ready_for_local_init_op")
        self._local_init_op = given(local_init_op, "_local_init_op")
        self._local_init_feed_dict = given(local_init_feed_dict, "_local_init_feed_dict")
        self._summary_op = given(summary_op, "_summary_op")
        self._saver = given(saver, "_saver")

    def finalize(self):
        """Makes what is missing, in the default graph, and finalizes the graph.

        Returns:
          The `Scaffold`.

        Raises:
          RuntimeError: A collection that should have one item has several.
          ValueError, NotImplementedError: A `tf.train.Checkpoint` that can't be saved (`tf.train.Checkpoint.write`).
        """
        find = Scaffold.get_or_default
        if self._init_op is None:
            self._init_op = find("init_op", GraphKeys.INIT_OP, variable_collections.global_variables_initializer)
        if self._ready_op is None:
            self._ready_op = find("ready_op", GraphKeys.READY_OP, variable_collections.report_uninitialized_variables)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = find(
                "ready_for_local_init_op", GraphKeys.READY_FOR_LOCAL_INIT_OP, _report_uninitialized_global_variables
            )
        if self._local_init_op is None:
            self._local_init_op = find("local_init_op", GraphKeys.LOCAL_INIT_OP, Scaffold.default_local_init_op)
        if self._summary_op is None:
            self._summary_op = find("summary_op", GraphKeys.SUMMARY_OP, merge_all)
        if self._saver is None:
            self._saver = find("saver", GraphKeys.SAVERS, _default_saver)
        if isinstance(self._saver, Checkpoint):
            self._saver = saver_of_objects(self._saver, sharded=True, save_random_state=True)
        self._saver.build()
        get_default_graph().finalize()
        tf_logging.info("Graph was finalized.")
        return self

    @property
    def init_fn(self):
        """Function of a session, to be called after `init_op`; None if there is none."""
        function = self._user_init_fn
        return (lambda session: function(self, session)) if function else None

    @property
    def init_op(self):
        """Operation that initializes the model."""
        return self._init_op

    @property
    def ready_op(self):
        """`Tensor` with the names of variables that are not initialized."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self):
        """`Tensor` with the names of variables that `local_init_op` needs and that are not initialized."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self):
        """Operation that runs in each new session."""
        return self._local_init_op

    @property
    def local_init_feed_dict(self):
        """Values that `local_init_op` is fed, or None."""
        return self._local_init_feed_dict

    @property
    def summary_op(self):
        """Scalar `Tensor` of type string, a Summary; None if there are no summaries."""
        return self._summary_op

    @property
    def saver(self):
        """The `Saver`."""
        return self._saver

    @property
    def init_feed_dict(self):
        """Values that `init_op` is fed, or None."""
        return self._init_feed_dict

    @staticmethod
    def get_or_default(arg_name, collection_key, default_constructor):
        """The item of a collection of the default graph; if there is none, it is made and added.

        Args:
          arg_name: Name of the argument of `Scaffold` that makes the collection unnecessary, for error texts.
          collection_key: Name of the collection.
          default_constructor: Function that makes the item; it may return None, which is not added.

        Returns:
          The item.

        Raises:
          RuntimeError: The collection has several items.
        """
        graph = get_default_graph()
        found = graph.get_collection(collection_key)
        if len(found) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which one to use by passing '
                f"it to the tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item to use)"
            )
        if found:
            return found[0]
        made = default_constructor()
        if made is not None:
            graph.add_to_collection(collection_key, made)
        return made

    @staticmethod
    def default_local_init_op():
        """Initializes the local variables and the tables of the default graph.

        Returns:
          An `Operation`.
        """
        return control.group(
            variable_collections.local_variables_initializer(), variable_collections.tables_initializer()
        )


def _default_saver():
    return Saver(sharded=True, allow_empty=True, save_random_state=True)


def _report_uninitialized_global_variables():
    return variable_collections.report_uninitialized_variables(variable_collections.global_variables())
