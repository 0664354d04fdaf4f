"""The libraries, in the versions for TensorFlow 1, and why tests of theirs fail."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Library:
    """A library.

    Attributes:
      name: Its name on the package registry.
      version: The version.
      requirements: What else is installed, as arguments of pip.
      program: The name of a program in `programs`, or "" if the library's own tests run.
      repository: "OWNER/NAME" of its tests on GitHub, and `tag`. They are in its folder `tests`, or in `package`. ""
        if the installed package has its tests.
      package: The package whose modules have tests beside them, or "".
      part: The folder of the package of which the tests run; "" for all.
      removed: A regular expression: lines of tests that are removed before they run.
      environment: {name: value} of variables of the environment.
      without: Tests that do not run, as arguments of pytest.
      reasons: {regular expression of a failure's name and text: why it fails}
    """

    name: str
    version: str
    requirements: tuple = ()
    program: str = ""
    repository: str = ""
    tag: str = ""
    package: str = ""
    part: str = ""
    removed: str = ""
    environment: dict = dataclasses.field(default_factory=dict)
    without: tuple = ()
    reasons: dict = dataclasses.field(default_factory=dict)


_KERAS = {
    r"'NoneType' object has no attribute": "the test compares with Theano, too",
    r"test_in_top_k": "NumPy orders equal values otherwise than TensorFlow, with which tfcore agrees",
    r"test_selu": "compares floats with NumPy's to the last bit",
    r"exceptions must be derived from Warning": "`pytest.warns(None)` is gone from pytest",
    r"failed to call GraphViz|test_plot_model": "needs the program GraphViz",
    r"truth value of an empty array|only integers, slices|ArrayFunctionDispatcher|inhomogeneous": "NumPy 2",
    r"could not determine a constructor": "PyYAML no longer makes any object that a text names",
    r"test_recursion": "expects shapes that `tf.matmul` had before TensorFlow 1.14",
    r"test_ctc_decode_beam_search": "expects values of an older TensorFlow; the test of Keras 2.3.1 passes",
    r"Connection|urlopen|getaddrinfo|resolve": "needs the network",
}
_WITHOUT = (
    "--ignore=tests/test_doc_auto_generation.py",
    "--ignore=tests/test_api.py",
    "--ignore=tests/test_documentation.py",
    "--ignore=tests/docs",
    "--ignore=tests/keras/utils/data_utils_test.py",
    "--ignore=tests/test_multiprocessing.py",
    "--ignore=tests/integration_tests/test_datasets.py",
    "--ignore=tests/integration_tests/applications_test.py",
)
_FOR_TESTS = (
    "keras-applications==1.0.8",
    "keras-preprocessing==1.1.2",
    "h5py>=3.10",
    "pandas",
    "scikit-learn",
    "requests",
    "pydot",
    "flaky",
    "markdown",
    "setuptools<80",
    "six",
    "scipy",
)

LIBRARIES = [
    Library(
        "keras", "2.2.4", _FOR_TESTS,
        repository="keras-team/keras", tag="2.2.4", without=_WITHOUT, reasons=_KERAS,
    ),
    Library("keras", "2.3.1", _FOR_TESTS, repository="keras-team/keras", tag="2.3.1", without=_WITHOUT, reasons=_KERAS),
    Library("tensorflow-estimator", "1.15.2", ("six",), program="train_estimator"),
    Library("t3f", "1.2.0", ("keras==2.3.1", "setuptools<80"), program="train_t3f"),
    Library("tflearn", "0.5.0", ("six", "h5py>=3.10", "scipy"), program="train_tflearn"),
    Library(
        "tensorpack", "0.11",
        ("six", "termcolor", "tabulate", "msgpack", "msgpack-numpy", "pyzmq", "psutil", "setuptools<80", "keras<2.4"),
        program="train_tensorpack",
    ),
    Library(
        "gpflow", "1.5.1", ("decorator", "h5py>=3.10", "multipledispatch", "pandas", "scipy", "six", "setuptools<80"),
        program="train_gpflow",
    ),
]  # fmt: skip
