"""`tf.io.parse_example` and its kin: features that programs ask for, and the functions that parse them."""
