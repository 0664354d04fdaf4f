"""Records of tf.data's generator: none, as an element comes out of an iterator."""

RECORDS = []

EXPLICIT = {
    "GeneratorDataset": "tests/data/test_generator.py::test_elements_have_the_structure_and_types_that_are_stated",
}
