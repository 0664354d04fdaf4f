"""tf.make_template: a function that shares its variables among all calls."""

import contextlib
import contextvars
import functools
import traceback

from tfcore.framework.graph.graph import GraphKeys, get_collection, get_collection_ref
from tfcore.variables.creators import variable_creator_scope
from tfcore.variables.variable_scope import variable_scope

_creating = contextvars.ContextVar("creating", default=None)  # the innermost template in its first call


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    """A function that creates its variables in the first call and shares them in all others.

    The variables must be created with `tf.get_variable`. They are in a variable scope that is chosen in the first call.

    Args:
      name_: Name of the variable scope, made unique.
      func_: The function.
      create_scope_now_: Whether the scope is chosen now: below that of the definition, not of the first call.
      unique_name_: Name of the variable scope, used as it is (optional).
      custom_getter_: A function that is called instead of the getter of `tf.get_variable` (optional).
      **kwargs: Arguments of `func_` that are the same in all calls.

    Returns:
      The function, which takes the other arguments. It has the properties `variables`, `trainable_variables`,
      `global_variables`, `local_variables` and `variable_scope`.

    Raises:
      ValueError: There is no name; when called again: the function creates another trainable variable.

    Example:

    >>> def scaled(x):
    ...     return x * tf.get_variable("scale", [], initializer=tf.constant_initializer(2.0))
    >>> scale = tf.make_template("layer", scaled)
    >>> y = scale(tf.constant(1.0)) + scale(tf.constant(3.0))
    >>> sess.run(tf.global_variables_initializer())
    >>> print(sess.run(y), [v.name for v in scale.variables])
    8.0 ['layer/scale:0']
    """
    function = functools.partial(func_, **kwargs) if kwargs else func_
    return Template(name_, function, create_scope_now_, unique_name_, custom_getter_)


class Template:
    """A function with a variable scope of its own; see `make_template`."""

    def __init__(self, name, func, create_scope_now=False, unique_name=None, custom_getter=None):
        if name is None:
            raise ValueError("name cannot be None.")
        self._func = func
        self._name = name
        self._unique_name = unique_name
        self._custom_getter = custom_getter
        self._traceback = traceback.extract_stack()[:-2]
        self._variable_scope = None
        self._variables_created = False
        self._first_call = True
        self._dependencies = {}  # {name below the scope: variable, or template that the function called first}
        if create_scope_now:
            with variable_scope(unique_name, name, custom_getter=custom_getter, auxiliary_name_scope=False) as scope:
                self._variable_scope = scope

    def __call__(self, *args, **kwargs):
        if self._variable_scope is not None:
            context = variable_scope(self._variable_scope, reuse=not self._first_call)
        else:
            context = variable_scope(self._unique_name, self._name, custom_getter=self._custom_getter)
        with context as scope:
            self._variable_scope = self._variable_scope or scope
            try:
                return self._call(args, kwargs)
            except Exception as error:
                self._tell_definition(error)
                raise

    def _call(self, args, kwargs):
        if self._variables_created:
            known = len(get_collection_ref(GraphKeys.TRAINABLE_VARIABLES))
            result = self._func(*args, **kwargs)
            new = get_collection_ref(GraphKeys.TRAINABLE_VARIABLES)[known:]
            if new:
                raise ValueError(
                    "Trainable variable created when calling a template after the first time, perhaps you used "
                    f"tf.Variable when you meant tf.get_variable: {new}"
                )
            return result
        if not self._first_call:  # a recursive call, while the first one is running
            return self._func(*args, **kwargs)
        self._first_call = False
        try:
            with self._dependencies_added():
                result = self._func(*args, **kwargs)
        except BaseException:
            self._first_call = True
            raise
        self._variables_created = True
        return result

    @contextlib.contextmanager
    def _dependencies_added(self):
        """Variables that are created meanwhile belong to this template, or to one that the function calls."""

        def create(next_creator, **kwargs):
            variable = next_creator(**kwargs)
            if _creating.get() is self:
                self._add_dependency(kwargs.get("name"), variable)
            return variable

        outer, token = _creating.get(), _creating.set(self)
        try:
            with variable_creator_scope(create):
                yield
        finally:
            _creating.reset(token)
        if outer is not None and self._dependencies:
            outer._add_dependency(self._variable_scope.name, self)

    def _add_dependency(self, name, value):
        prefix = self.variable_scope_name
        if name is not None and name.startswith(prefix):
            self._dependencies[name[len(prefix) :]] = value

    @property
    def _checkpoint_dependencies(self):
        return list(self._dependencies.items())

    def _tell_definition(self, error):
        """Adds to the text of an error where the template was made."""
        first, *rest = error.args or ("",)
        lines = "".join(traceback.format_list(self._traceback[-5:]))
        error.args = (f"{first}\n\noriginally defined at:\n{lines}", *rest)

    @property
    def name(self):
        """The name given to `make_template`."""
        return self._name

    @property
    def func(self):
        """The function."""
        return self._func

    @property
    def variable_scope(self):
        """The variable scope; None before it is chosen."""
        return self._variable_scope

    @property
    def var_scope(self):
        """Old name of `variable_scope`."""
        return self._variable_scope

    @property
    def variable_scope_name(self):
        """Prefix of the names of the variables, with a trailing "/"; None before the scope is chosen."""
        if self._variable_scope is None:
            return None
        name = self._variable_scope.name
        return name + "/" if name and not name.endswith("/") else name

    def _collected(self, key):
        return get_collection(key, self.variable_scope_name) if self._variables_created else []

    @property
    def global_variables(self):
        """List of the global variables."""
        return self._collected(GraphKeys.GLOBAL_VARIABLES)

    @property
    def local_variables(self):
        """List of the local variables."""
        return self._collected(GraphKeys.LOCAL_VARIABLES)

    @property
    def variables(self):
        """List of the global and local variables."""
        return self.global_variables + self.local_variables

    weights = variables

    @property
    def trainable_variables(self):
        """List of the trainable variables."""
        return self._collected(GraphKeys.TRAINABLE_VARIABLES)

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self):
        """List of the other global variables."""
        trainable = {id(v) for v in self.trainable_variables}
        return [v for v in self.global_variables if id(v) not in trainable]

    non_trainable_weights = non_trainable_variables
