"""Tags that graphs of a SavedModel often have: `tf.saved_model.tag_constants`."""

EVAL = "eval"
GPU = "gpu"
SERVING = "serve"
TPU = "tpu"
TRAINING = "train"
