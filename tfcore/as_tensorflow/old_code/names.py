"""The table: what Python and libraries took away, names of Python 2, and what stands for them now.

A value "module:name" is what the name stands for, with "." for this package. A Gone is a name that has no equal: the
text says what to use instead.
"""


class Gone(str):
    """Advice, in an error."""


def _all(module, names):
    return {name: f"{module}:{name}" for name in names.split()}


_NUMPY_TYPES = {
    **{name: f"builtins:{name}" for name in ("int", "float", "complex", "object", "str")},
    "unicode": "builtins:str",
    "bool8": "numpy:bool_",
    "bytes0": "numpy:bytes_",
    "cfloat": "numpy:complex128",
    "clongfloat": "numpy:clongdouble",
    "complex_": "numpy:complex128",
    "float_": "numpy:float64",
    "int0": "numpy:intp",
    "longcomplex": "numpy:clongdouble",
    "longfloat": "numpy:longdouble",
    "object0": "numpy:object_",
    "singlecomplex": "numpy:complex64",
    "str0": "numpy:str_",
    "string_": "numpy:bytes_",
    "typeDict": "numpy:sctypeDict",
    "uint0": "numpy:uintp",
    "unicode_": "numpy:str_",
    "void0": "numpy:void",
}

_NUMPY = {
    **_NUMPY_TYPES,
    **dict.fromkeys(("Inf", "Infinity", "PINF", "infty"), "numpy:inf"),
    **dict.fromkeys(("NAN", "NaN"), "numpy:nan"),
    **_all(".numpy_names", "NINF NZERO PZERO"),
    **_all(".numpy_names", "alen asfarray asscalar cast deprecate disp fastCopyAndTranspose find_common_type in1d"),
    **_all(".numpy_names", "issctype issubclass_ issubsctype maximum_sctype msort nbytes obj2sctype recfromcsv"),
    **_all(".numpy_names", "recfromtxt sctype2char sctypes"),
    **_all("numpy.lib", "add_docstring add_newdoc tracemalloc_domain"),
    "DataSource": "numpy.lib.npyio:DataSource",
    "alltrue": "numpy:all",
    "byte_bounds": "numpy.lib.array_utils:byte_bounds",
    "compare_chararrays": "numpy.char:compare_chararrays",
    "cumproduct": "numpy:cumprod",
    "format_parser": "numpy.rec:format_parser",
    "loads": "pickle:loads",
    "mat": "numpy:asmatrix",
    "math": "math",
    "product": "numpy:prod",
    "rank": "numpy:ndim",
    "round_": "numpy:round",
    "row_stack": "numpy:vstack",
    "safe_eval": "ast:literal_eval",
    "sometrue": "numpy:any",
    "trapz": "numpy:trapezoid",
    **dict.fromkeys(
        ("fv", "ipmt", "irr", "mirr", "nper", "npv", "pmt", "ppmt", "pv", "rate"),
        Gone("the package numpy_financial (pip install numpy-financial)"),
    ),
    "MachAr": Gone("numpy.finfo"),
    "add_newdoc_ufunc": Gone("nothing in its place (it only set docstrings)"),
    "deprecate_with_doc": Gone("warnings.warn"),
    "geterrobj": Gone("numpy.errstate"),
    "lookfor": Gone("the documentation of NumPy"),
    "seterrobj": Gone("numpy.errstate"),
    "set_numeric_ops": Gone("__array_ufunc__ of a subclass"),
    "set_string_function": Gone("numpy.set_printoptions"),
    "source": Gone("inspect.getsource"),
    "who": Gone("locals()"),
}

_WINDOWS = (
    "barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop gaussian "
    "general_gaussian hamming hann kaiser nuttall parzen triang tukey"
)
_ABSTRACT = (
    "AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable Collection Container Coroutine Generator Hashable "
    "ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet Reversible "
    "Sequence Set Sized ValuesView"
)
_WAVELETS = Gone("the package PyWavelets")

# Module -> name -> what it stands for.
NAMES = {
    # Python
    "builtins": {
        **dict.fromkeys(("basestring", "unicode"), "builtins:str"),
        "long": "builtins:int",
        "raw_input": "builtins:input",
        "reduce": "functools:reduce",
        "unichr": "builtins:chr",
        "xrange": "builtins:range",
    },
    "array": {},
    "asyncio": {"coroutine": "types:coroutine"},
    "base64": {"decodestring": "base64:decodebytes", "encodestring": "base64:encodebytes"},
    "cgi": {"escape": ".python_names:escape"},
    "collections": _all("collections.abc", _ABSTRACT),
    "configparser": {"SafeConfigParser": "configparser:ConfigParser"},
    "fractions": {"gcd": "math:gcd"},
    "inspect": {
        **_all(".python_names", "ArgSpec getargspec"),
        "formatargspec": Gone("str(inspect.signature(...))"),
        "getmoduleinfo": Gone("inspect.getmodulename"),
    },
    "itertools": {
        "ifilter": "builtins:filter",
        "ifilterfalse": "itertools:filterfalse",
        "imap": "builtins:map",
        "izip": "builtins:zip",
        "izip_longest": "itertools:zip_longest",
    },
    "locale": {"format": ".python_names:format_number"},
    "os": {"errno": "errno", "getcwdu": "os:getcwd"},
    "platform": dict.fromkeys(("dist", "linux_distribution"), Gone("the package distro")),
    "plistlib": dict.fromkeys(("readPlist", "writePlist"), Gone("plistlib.load and plistlib.dump")),
    "string": {
        **{name: f"string:ascii_{name}" for name in ("letters", "lowercase", "uppercase")},
        "maketrans": "builtins:str.maketrans",
    },
    "sys": {"maxint": "sys:maxsize"},
    "ssl": {"wrap_socket": Gone("ssl.SSLContext.wrap_socket")},
    "time": {"clock": "time:process_time"},
    "unittest": dict.fromkeys(("findTestCases", "makeSuite"), Gone("unittest.defaultTestLoader")),
    # NumPy
    "numpy": _NUMPY,
    "numpy.lib": {"pad": "numpy:pad"},
    "numpy.random": {"random_integers": ".numpy_names:random_integers"},
    "numpy.testing": {"Tester": Gone("pytest"), "run_module_suite": Gone("pytest")},
    # Pillow
    "PIL.Image": {
        "ANTIALIAS": ".images:ANTIALIAS",
        "CUBIC": ".images:CUBIC",
        "LINEAR": ".images:LINEAR",
    },
    # SciPy. Its root had all names of NumPy; see `importing.py`.
    "scipy.integrate": {
        "cumtrapz": "scipy.integrate:cumulative_trapezoid",
        "quadrature": Gone("scipy.integrate.quad"),
        "romberg": Gone("scipy.integrate.quad"),
        "simps": ".scipy_names:simps",
        "trapz": "scipy.integrate:trapezoid",
    },
    "scipy.interpolate": {"interp2d": Gone("scipy.interpolate.RegularGridInterpolator or RectBivariateSpline")},
    "scipy.linalg": {"pinv2": "scipy.linalg:pinv", **_all("numpy", "tri tril triu")},
    "scipy.misc": {
        **_all(".images", "bytescale fromimage imfilter imread imresize imrotate imsave imshow toimage"),
        **_all("scipy.special", "comb factorial factorial2 factorialk logsumexp"),
        **_all("scipy.datasets", "ascent electrocardiogram face"),
        **_all(".scipy_names", "central_diff_weights derivative"),
        "pade": "scipy.interpolate:pade",
        "lena": Gone("scipy.datasets.face"),
        "who": Gone("locals()"),
    },
    "scipy.signal": {
        **_all("scipy.signal.windows", _WINDOWS),
        "hanning": "scipy.signal.windows:hann",
        **dict.fromkeys(("cwt", "daub", "morlet", "morlet2", "qmf", "ricker"), _WAVELETS),
    },
    "scipy.stats": {
        "binom_test": Gone("scipy.stats.binomtest"),
        "chisqprob": ".scipy_names:chisqprob",
        "itemfreq": Gone("numpy.unique(..., return_counts=True)"),
        "median_absolute_deviation": ".scipy_names:median_absolute_deviation",
    },
}

# Class -> method -> what it stands for.
METHODS = {
    "builtins:dict": {
        "has_key": ".python_names:has_key",
        "iteritems": "builtins:dict.items",
        "iterkeys": "builtins:dict.keys",
        "itervalues": "builtins:dict.values",
    },
    "array:array": {"fromstring": "array:array.frombytes", "tostring": "array:array.tobytes"},
    "configparser:RawConfigParser": {"readfp": "configparser:RawConfigParser.read_file"},
    "h5py:File": {"fid": "h5py:File.id"},
    "html.parser:HTMLParser": {"unescape": ".python_names:unescape"},
    "numpy:generic": {"tostring": "numpy:generic.tobytes"},
    "numpy:ndarray": {
        "itemset": ".numpy_names:itemset",
        "newbyteorder": ".numpy_names:newbyteorder",
        "ptp": "numpy:ptp",
        "tostring": "numpy:ndarray.tobytes",
    },
    "PIL.ImageDraw:ImageDraw": {"textsize": ".images:textsize"},
    "PIL.ImageFont:FreeTypeFont": {"getsize": ".images:getsize"},
    "PIL.ImageFont:ImageFont": {"getsize": ".images:getsize"},
    "scipy.sparse:spmatrix": {"A": ".scipy_names:A", "H": ".scipy_names:H"},
    "threading:Thread": {"isAlive": "threading:Thread.is_alive"},
    "unittest:TestCase": {
        "assertAlmostEquals": "unittest:TestCase.assertAlmostEqual",
        "assertDictContainsSubset": ".python_names:assert_dict_contains_subset",
        "assertEquals": "unittest:TestCase.assertEqual",
        "assertItemsEqual": "unittest:TestCase.assertCountEqual",
        "assertNotAlmostEquals": "unittest:TestCase.assertNotAlmostEqual",
        "assertNotEquals": "unittest:TestCase.assertNotEqual",
        "assertNotRegexpMatches": "unittest:TestCase.assertNotRegex",
        "assertRaisesRegexp": "unittest:TestCase.assertRaisesRegex",
        "assertRegexpMatches": "unittest:TestCase.assertRegex",
        "assert_": "unittest:TestCase.assertTrue",
    },
    "xml.etree.ElementTree:Element": {
        "getchildren": ".python_names:getchildren",
        "getiterator": "xml.etree.ElementTree:Element.iter",
    },
}

# Functions that have lost an argument, a default or a kind of value. A wrapper takes the function that is there.
CHANGED = {
    "builtins": {"open": ".python_names:open_universal"},
    "h5py._hl.attrs": {"AttributeManager": ".h5py_names:with_bytes"},
    "h5py._hl.files": {"File": ".h5py_names:with_any_mode"},
    "json": {"load": ".python_names:without_encoding", "loads": ".python_names:without_encoding"},
    "numpy": {
        "array": ".numpy_names:ragged",
        "asanyarray": ".numpy_names:ragged",
        "asarray": ".numpy_names:ragged",
        **dict.fromkeys(("column_stack", "dstack", "hstack", "stack", "vstack"), ".numpy_names:of_iterables"),
        **dict.fromkeys(("empty", "full", "ones", "zeros"), ".numpy_names:of_abstract_types"),
        "fromstring": ".numpy_names:of_bytes",
        "histogram": ".numpy_names:normed",
        "issubdtype": ".numpy_names:of_python_types",
        "linspace": ".numpy_names:whole_number",
        "load": ".numpy_names:with_pickles",
        **dict.fromkeys(("nanpercentile", "nanquantile", "percentile", "quantile"), ".numpy_names:interpolation"),
        "reshape": ".numpy_names:new_shape",
    },
    "pickle": {"load": ".python_names:of_python_2", "loads": ".python_names:of_python_2"},
    "random": {"sample": ".python_names:of_sets", "shuffle": ".python_names:with_a_function"},
    "yaml": {"load": ".python_names:with_loader", "load_all": ".python_names:with_loader"},
}
# What the wrappers do, for the table of the documentation.
CHANGES = {
    "builtins.open": 'takes modes with "U"',
    "h5py.AttributeManager": "reads ASCII strings as bytes; Keras saves models with them",
    "h5py.File": "without a mode, opens a file for writing and creates it if it is missing",
    "json.load, loads": "take `encoding`",
    "numpy.array, asanyarray, asarray": "make an array of objects of rows of several lengths; `copy=False` may copy",
    "numpy.stack, vstack, hstack, dstack, column_stack": "take generators",
    "numpy.empty, full, ones, zeros": "take `np.integer`, `np.floating` and the like as types",
    "numpy.fromstring": "takes bytes",
    "numpy.histogram": "takes `normed`",
    "numpy.issubdtype": "takes `float`, `int` and the like for types of any size",
    "numpy.linspace": "takes a number of samples that is a float",
    "numpy.percentile, quantile, nanpercentile, nanquantile": "take `interpolation`",
    "numpy.reshape": "takes `newshape`",
    "numpy.load": "reads pickled objects, also those of Python 2",
    "pickle.load, loads": "read strings of Python 2",
    "random.sample": "takes sets",
    "random.shuffle": "takes a function as second argument",
    "yaml.load, load_all": "need no loader (yaml.FullLoader)",
}

# Modules that are gone -> the module that stands for them.
MODULES = {
    "ConfigParser": "configparser",
    "Queue": "queue",
    "cPickle": "pickle",
    "_dummy_thread": "_thread",
    "distutils": "setuptools._distutils",
    "dummy_threading": "threading",
    "imghdr": ".imghdr",
    "imp": ".imp",
    "pipes": ".pipes",
    "scipy.misc": ".scipy_misc",
    "scipy.misc.pilutil": ".images",
    **dict.fromkeys(
        (f"scipy.ndimage.{name}" for name in ("filters", "fourier", "interpolation", "measurements", "morphology")),
        "scipy.ndimage",
    ),
    **dict.fromkeys(("scipy.sparse.linalg.eigen", "scipy.sparse.linalg.eigen.arpack"), "scipy.sparse.linalg"),
    "xml.etree.cElementTree": "xml.etree.ElementTree",
    **dict.fromkeys(("asynchat", "asyncore", "smtpd"), Gone("asyncio")),
    **dict.fromkeys(("binhex", "uu"), Gone("binascii")),
    "cgi": Gone("the package legacy-cgi"),
    "formatter": Gone("a copy of the module from Python 3.9"),
    "parser": Gone("ast"),
    "symbol": Gone("ast"),
    "telnetlib": Gone("the package telnetlib3"),
}
# Packages that are plain modules now, so that what was in them cannot be imported.
ONCE_PACKAGES = {"scipy.sparse.linalg.eigen"}
# Packages that the above needs, or that programs of that time import.
PACKAGES = {"PIL": "pillow", "scipy": "scipy", "setuptools": "setuptools", "six": "six", "yaml": "PyYAML"}

# What errors of programs that need the switch say.
SIGNS = (
    r"setting an array element with a sequence\. The requested array has an inhomogeneous shape",
    r"Unable to avoid copy while creating an array",
    r"Object arrays cannot be loaded when allow_pickle=False",
    r"^load(_all)?\(\) missing 1 required positional argument: 'Loader'",
    r"^invalid mode: '.*U",
    r"got an unexpected keyword argument 'normed'",
    r"'ascii' codec can't decode byte .* ordinal not in range",
    r"arrays to stack must be passed as a",
    r"The binary mode of fromstring is removed",
    r"Converting 'np\.\w+'.* to a dtype is not allowed",
    r"Population must be a sequence",
)

# What errors of programs that need an older version of a library say, and what to do.
OLDER_VERSIONS = {
    r"only 0-dimensional arrays can be converted to Python scalars": (
        "Arrays of one element were numbers before NumPy 2.4: pip install 'numpy<2.4'"
    ),
}
