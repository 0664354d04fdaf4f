"""tensorflow.python.training.tracking: base classes of objects that are in object-based checkpoints."""

import collections

from tfcore.variables.trackable import AutoTrackable, is_trackable  # noqa: F401 AutoTrackable is one of them

TrackableReference = collections.namedtuple("TrackableReference", ["name", "ref"])


class Trackable:
    """Base class of objects that say which others they depend on, by `_track_trackable`."""

    @property
    def _own_references(self):
        return vars(self).setdefault("_trackable_references", {})

    @property
    def _checkpoint_dependencies(self):
        if type(self)._gather_saveables_for_checkpoint is not Trackable._gather_saveables_for_checkpoint:
            raise NotImplementedError(
                f"{type(self).__name__} has values of its own to save (_gather_saveables_for_checkpoint); tfcore's "
                "checkpoints can save variables only."
            )
        return [TrackableReference(name, value) for name, value in self._own_references.items()]

    def _track_trackable(self, trackable, name, overwrite=False):
        """Makes this object depend on another one.

        Args:
          trackable: The other object.
          name: Its name in checkpoints.
          overwrite: Whether it may take the place of another object.

        Returns:
          The other object.

        Raises:
          TypeError: Checkpoints can't have it.
          ValueError: Another object has the name.
        """
        if not is_trackable(trackable):
            raise TypeError(f"Trackable._track_trackable() passed type {type(trackable)}, not a Trackable.")
        if not overwrite and self._own_references.get(name, trackable) is not trackable:
            raise ValueError(
                f"Called Trackable._track_trackable() with name='{name}', but a Trackable with this name is already "
                "declared as a dependency. Names must be unique (or overwrite=True)."
            )
        self._own_references[name] = trackable
        return trackable

    def _lookup_dependency(self, name):
        """The object with a name, or None."""
        return self._own_references.get(name)

    def _maybe_initialize_trackable(self):
        """Does nothing; for subclasses that call it."""

    def _gather_saveables_for_checkpoint(self):
        """What checkpoints save of the object itself: nothing."""
        return {}

    # The names of TensorFlow 1.9 to 1.13.
    _track_checkpointable = _track_trackable
    _maybe_initialize_checkpointable = _maybe_initialize_trackable
