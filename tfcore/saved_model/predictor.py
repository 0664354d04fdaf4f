"""Functions of NumPy arrays made of SavedModels."""

from tfcore.client.session import Session
from tfcore.framework.graph.graph import Graph
from tfcore.saved_model.loader import load
from tfcore.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY


class SavedModelPredictor:
    """A SavedModel in a session of its own, called with a dict of inputs. See `from_saved_model`."""

    def __init__(
        self,
        export_dir,
        signature_def_key=None,
        signature_def=None,
        input_names=None,
        output_names=None,
        tags=None,
        graph=None,
        config=None,
    ):
        """Loads the model; see `from_saved_model`.

        Args:
          export_dir: The folder of the SavedModel.
          signature_def_key: The name of the signature.
          signature_def: A `SignatureDef`.
          input_names: A dict from names to those of tensors to feed.
          output_names: A dict from names to those of tensors to fetch.
          tags: The tags of the graph, separated by commas.
          graph: The `Graph` to load into.
          config: The `ConfigProto` of the session.
        """
        if (input_names is None) != (output_names is None):
            raise ValueError("input_names and output_names must both be specified or both be unspecified.")
        if sum(x is not None for x in (signature_def_key, signature_def, input_names)) > 1:
            raise ValueError(
                "You must specify at most one of signature_def_key OR signature_def OR (input_names AND output_names)."
            )
        self._graph = Graph() if graph is None else graph
        self._session = Session(graph=self._graph, config=config)
        with self._graph.as_default():
            found = load(self._session, (tags or "serve").split(","), export_dir).signature_def
        if input_names is None:
            key = signature_def_key or DEFAULT_SERVING_SIGNATURE_DEF_KEY
            if signature_def is None and key not in found:
                raise ValueError(f'Got signature_def_key "{key}". Available signatures are {sorted(found)}.')
            signature = found[key] if signature_def is None else signature_def
            input_names, output_names = (
                {name: info.name for name, info in tensors.items()} for tensors in (signature.inputs, signature.outputs)
            )
        self._feed_tensors, self._fetch_tensors = (
            {key: self._graph.get_tensor_by_name(name) for key, name in names.items()}
            for names in (input_names, output_names)
        )

    def __call__(self, input_dict):
        """Computes all outputs.

        Args:
          input_dict: A dict from names of inputs to values.

        Returns:
          A dict from names of outputs to values.

        Raises:
          ValueError: There is no input of some name.
        """
        unexpected = set(input_dict) - set(self.feed_tensors)
        if unexpected:
            raise ValueError(f"Got unexpected keys in input_dict: {unexpected}\nexpected: {sorted(self.feed_tensors)}")
        feeds = {self._feed_tensors[key]: value for key, value in input_dict.items()}
        return self._session.run(self._fetch_tensors, feeds)

    @property
    def graph(self):
        """The graph of the model."""
        return self._graph

    @property
    def session(self):
        """The session with its variables."""
        return self._session

    @property
    def feed_tensors(self):
        """A dict from names of inputs to `Tensor`s."""
        return self._feed_tensors

    @property
    def fetch_tensors(self):
        """A dict from names of outputs to `Tensor`s."""
        return self._fetch_tensors


def from_saved_model(
    export_dir,
    signature_def_key=None,
    signature_def=None,
    input_names=None,
    output_names=None,
    tags=None,
    graph=None,
    config=None,
):
    """A function of NumPy arrays made of a SavedModel.

    Args:
      export_dir: The folder of the SavedModel.
      signature_def_key: The name of the signature; "serving_default" by default.
      signature_def: A `SignatureDef` instead.
      input_names: Instead of a signature, a dict from names to those of tensors to feed.
      output_names: A dict from names to those of tensors to fetch.
      tags: The tags of the graph, separated by commas; "serve" by default.
      graph: The `Graph` to load into; a new one by default.
      config: The `ConfigProto` of the session (optional).

    Returns:
      A `SavedModelPredictor`: a function of a dict of inputs that returns a dict of outputs.

    Raises:
      ValueError: There is no such signature, or inputs and outputs are given in several ways.
      OSError: There is no SavedModel.
    """
    return SavedModelPredictor(
        export_dir, signature_def_key, signature_def, input_names, output_names, tags, graph, config
    )
