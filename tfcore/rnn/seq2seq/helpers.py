"""Helpers choose the next input of a decoder: the training data, or an embedding of what was decoded."""

import abc

from tfcore.composed.nn.embedding import embedding_lookup
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes, nest
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import shape, size
from tfcore.ops.array.constants import fill, zeros_like
from tfcore.ops.array.join import concat
from tfcore.ops.array.move import tile
from tfcore.ops.control_flow.cond import cond
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, logical_or
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import logical_not
from tfcore.ops.random.random import random_uniform
from tfcore.ops.random.sample import multinomial
from tfcore.ops.reduce.arg import argmax
from tfcore.ops.reduce.reduce import reduce_all, reduce_any
from tfcore.ops.state.tensor_array import TensorArray
from tfcore.rnn.dynamic import transpose_batch_time


class Helper(abc.ABC):
    """Interface of the helpers that draw samples and choose the next inputs for a `BasicDecoder`."""

    @property
    @abc.abstractmethod
    def batch_size(self):
        """int32 scalar."""

    @property
    def sample_ids_shape(self):
        """Shape of one sample, without the batch."""
        return TensorShape([])

    @property
    def sample_ids_dtype(self):
        """The `DType` of the samples."""
        return dtypes.int32

    @abc.abstractmethod
    def initialize(self, name=None):
        """Called before the first step.

        Args:
          name: Prefix of the names of the operations (optional).

        Returns:
          A tuple (finished, inputs); finished is a bool `Tensor` of shape [batch].
        """

    @abc.abstractmethod
    def sample(self, time, outputs, state, name=None):
        """Draws samples from the outputs of a step.

        Args:
          time: An int32 scalar `Tensor`: the number of the step.
          outputs: The outputs of the step (logits), `Tensor`s of shape [batch, ...].
          state: The state after the step.
          name: Prefix of the names of the operations (optional).

        Returns:
          A `Tensor` of type `sample_ids_dtype`.
        """

    @abc.abstractmethod
    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Chooses the inputs of the next step.

        Args:
          time: An int32 scalar `Tensor`: the number of the step.
          outputs: The outputs of the step (logits), `Tensor`s of shape [batch, ...].
          state: The state after the step.
          sample_ids: What `sample` returned.
          name: Prefix of the names of the operations (optional).

        Returns:
          A tuple (finished, inputs, state) for the step after `time`.
        """


class CustomHelper(Helper):
    """A helper defined by three functions.

    Args:
      initialize_fn: A function that returns (finished, inputs).
      sample_fn: A function of time, outputs, state (keywords) that returns sample_ids.
      next_inputs_fn: A function of time, outputs, state, sample_ids (keywords) that returns (finished, inputs, state).
      sample_ids_shape, sample_ids_dtype: of one sample. Default: an int32 scalar.
    """

    def __init__(self, initialize_fn, sample_fn, next_inputs_fn, sample_ids_shape=None, sample_ids_dtype=None):
        self._initialize_fn = initialize_fn
        self._sample_fn = sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size = None
        self._sample_ids_shape = TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or dtypes.int32

    @property
    def batch_size(self):
        if self._batch_size is None:
            raise ValueError("batch_size accessed before initialize was called")
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return self._sample_ids_shape

    @property
    def sample_ids_dtype(self):
        """The `DType` of the samples."""
        return self._sample_ids_dtype

    def initialize(self, name=None):
        with name_scope(name, f"{type(self).__name__}Initialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = size(finished)
        return finished, inputs

    def sample(self, time, outputs, state, name=None):
        with name_scope(name, f"{type(self).__name__}Sample", [time]):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with name_scope(name, f"{type(self).__name__}NextInputs", [time]):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)


class TrainingHelper(Helper):
    """Feeds the given inputs regardless of what is decoded; the samples are the most likely ids.

    Args:
      inputs: A `Tensor` of shape [batch, time, ...], or [time, batch, ...] with `time_major`, or a nest of them.
      sequence_length: An int32 vector of size batch.
      time_major: Whether time is the first dimension of `inputs`.
      name: Prefix of the names of the operations (optional).

    Raises:
      ValueError: `sequence_length` is not a vector.
    """

    def __init__(self, inputs, sequence_length, time_major=False, name=None):
        with name_scope(name, "TrainingHelper", [sequence_length]):
            inputs = nest.map_structure(convert_to_tensor, inputs)
            self._inputs = inputs
            if not time_major:
                inputs = nest.map_structure(transpose_batch_time, inputs)
            self._arrays = nest.map_structure(_unstacked, inputs)
            self._sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
            if self._sequence_length.shape.ndims != 1:
                raise ValueError(
                    f"Expected sequence_length to be a vector, but received shape: {self._sequence_length.shape}"
                )
            self._zeros = nest.map_structure(lambda x: zeros_like(x[0, :]), inputs)
            self._batch_size = size(self._sequence_length)

    @property
    def inputs(self):
        """The inputs that the constructor was given, as `Tensor`s."""
        return self._inputs

    @property
    def sequence_length(self):
        """The lengths of the sequences, an int32 `Tensor`."""
        return self._sequence_length

    @property
    def batch_size(self):
        return self._batch_size

    def initialize(self, name=None):
        with name_scope(name, "TrainingHelperInitialize"):
            finished = equal(0, self._sequence_length)
            return finished, self._read(0, reduce_all(finished))

    def sample(self, time, outputs, name=None, **unused_kwargs):
        with name_scope(name, "TrainingHelperSample", [time, outputs]):
            return cast(argmax(outputs, axis=-1), dtypes.int32)

    def next_inputs(self, time, outputs, state, name=None, **unused_kwargs):
        with name_scope(name, "TrainingHelperNextInputs", [time, outputs]):
            next_time = time + 1
            finished = next_time >= self._sequence_length
            return finished, self._read(next_time, reduce_all(finished)), state

    def _read(self, time, all_finished):
        """The inputs of a step; zeros after the last."""
        return cond(
            all_finished,
            lambda: self._zeros,
            lambda: nest.map_structure(lambda array: array.read(time), self._arrays),
        )


def _unstacked(x):
    return TensorArray(x.dtype, size=shape(x)[0], element_shape=x.shape[1:]).unstack(x)


def _embedding_function(embedding):
    """The function from ids to vectors: `embedding` itself, or a look-up in that matrix."""
    return embedding if callable(embedding) else lambda ids: embedding_lookup(embedding, ids)


def _draw(logits, seed):
    """One int32 id for each row of logits [batch, classes]."""
    return cast(multinomial(logits, 1, seed=seed)[:, 0], dtypes.int32)


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Feeds the given inputs, but for some examples of each step the embeddings of sampled ids.

    The samples are -1 where nothing was drawn.

    Source: S. Bengio et al., "Scheduled Sampling for Sequence Prediction with Recurrent Neural Networks", NIPS 2015.

    Args:
      inputs: A `Tensor` of shape [batch, time, ...], or [time, batch, ...] with `time_major`, or a nest of them.
      sequence_length: An int32 vector of size batch.
      embedding: A matrix, or a function of ids, that gives the inputs.
      sampling_probability: A scalar or a `Tensor` of shape [batch]: the probability of feeding a sampled id.
      time_major: Whether time is the first dimension of `inputs`.
      seed: An int, the seed for drawing the ids.
      scheduling_seed: An int, the seed for choosing the examples.
      name: Prefix of the names of the operations (optional).

    Raises:
      ValueError: `sequence_length` is not a vector, or `sampling_probability` has rank 2 or more.
    """

    def __init__(
        self,
        inputs,
        sequence_length,
        embedding,
        sampling_probability,
        time_major=False,
        seed=None,
        scheduling_seed=None,
        name=None,
    ):
        with name_scope(name, "ScheduledEmbeddingSamplingWrapper"):
            self._embedding_fn = _embedding_function(embedding)
            self._probability = convert_to_tensor(sampling_probability, name="sampling_probability")
            if self._probability.shape.ndims not in (0, 1):
                raise ValueError(
                    f"sampling_probability must be either a scalar or a vector. saw shape: {self._probability.shape}"
                )
            self._seed, self._scheduling_seed = seed, scheduling_seed
            super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time, outputs, state, name=None):
        with name_scope(name, "ScheduledEmbeddingTrainingHelperSample", [time, outputs]):
            noise = random_uniform([self.batch_size], seed=self._scheduling_seed)
            return where(self._probability > noise, _draw(outputs, self._seed), fill([self.batch_size], -1))

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs", [time, outputs]):
            finished, base, state = super().next_inputs(time=time, outputs=outputs, state=state)

            def mixed():
                drawn = self._embedding_fn(maximum(sample_ids, 0))
                return where(sample_ids > -1, drawn, base)

            return finished, cond(reduce_all(finished), lambda: base, mixed), state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Feeds the given inputs, but for some examples of each step the outputs of the step before.

    The samples are 1 where an output is fed, else 0.

    Args:
      inputs: A `Tensor` of shape [batch, time, ...], or [time, batch, ...] with `time_major`.
      sequence_length: An int32 vector of size batch.
      sampling_probability: A scalar or a `Tensor` of shape [batch]: the probability of feeding an output.
      time_major: Whether time is the first dimension of `inputs`.
      seed: An int, the seed for choosing the examples.
      next_inputs_fn: A function of outputs that returns inputs (optional).
      auxiliary_inputs: A `Tensor` like `inputs`, but for its last dimension, which is joined to both (optional).
      name: Prefix of the names of the operations (optional).

    Raises:
      ValueError: `sequence_length` is not a vector, or `sampling_probability` has rank 2 or more.
    """

    def __init__(
        self,
        inputs,
        sequence_length,
        sampling_probability,
        time_major=False,
        seed=None,
        next_inputs_fn=None,
        auxiliary_inputs=None,
        name=None,
    ):
        with name_scope(name, "ScheduledOutputTrainingHelper"):
            self._probability = convert_to_tensor(sampling_probability, name="sampling_probability")
            if self._probability.shape.ndims not in (0, 1):
                raise ValueError(
                    f"sampling_probability must be either a scalar or a vector. saw shape: {self._probability.shape}"
                )
            self._auxiliary = None
            if auxiliary_inputs is not None:
                more = convert_to_tensor(auxiliary_inputs, name="auxiliary_inputs")
                inputs = concat([convert_to_tensor(inputs, name="inputs"), more], -1)
                self._auxiliary = _unstacked(more if time_major else transpose_batch_time(more))
            self._seed, self._next_inputs_fn = seed, next_inputs_fn
            super().__init__(inputs, sequence_length, time_major, name)

    def sample(self, time, outputs, state, name=None):
        with name_scope(name, "ScheduledOutputTrainingHelperSample", [time, outputs]):
            return cast(random_uniform([self.batch_size], seed=self._seed) < self._probability, dtypes.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        with name_scope(name, "ScheduledOutputTrainingHelperNextInputs", [time, outputs]):
            finished, base, state = super().next_inputs(time=time, outputs=outputs, state=state)
            chosen = cast(sample_ids, dtypes.bool)

            def mixed():
                fed = outputs if self._next_inputs_fn is None else self._next_inputs_fn(outputs)
                if self._auxiliary is not None:
                    fed = concat([fed, self._auxiliary.read(time + 1)], -1)
                return where(chosen, fed, base)

            unchanged = logical_or(reduce_all(finished), logical_not(reduce_any(chosen)))
            return finished, cond(unchanged, lambda: base, mixed), state


class GreedyEmbeddingHelper(Helper):
    """Feeds the embedding of the most likely id.

    Args:
      embedding: A matrix, or a function of ids, that gives the inputs.
      start_tokens: An int32 vector of size batch: the ids of the first inputs.
      end_token: An int32 scalar: the id that ends a sequence.

    Raises:
      ValueError: `start_tokens` is not a vector, or `end_token` is not a scalar.
    """

    def __init__(self, embedding, start_tokens, end_token):
        self._embedding_fn = _embedding_function(embedding)
        self._start_tokens = convert_to_tensor(start_tokens, dtype=dtypes.int32, name="start_tokens")
        self._end_token = convert_to_tensor(end_token, dtype=dtypes.int32, name="end_token")
        if self._start_tokens.shape.ndims != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.ndims != 0:
            raise ValueError("end_token must be a scalar")
        self._batch_size = size(self._start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    @property
    def batch_size(self):
        return self._batch_size

    def initialize(self, name=None):
        return tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        self._check(outputs)
        return argmax(outputs, axis=-1, output_type=dtypes.int32)

    def _check(self, outputs):
        if not isinstance(outputs, Tensor):
            raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        finished = equal(sample_ids, self._end_token)
        inputs = cond(reduce_all(finished), lambda: self._start_inputs, lambda: self._embedding_fn(sample_ids))
        return finished, inputs, state


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Feeds the embedding of an id drawn with the probabilities softmax(outputs).

    Args:
      embedding: A matrix, or a function of ids, that gives the inputs.
      start_tokens: An int32 vector of size batch: the ids of the first inputs.
      end_token: An int32 scalar: the id that ends a sequence.
      softmax_temperature: A float that divides the logits: below 1, likely ids get likelier.
      seed: An int, the seed for drawing the ids.

    Raises:
      ValueError: `start_tokens` is not a vector, or `end_token` is not a scalar.
    """

    def __init__(self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None):
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature = softmax_temperature
        self._seed = seed

    def sample(self, time, outputs, state, name=None):
        self._check(outputs)
        logits = outputs if self._softmax_temperature is None else outputs / self._softmax_temperature
        return _draw(logits, self._seed)


class InferenceHelper(Helper):
    """Feeds samples drawn by a function.

    Args:
      sample_fn: A function of a step's outputs that returns samples.
      sample_shape, sample_dtype: of one sample.
      start_inputs: the first inputs, [batch, ...].
      end_fn: A function of samples that returns bool [batch]: which sequences end.
      next_inputs_fn: A function of samples that returns the next inputs. Default: the samples.
    """

    def __init__(self, sample_fn, sample_shape, sample_dtype, start_inputs, end_fn, next_inputs_fn=None):
        self._sample_fn = sample_fn
        self._end_fn = end_fn
        self._sample_shape = TensorShape(sample_shape)
        self._sample_dtype = sample_dtype
        self._next_inputs_fn = next_inputs_fn
        self._start_inputs = convert_to_tensor(start_inputs, name="start_inputs")
        self._batch_size = shape(self._start_inputs)[0]

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def sample_ids_shape(self):
        return self._sample_shape

    @property
    def sample_ids_dtype(self):
        """The `DType` of the samples."""
        return self._sample_dtype

    def initialize(self, name=None):
        return tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        return self._sample_fn(outputs)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state
