"""`tensorflow.python.debug`: sessions that stop before and after steps and show the values of all tensors."""
