"""Layers without a kernel: dropout, bias, reshaping, softmax, one-hot codes."""

from tfcore.contrib.framework.arguments import add_arg_scope
from tfcore.contrib.framework.variables import model_variable
from tfcore.contrib.layers import utils
from tfcore.contrib.layers.docs import documented
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.framework.values.sparse_tensor import SparseTensor
from tfcore.layers.core import Dropout
from tfcore.layers.core import flatten as flatten_layer
from tfcore.ops.array import array
from tfcore.ops.array.constants import lin_space
from tfcore.ops.array.join import concat, stack
from tfcore.ops.array.move import tile
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import not_equal
from tfcore.ops.cwise.select import where
from tfcore.ops.functions.custom_gradient import custom_gradient
from tfcore.ops.indexing.indexing import gather_nd
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.nn import basic as nn_basic
from tfcore.ops.nn.softmax import softmax as plain_softmax
from tfcore.ops.reduce.reduce import reduce_max, reduce_sum
from tfcore.variables.initializers import Constant, Ones, Zeros
from tfcore.variables.variable_scope import variable_scope


@add_arg_scope
@documented
def bias_add(
    inputs,
    activation_fn=None,
    initializer=Zeros(),  # noqa: B008  TensorFlow's signature
    regularizer=None,
    reuse=None,
    variables_collections=None,
    outputs_collections=None,
    trainable=True,
    data_format="NHWC",
    scope=None,
):
    """Adds the variable `biases` to the channels.

    Args:
      inputs: A `Tensor` of a numeric type with a known number of channels.
      activation_fn: A function of the output; None for none.
      initializer: Initializer of the biases; zeros by default.
      regularizer: A function of the biases that returns a loss.
      data_format: "NHWC", or "NCHW" for images with the channels as the second dimension.
      {bookkeeping}

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      ValueError: The number of channels is not known, or `data_format` does not fit.
    """
    utils.channels_name(data_format)
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as scope:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("Dims of shape must be known but is None")
        if rank != 4 and data_format == "NCHW":
            raise ValueError("Data format NCHW only supports 4D Tensor")
        channels = inputs.shape.as_list()[1 if data_format == "NCHW" else -1]
        if channels is None:
            raise ValueError("`C` dimension must be known but is None")
        biases = model_variable(
            "biases",
            shape=[channels],
            dtype=inputs.dtype.base_dtype,
            initializer=initializer,
            regularizer=regularizer,
            collections=utils.get_variable_collections(variables_collections, "biases"),
            trainable=trainable,
        )
        outputs = nn_basic.bias_add(inputs, biases, data_format=data_format)
        outputs = outputs if activation_fn is None else activation_fn(outputs)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


@add_arg_scope
@documented
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None, seed=None):
    """Keeps elements with probability `keep_prob` and divides them by it; sets the others to 0.

    Args:
      inputs: A `Tensor` of a floating-point type.
      keep_prob: A float or scalar `Tensor`.
      noise_shape: An int32 vector: the shape of the mask, which is broadcast to the inputs; theirs by default.
      is_training: A bool, or a scalar `Tensor` of type bool; otherwise the inputs are returned.
      seed: An int, the seed for drawing the mask.
      {outputs}

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      ValueError: `keep_prob` is out of range, or `inputs` is not of a floating-point type.
    """
    with variable_scope(scope, "Dropout", [inputs]) as scope:
        inputs = convert_to_tensor(inputs)
        layer = Dropout(rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=scope.name, _scope=scope)
        outputs = layer.apply(inputs, training=is_training)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


@add_arg_scope
@documented
def flatten(inputs, outputs_collections=None, scope=None):
    """Flattens all dimensions but the first.

    Args:
      inputs: A `Tensor` of rank 1 or more.
      {outputs}

    Returns:
      A `Tensor` of the type of `inputs`, shape [batch, product of the other sizes].

    Raises:
      ValueError: `inputs` is a scalar.
    """
    with name_scope(scope, "Flatten", [inputs]) as scope:
        outputs = flatten_layer(convert_to_tensor(inputs))
        return utils.collect_named_outputs(outputs_collections, scope, outputs)


@add_arg_scope
@documented
def dense_to_sparse(tensor, eos_token=0, outputs_collections=None, scope=None):
    """The elements that differ from a value, as a sparse tensor.

    Args:
      tensor: A `Tensor`.
      eos_token: The value of the elements to leave out.
      {outputs}

    Returns:
      A `SparseTensor` of the shape of `tensor`.

    Raises:
      TypeError: `eos_token` is not of the type of `tensor`.
    """
    with variable_scope(scope, "dense_to_sparse", [tensor]) as scope:
        tensor = convert_to_tensor(tensor)
        indices = where(not_equal(tensor, constant(eos_token, tensor.dtype)))
        shape = array.shape(tensor, out_type=dtypes.int64)
        outputs = SparseTensor(indices, gather_nd(tensor, indices), shape)
        return utils.collect_named_outputs(outputs_collections, scope.name, outputs)


@add_arg_scope
@documented
def images_to_sequence(inputs, data_format="NHWC", outputs_collections=None, scope=None):
    """The columns of images as steps of sequences.

    Args:
      inputs: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says.
      data_format: "NHWC" or "NCHW".
      {outputs}

    Returns:
      A `Tensor` of the type of `inputs`, shape [width, batch * height, channels].

    Raises:
      ValueError: `data_format` is not valid.
    """
    utils.channels_name(data_format)
    with name_scope(scope, "ImagesToSequence", [inputs]) as scope:
        inputs = convert_to_tensor(inputs)
        if data_format == "NCHW":
            inputs = array.transpose(inputs, [0, 2, 3, 1])
        _, _, width, depth = inputs.shape.as_list()
        sizes = array.shape(inputs)
        outputs = array.reshape(array.transpose(inputs, [2, 0, 1, 3]), [width, sizes[0] * sizes[1], depth])
        return utils.collect_named_outputs(outputs_collections, scope, outputs)


@add_arg_scope
@documented
def sequence_to_images(inputs, height, output_data_format="channels_last", outputs_collections=None, scope=None):
    """The steps of sequences as columns of images; the inverse of `images_to_sequence`.

    Args:
      inputs: A `Tensor` of shape [width, batch * height, channels].
      height: An int: the height of the images.
      output_data_format: "channels_last" or "channels_first".
      {outputs}

    Returns:
      A `Tensor` of the type of `inputs`, shape [batch, height, width, channels], or as `output_data_format` says.

    Raises:
      ValueError: `inputs` is not of rank 3.
    """
    with name_scope(scope, "SequenceToImages", [inputs]) as scope:
        inputs = convert_to_tensor(inputs)
        width, rows, depth = inputs.shape.as_list()
        images = array.reshape(inputs, [width, -1 if rows is None else rows // height, height, depth])
        outputs = array.transpose(images, [1, 3, 2, 0] if output_data_format == "channels_first" else [1, 2, 0, 3])
        return utils.collect_named_outputs(outputs_collections, scope, outputs)


@add_arg_scope
def maxout(inputs, num_units, axis=-1, scope=None):
    """The maximum of each group of features.

    Source: I. J. Goodfellow et al., "Maxout Networks", ICML 2013.

    Args:
      inputs: A `Tensor` of a real numeric type.
      num_units: An int: the number of groups; it must divide the number of features.
      axis: An int: the dimension of the features.
      scope: A variable scope or its name.

    Returns:
      A `Tensor` of the type of `inputs`, with `num_units` features.

    Raises:
      ValueError: `num_units` does not divide the number of features.
    """
    with variable_scope(scope, "MaxOut", [inputs]):
        inputs = convert_to_tensor(inputs)
        shape = inputs.shape.as_list()
        features = shape[axis]
        if features % num_units:
            raise ValueError(f"number of features({features}) is not a multiple of num_units({num_units})")
        shape[axis] = num_units
        dynamic = array.shape(inputs)
        shape = [dynamic[i] if d is None else d for i, d in enumerate([*shape, features // num_units])]
        return reduce_max(array.reshape(inputs, shape), -1, keepdims=False)


@add_arg_scope
@documented
def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
    """Turns labels into vectors with a single `on_value`.

    Args:
      labels: A `Tensor` of type int32 or int64, of any shape.
      num_classes: An int: the size of the vectors.
      on_value: The value at the position of the label.
      off_value: The value elsewhere.
      {outputs}

    Returns:
      A `Tensor` of the type of `on_value`, with one dimension more than `labels`.

    Raises:
      TypeError: `labels` is not of an integer type.
    """
    with name_scope(scope, "OneHotEncoding", [labels, num_classes]) as scope:
        labels = convert_to_tensor(labels)
        if labels.dtype == dtypes.int32:
            labels = cast(labels, dtypes.int64)
        outputs = one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return utils.collect_named_outputs(outputs_collections, scope, outputs)


@custom_gradient
def scale_gradient(inputs, gradient_multiplier):
    """Returns the inputs unchanged; gradients that flow back through it are multiplied.

    Args:
      inputs: A `Tensor` of a floating-point type.
      gradient_multiplier: A scalar `Tensor` of this type.

    Returns:
      A `Tensor` of the type and shape of `inputs`.

    Raises:
      TypeError: The types differ.
    """
    return array.identity(inputs), lambda grad: (grad * gradient_multiplier, None)


@add_arg_scope
def softmax(logits, scope=None):
    """Softmax over the last dimension.

    Args:
      logits: A `Tensor` of a floating-point type, rank 2 or more, with a known last dimension.
      scope: A variable scope or its name.

    Returns:
      A `Tensor` of the type and shape of `logits`.

    Raises:
      ValueError: The rank is less than 2, or the last dimension is not known.
    """
    with variable_scope(scope, "softmax", [logits]):
        size = utils.last_dimension(logits.shape, min_rank=2)
        outputs = array.reshape(plain_softmax(array.reshape(logits, [-1, size])), array.shape(logits))
        outputs.set_shape(logits.shape)
        return outputs


@add_arg_scope
def spatial_softmax(
    features, temperature=None, name=None, variables_collections=None, trainable=True, data_format="NHWC"
):
    """The expected position in an image where each channel is active: the mean position under a softmax.

    Source: C. Finn et al., "Deep Spatial Autoencoders for Visuomotor Learning", ICRA 2016.

    Args:
      features: A `Tensor` of shape [batch, height, width, channels], or as `data_format` says, of type float32.
      temperature: The initial value of the variable `temperature`, which divides the features; 1 by default.
      name: A variable scope or its name.
      variables_collections: A list of collections for the variable, or a dict with the key "temperature".
      trainable: Whether the temperature is trained.
      data_format: "NHWC" or "NCHW".

    Returns:
      A `Tensor` of shape [batch, 2 * channels]: coordinates between -1 and 1, x and y of each channel.

    Raises:
      ValueError: The number of channels is not known, or `data_format` is not valid.
    """
    utils.channels_name(data_format)
    with variable_scope(name, "spatial_softmax"):
        dynamic = array.shape(features)
        shape = [dynamic[i] if d is None else d for i, d in enumerate(features.shape.as_list())]
        height, width = shape[1:3] if data_format == "NHWC" else shape[2:]
        channels = features.shape.as_list()[3 if data_format == "NHWC" else 1]
        if channels is None:
            raise ValueError(
                "The num_channels dimension of the inputs to `spatial_softmax` should be defined. Found `None`."
            )
        with name_scope("spatial_softmax_op", "spatial_softmax_op", [features]):
            rows = array.reshape(lin_space(-1.0, 1.0, num=height), [-1, 1])
            columns = array.reshape(lin_space(-1.0, 1.0, num=width), [1, -1])
            x = array.reshape(tile(rows, stack([1, width])), [-1])
            y = array.reshape(tile(columns, stack([height, 1])), [-1])
            collections = utils.get_variable_collections(variables_collections, "temperature") if trainable else None
            temperature = model_variable(
                "temperature",
                shape=(),
                dtype=dtypes.float32,
                initializer=Ones() if temperature is None else Constant(temperature),
                collections=collections,
                trainable=trainable,
            )
            if data_format == "NHWC":
                features = array.transpose(features, [0, 3, 1, 2])
            attention = plain_softmax(array.reshape(features, [-1, height * width]) / temperature)
            position = concat([reduce_sum(p * attention, [1], keepdims=True) for p in (x, y)], 1)
            points = array.reshape(position, [-1, channels * 2])
            points.set_shape([None, channels * 2])
            return points
