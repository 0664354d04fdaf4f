"""The libraries, in the versions for TensorFlow 1, and why tests of theirs fail."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Library:
    """A library.

    Attributes:
      name: Its name on the package registry.
      version: The version.
      requirements: What else is installed, as arguments of pip.
      alone: The same, without their own requirements.
      program: The name of a program in `programs` that trains by the library and runs besides its tests, or "".
      repository: "OWNER/NAME" of its tests on GitHub, and `tag`. They are in its folder `tests`, or in `package`. ""
        if the installed package has its tests.
      package: The package whose modules have tests beside them, or "".
      parts: The folders of the package of which the tests run; () for all.
      removed: A regular expression: lines of tests that are removed before they run.
      environment: {name: value} of variables of the environment.
      without: Tests that do not run, as arguments of pytest.
      reasons: {regular expression of a failure's name and text: why it fails}
    """

    name: str
    version: str
    requirements: tuple = ()
    alone: tuple = ()
    program: str = ""
    repository: str = ""
    tag: str = ""
    package: str = ""
    parts: tuple = ()
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

_SLIM = {
    r"numpy_test|within 7 places": "NumPy 2 no longer computes with a float32 and a Python float in double precision",
    r"only integers, slices": "NumPy 2",
    r"No module named 'nose'": "needs the package nose, which Python 3.11 cannot import",
    r"Devices .* are not equal": "expects devices that were merged otherwise before TensorFlow 1.14",
}
# The tests in files *distribute* run strategies over several processes.
_WITHOUT_TPU = ("--ignore-glob=*/tpu/*", "--ignore-glob=*distribute*", "--ignore-glob=*boosted_trees*")
_TPU = "needs TPUs, boosted trees, or strategies over several processes, which are out of scope"
_ESTIMATOR = {
    r"tensorflow\.core\.kernels|core\.protobuf\.tpu|distribute|boosted_trees|collective|switch_to_thread_local": _TPU,
    r"TensorFlow v2 Estimator|V2 feature columns|of TensorFlow 2 yet|optimizer_v2|has no attribute 'variables'": (
        "an estimator of TensorFlow 2"
    ),
    r"'_MutableDenseHashTable'|Sdca|SDCA": "stochastic dual coordinate ascent, which is out of scope",
    r"_set_steps_per_run|Timer|save_secs|every_n_secs": "expects what hooks do for TPUs, or replaces `time.time`",
    r"labels shape must be|Labels must": "expects the error when the graph runs; tfcore finds it when it is built",
    r"clustering_ops|timeseries|KMeans": "needs tf.contrib's clustering or time series, which are out of scope",
}
_T3F = {
    r"Cannot convert a symbolic Tensor": "gives a tensor to NumPy, which needs eager execution",
    r"matrix/core_0 already exists": "makes variables of one name twice, which needs eager execution",
    r"rtol=0.0001": "compares sums of float32 in another order to an absolute 1e-6",
}
_GPFLOW = {
    r"'Dataset' object has no attribute 'value'": "h5py no longer has `Dataset.value`",
    r"argument 'message'": "`pytest.mark.skip` has no argument `message` any more",
    r"KeyError: 0": "pandas no longer takes a number for a position",
    r"has no attribute '_config'": "reads a private attribute of TensorFlow's session",
    r"uses different graph|closed Session": "uses the default session, which a test before it has closed",
}
_SONNET = {
    r"'tuple' object has no attribute 'append'": "NumPy 2",
    r"TEST_SRCDIR": "needs the folder of test data that Bazel makes",
    r"__main__": "expects that the test is the main program",
    r"ModuleInfoTest": "protobuf 7 takes the map of a message that an old protoc has generated for a list",
    r"Unknown command line flag": "reads the command line, which is pytest's",
    r"NestTest": "expects the texts of errors that TensorFlow 1.14 has changed",
}
_PROBABILITY = {
    r"frechet_r": "SciPy no longer has `frechet_r`",
    r"abstract class": "Python's text of this error has changed",
    r"SinhArcsinh|RealNVP": "fails by chance in single precision",
}
_PROTOBUF = {"PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}  # for files that an old protoc has generated
_FOR_SONNET = (
    "tensorflow-probability==0.6.0", "keras==2.3.1", "contextlib2", "dm-tree", "future", "mock", "scipy",
    "semantic-version", "six", "wrapt",
)  # fmt: skip

LIBRARIES = [
    Library(
        "keras", "2.2.4", _FOR_TESTS,
        repository="keras-team/keras", tag="2.2.4", without=_WITHOUT, reasons=_KERAS,
    ),
    Library("keras", "2.3.1", _FOR_TESTS, repository="keras-team/keras", tag="2.3.1", without=_WITHOUT, reasons=_KERAS),
    Library("tf_slim", "1.1.0", ("six", "scipy"), package="tf_slim", reasons=_SLIM),
    Library(
        "t3f", "1.2.0", ("keras==2.3.1", "setuptools<80"),
        package="t3f", removed=r"tf\.compat\.v1\.enable_(eager_execution|v2_behavior)\(\)",
        program="train_t3f", reasons=_T3F,
    ),
    Library(
        "tflearn", "0.5.0", ("six", "h5py>=3.10", "scipy"),
        repository="tflearn/tflearn", tag="0.5.0", program="train_tflearn",
    ),
    Library(
        "tensorpack", "0.11",
        ("six", "termcolor", "tabulate", "msgpack", "msgpack-numpy", "pyzmq", "psutil", "setuptools<80", "keras<2.4",
         "lmdb", "opencv-python-headless"),
        repository="tensorpack/tensorpack", tag="v0.11", package="tensorpack", program="train_tensorpack",
    ),
    Library(
        "tensorflow-estimator", "1.15.2", ("six", "pandas", "scikit-learn", "keras==2.3.1", "setuptools<80"),
        repository="tensorflow/estimator", tag="v1.15.2", package="tensorflow_estimator",
        parts=("python/estimator",), program="train_estimator", without=_WITHOUT_TPU, reasons=_ESTIMATOR,
    ),
    Library(
        "gpflow", "1.5.1",
        (
            "decorator", "h5py>=3.10", "matplotlib", "mock", "multipledispatch", "pandas", "scipy", "setuptools<80",
            "six",
        ),
        repository="GPflow/GPflow", tag="v1.5.1", without=("--ignore=tests/test_notebooks.py",),
        program="train_gpflow", reasons=_GPFLOW,
    ),
    Library("trfl", "1.2.0", _FOR_SONNET, package="trfl"),
    Library(
        "dm-sonnet", "1.36", _FOR_SONNET, environment=_PROTOBUF,
        repository="google-deepmind/sonnet", tag="v1.36", package="sonnet", parts=("python",), reasons=_SONNET,
    ),
    Library(
        "graph_nets", "1.0.5", (*_FOR_SONNET, "networkx<3"), ("dm-sonnet==1.36",), environment=_PROTOBUF,
        package="graph_nets",
    ),
    Library(
        "tensorflow-probability", "0.6.0", ("six", "scipy", "cloudpickle", "mock", "setuptools<80", "keras==2.3.1"),
        repository="tensorflow/probability", tag="v0.6.0", package="tensorflow_probability",
        parts=("python/bijectors", "python/distributions"),
        reasons=_PROBABILITY,
    ),
]  # fmt: skip
