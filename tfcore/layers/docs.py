"""Paragraphs that docstrings of many layers share: `{name}` on a line of its own stands for them."""

from tfcore.framework.definitions.paragraphs import documented_with

PARAGRAPHS = {
    "kernel_and_bias": """
      activation: A function of the output such as `tf.nn.relu`, or its name; None for none.
      use_bias: Whether to add a bias.
      kernel_initializer: Initializer of the kernel; that of the variable scope by default, else Glorot's uniform.
      bias_initializer: Initializer of the bias; zeros by default.
      kernel_regularizer: A function of the kernel that returns a loss.
      bias_regularizer: A function of the bias that returns a loss.
      activity_regularizer: A function of the output that returns a loss, which is divided by the size of the batch.
      kernel_constraint: A function of the kernel, applied after each update.
      bias_constraint: A function of the bias, applied after each update.
      trainable: Whether the variables are added to the trainable ones.
      name: Name of the layer and of its variable scope; made from the class if None.
    """,
    "separable": """
      depth_multiplier: An int: the number of outputs of the depthwise convolution for each input channel.
      activation: A function of the output such as `tf.nn.relu`, or its name; None for none.
      use_bias: Whether to add a bias.
      depthwise_initializer: Initializer of the depthwise kernel; that of the variable scope by default, else Glorot's.
      pointwise_initializer: Initializer of the pointwise kernel; that of the variable scope by default, else Glorot's.
      bias_initializer: Initializer of the bias; zeros by default.
      depthwise_regularizer: A function of the depthwise kernel that returns a loss.
      pointwise_regularizer: A function of the pointwise kernel that returns a loss.
      bias_regularizer: A function of the bias that returns a loss.
      activity_regularizer: A function of the output that returns a loss, which is divided by the size of the batch.
      depthwise_constraint: A function of the depthwise kernel, applied after each update.
      pointwise_constraint: A function of the pointwise kernel, applied after each update.
      bias_constraint: A function of the bias, applied after each update.
      trainable: Whether the variables are added to the trainable ones.
      name: Name of the layer and of its variable scope; made from the class if None.
    """,
    "normalization": """
      axis: An int: the dimension of the channels; or a list of ints.
      momentum: A float: the decay of the moving averages.
      epsilon: A small float added to the variance.
      center: Whether to add beta.
      scale: Whether to multiply by gamma.
      beta_initializer: Initializer of beta; zeros by default.
      gamma_initializer: Initializer of gamma; ones by default.
      moving_mean_initializer: Initializer of the moving mean; zeros by default.
      moving_variance_initializer: Initializer of the moving variance; ones by default.
      beta_regularizer: A function of beta that returns a loss.
      gamma_regularizer: A function of gamma that returns a loss.
      beta_constraint: A function of beta, applied after each update.
      gamma_constraint: A function of gamma, applied after each update.
      renorm: Whether to correct the statistics of the batch towards the moving averages in training, too (S. Ioffe,
        "Batch Renormalization", NIPS 2017).
      renorm_clipping: A dict with some of "rmin", "rmax", "dmax": scalars that limit this correction.
      renorm_momentum: A float: the decay of the averages that the correction uses.
      fused: False to never use the fused operation, which images otherwise use.
      trainable: Whether the variables are added to the trainable ones.
      virtual_batch_size: An int: the batch is split into parts of this size, and each is normalized by itself.
      adjustment: A function of the shape of the inputs that returns (scale, bias): applied to the normalized values in
        training only.
      name: Name of the layer and of its variable scope; made from the class if None.
    """,
    "kwargs": """
      **kwargs: Arguments of `Layer`: `dtype`, the type of the variables, by default that of the inputs.
    """,
    "reuse": """
      reuse: Whether to reuse existing variables of that name.
    """,
}

documented = documented_with(PARAGRAPHS)
