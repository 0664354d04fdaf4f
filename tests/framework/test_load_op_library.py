"""load_op_library: users' op types, kernels for existing ops and new devices, and files that are wrong."""

import os
import re
import shutil
import subprocess
import sys
import textwrap

import pytest

import tfcore as tf
from tfcore.core.registry import registry
from tfcore.framework.definitions.op_def import get_op_def, is_registered

EXAMPLE = os.path.join(os.path.dirname(tf.__file__), "examples", "custom_op")
ROOT = os.path.dirname(os.path.dirname(tf.__file__))
COMPILER = shutil.which("cc") or shutil.which("gcc")
pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
CHAR = '#include "tfcore/kernel.h"\nstatic int zero(tfc_context* c) { return tfc_output_scalar(c, 0); }\n'
END = "\nTFC_LIBRARY;"
UNARY = r"""
static int {name}(tfc_context* c) {{
  int code = tfc_output_like(c, 0, c->inputs[0]);
  const float* x = c->inputs[0]->data;
  for (int64_t i = 0; !code && i < c->inputs[0]->n; i++) ((float*)c->outputs[0].data)[i] = {value};
  return code;
}}
"""


def build(folder, source, name="library"):
    """Compiles C code into a library and returns its path."""
    path = folder / f"{name}.c"
    path.write_text(source)
    target = str(folder / f"{name}.so")
    flags = tf.sysconfig.get_compile_flags() + tf.sysconfig.get_link_flags()
    subprocess.run([COMPILER, "-shared", "-O1", *flags, str(path), "-o", target], check=True)
    return target


def kernels(*entries):
    return f"static const tfc_kernel_def kernels[] = {{{', '.join(entries)}}};\nTFC_REGISTER_KERNELS(kernels);\n"


def ops(*entries):
    return f"static const tfc_op_def ops[] = {{{', '.join(entries)}}};\nTFC_REGISTER_OPS(ops);\n"


def entry(**fields):
    given = {"op": '"Neg"', "device": '"CPU"', "types": '"T=float"', "compute": "zero", **fields}
    return "{" + ", ".join(f".{name} = {value}" for name, value in given.items()) + "}"


def run_python(code, folder, **environment):
    """Runs a program in a process of its own: what it loads must not reach other tests."""
    environment = {**os.environ, "PYTHONPATH": ROOT, **environment}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def commands_of_readme():
    """The commands of the example's README, by the file that they build from."""
    with open(os.path.join(EXAMPLE, "README.md"), encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    return {
        "c": next(line for line in lines if line.startswith("gcc ")),
        "pyx": next(line for line in lines if line.startswith("CFLAGS=")),
    }


def run_in_shell(command, folder):
    path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    environment = {**os.environ, "PYTHONPATH": ROOT, "PATH": path}
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


def test_declarations_in_the_readme_are_those_of_the_header():
    with open(os.path.join(EXAMPLE, "README.md"), encoding="utf-8") as file:
        shown = re.findall(r"^ *((?:typedef )?void .*\));$", file.read(), re.M)
    with open(os.path.join(tf.sysconfig.get_include(), "tfcore", "kernel.h"), encoding="utf-8") as file:
        header = re.sub(r"\s+", " ", file.read())
    assert len(shown) == 2 and "tfc_parallel_for(tfc_context" in shown[1]
    assert all(declaration in header for declaration in shown)


# ---- The worked example, by its README

CHECK = """
import numpy as np, tfcore as tf
log_cosh = {load}
rng = np.random.RandomState(0)
x = rng.standard_normal((257, 33)) * 3
x[0, :2] = 1e-5, 900
for dtype, eps in ((np.float32, 1e-6), (np.float64, 1e-13)):
    with tf.Graph().as_default(), tf.Session() as sess:
        loss = log_cosh(tf.constant(x.astype(dtype)), scale=0.5)
        value = sess.run(loss)
        wanted = np.sum(np.logaddexp(0.5 * x, -0.5 * x) - np.log(2), -1) / 0.5
        np.testing.assert_allclose(value, wanted, rtol=eps)
        assert value.dtype == dtype
        for bad, error in ((0.0, tf.errors.InvalidArgumentError), (-1.0, tf.errors.InvalidArgumentError)):
            try:
                sess.run(log_cosh([[1.0]], scale=bad))
            except error as caught:
                assert "scale must be > 0" in str(caught)
            else:
                raise AssertionError(bad)
        assert sess.run(log_cosh(np.zeros((0, 3), dtype))).shape == (0,)
        assert sess.run(log_cosh(np.zeros((3, 0), dtype))).tolist() == [0, 0, 0]
"""


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """A scratch folder with the example, built with the README's one line."""
    folder = tmp_path_factory.mktemp("example")
    for name in ("log_cosh.c", "log_cosh_op.py", "log_cosh_cy.pyx"):
        shutil.copy(os.path.join(EXAMPLE, name), folder)
    run_in_shell(commands_of_readme()["c"], folder)
    return folder


def test_the_example_builds_and_computes(example):
    run_python(CHECK.format(load="tf.load_op_library('log_cosh.so').log_cosh"), example)


def test_the_example_has_shapes_and_gradients(example):
    run_python(
        """
import numpy as np, tfcore as tf, log_cosh_op
library = log_cosh_op.load("log_cosh.so")
x = tf.placeholder(tf.float64, [None, 4, 3])
loss = library.log_cosh(x, scale=2.0, name="my_loss")
assert loss.shape.as_list() == [None, 4] and loss.op.name == "my_loss" and loss.op.type == "LogCosh"
assert library.log_cosh.__doc__.startswith("Sum of log") and library.LogCosh is tf.raw_ops.LogCosh
try:
    library.log_cosh(tf.placeholder(tf.float32, []))
except ValueError as error:
    assert "rank" in str(error) and "LogCosh" in str(error), error
else:
    raise AssertionError
y = tf.constant(np.linspace(-2, 2, 12).reshape(1, 4, 3))
with tf.Session() as sess:
    loss = library.log_cosh(y, scale=2.0)
    assert tf.test.compute_gradient_error(y, [1, 4, 3], loss, [1, 4]) < 1e-5
    slope = tf.gradients(loss, y)[0]
    assert tf.test.compute_gradient_error(y, [1, 4, 3], slope, [1, 4, 3]) < 1e-5
""",
        example,
    )


def test_the_example_runs_as_a_program(example):
    out = run_python(
        "import runpy, sys; sys.argv = ['x', 'log_cosh.so']; runpy.run_path('log_cosh_op.py', run_name='__main__')",
        example,
    )
    assert out.startswith("(2,)") and "0.879" in out


def test_the_example_passes_the_checks_of_its_readme(example):
    with open(os.path.join(EXAMPLE, "README.md"), encoding="utf-8") as file:
        step = file.read().split("5. **Test it**")[1]
    program = textwrap.dedent(step.split("```python\n")[1].split("```")[0])
    assert "check_kernel(" in program and "check_gradient(" in program
    run_python(f"import log_cosh_op\nlog_cosh_op.load('log_cosh.so')\n{program}", example)


def test_the_cython_twin(example):
    pytest.importorskip("Cython")
    run_in_shell(commands_of_readme()["pyx"], example)
    (path,) = [p.name for p in example.iterdir() if p.suffix == ".so" and p.name.startswith("log_cosh_cy.")]
    run_python(CHECK.format(load=f"tf.load_op_library({path!r}).log_cosh_cy"), example)


def test_sysconfig():
    done = subprocess.run([sys.executable, "-m", "tfcore.sysconfig"], capture_output=True, text=True, check=True)
    assert commands_of_readme()["c"].replace("log_cosh", "mine") in done.stdout
    assert os.path.exists(done.stdout.split("testing an op:")[1].strip())
    assert os.path.exists(os.path.join(tf.sysconfig.get_include(), "tfcore", "kernel.h"))
    assert any(name.startswith("kernels_") for name in os.listdir(tf.sysconfig.get_lib()))
    for option, value in (
        ("cflags", tf.sysconfig.get_compile_flags()),
        ("ldflags", tf.sysconfig.get_link_flags()),
        ("include", [tf.sysconfig.get_include()]),
        ("lib", [tf.sysconfig.get_lib()]),
    ):
        command = [sys.executable, "-W", "error", "-m", "tfcore.sysconfig", f"--{option}"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ROOT})
        assert done.stdout.split() == value and not done.stderr


# ---- What a library may do

RICH = (
    CHAR
    + r"""
static int concat(tfc_context* ctx) {
  int64_t n = 0;
  for (int i = 0; i < ctx->n_inputs; i++) n += ctx->inputs[i]->n;
  int code = tfc_output(ctx, 0, 1, &n);
  float* out = ctx->outputs[0].data;
  for (int i = 0; i < ctx->n_inputs && !code; i++)
    for (int64_t k = 0; k < ctx->inputs[i]->n; k++) *out++ = ((const float*)ctx->inputs[i]->data)[k];
  return code;
}
static int negate(tfc_context* ctx) {
  int code = tfc_output_like(ctx, 0, ctx->inputs[0]);
  for (int64_t k = 0; k < ctx->inputs[0]->n && !code; k++)
    ((uint8_t*)ctx->outputs[0].data)[k] = -((const uint8_t*)ctx->inputs[0]->data)[k];
  return code;
}
static int plus_on_mine(tfc_context* ctx) {
  int code = tfc_output_like(ctx, 0, ctx->inputs[0]);
  for (int64_t k = 0; k < ctx->inputs[0]->n && !code; k++) ((float*)ctx->outputs[0].data)[k] = 42;
  return code;
}
"""
)
RICH += ops(
    '{.name = "TestJoin", .inputs = "xs: N * float", .outputs = "y: float", .flags = TFC_OP_STATEFUL,'
    " .attrs = \"N: int >= 2; mode: {'a;b', 'c'} = 'a;b'; T2Kind: list(type) = []; ratio: float = 0.5\"}"
)
RICH += kernels(
    entry(op='"TestJoin"', types='""', compute="concat"),
    entry(types='"T=uint8"', compute="negate"),
    entry(op='"Add"', device='"MINE"', types='"T=float"', compute="plus_on_mine"),
)


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rich")
    build(folder, RICH + END, "rich")
    return folder


def test_definitions_of_a_library(rich):
    run_python(
        """
import tfcore as tf
lib = tf.load_op_library("rich.so")
assert lib.__all__ == ["test_join", "TestJoin"], lib.__all__
y = lib.test_join([[1.0], [2.0, 3.0]])
assert y.op.get_attr("N") == 2 and y.op.get_attr("mode") == b"a;b" and y.op.get_attr("ratio") == 0.5
assert y.op.op_def.stateful and y.shape.ndims is None
with tf.Session() as sess:
    assert sess.run(y).tolist() == [1, 2, 3]
for wrong in (lambda: lib.test_join([[1.0]]), lambda: lib.test_join([[1.0], [2.0]], mode="d")):
    try:
        wrong()
    except ValueError:
        continue
    raise AssertionError
import os
assert tf.load_op_library(os.path.abspath("rich.so")) is lib and tf.load_op_library("./rich.so") is lib
""",
        rich,
    )


def test_a_new_type_for_an_existing_op(rich):
    run_python(
        """
import numpy as np, tfcore as tf
x = np.array([1, 2, 255], np.uint8)
try:
    tf.negative(x)
except TypeError as error:
    assert "uint8" in str(error)
else:
    raise AssertionError
tf.load_op_library("rich.so")
with tf.Session() as sess:
    assert sess.run(tf.negative(x)).tolist() == [255, 254, 1]
    assert sess.run(tf.negative(tf.constant([1.0]))).tolist() == [-1]
""",
        rich,
    )


@pytest.mark.cpu
def test_a_new_device_type(rich):
    run_python(
        """
import tfcore as tf
before = tf.Session().list_devices()
tf.load_op_library("rich.so")
sess = tf.Session()
mine = "/job:localhost/replica:0/task:0/device:MINE:0"
names = [d.name for d in sess.list_devices()]
assert names[:1] == [d.name for d in before] and names[1:] == [mine]
x = tf.placeholder(tf.float32, [2])
with tf.device("/device:MINE:0"):
    v = tf.Variable([5.0, 6.0])
    y = tf.add(tf.identity(v), 1.0)          # constants, variables and identity need no kernel of theirs
    z = tf.multiply(x, 2.0)
outside = tf.add(v, 1.0)
soft = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
soft.run(v.initializer)
try:
    sess.run(v.initializer)
except tf.errors.InvalidArgumentError as error:
    assert "no supported kernel for MINE devices" in str(error) and "Assign" in str(error)
else:
    raise AssertionError
assert soft.run([y, outside, y + x], {x: [1, 2]})[0].tolist() == [42, 42]
assert soft.run(outside).tolist() == [6, 7] and soft.run(y + x, {x: [1, 2]}).tolist() == [43, 44]
assert soft.run(z, {x: [1, 2]}).tolist() == [2, 4]
try:
    sess.run(z, {x: [1, 2]})
except tf.errors.InvalidArgumentError as error:
    assert error.op is z.op and "Could not satisfy explicit device specification '/device:MINE:0'" in str(error), error
else:
    raise AssertionError
with tf.device("/device:MINE:1"):
    w = tf.add(x, x)
try:
    sess.run(w, {x: [1, 2]})
except tf.errors.InvalidArgumentError as error:
    assert mine in str(error) and "available devices are" in str(error)
else:
    raise AssertionError
""",
        rich,
    )


@pytest.mark.cpu
def test_a_users_product_is_not_fused_away(tmp_path):
    source = (
        CHAR
        + r"""
static int product(tfc_context* ctx) {
  int64_t dims[2] = {ctx->inputs[0]->dims[0], ctx->inputs[1]->dims[1]};
  int code = tfc_output(ctx, 0, 2, dims);
  for (int64_t k = 0; k < dims[0] * dims[1] && !code; k++) ((float*)ctx->outputs[0].data)[k] = 100;
  return code;
}
"""
    )
    build(tmp_path, source + kernels(entry(op='"MatMul"', compute="product")) + END)
    run_python(
        """
import numpy as np, tfcore as tf
tf.load_op_library("library.so")
x = tf.placeholder(tf.float32, [2, 3])
y = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, tf.ones([3, 4])), tf.ones([4])))
assert (tf.Session().run(y, {x: np.ones((2, 3))}) == 101).all()
""",
        tmp_path,
    )


@pytest.mark.cpu
def test_users_kernels_are_not_simplified_or_fused_away(tmp_path):
    source = (
        CHAR
        + r"""
static int hundred(tfc_context* ctx) {
  int code = tfc_output_like(ctx, 0, ctx->inputs[0]);
  for (int64_t k = 0; !code && k < ctx->outputs[0].n; k++) ((float*)ctx->outputs[0].data)[k] = 100;
  return code;
}
"""
    )
    types = ("Relu", "ReluGrad", "Neg", "Identity", "Mul")
    build(tmp_path, source + kernels(*(entry(op=f'"{t}"', compute="hundred") for t in types)) + END)
    run_python(
        """
import numpy as np, tfcore as tf
tf.load_op_library("library.so")
x = tf.placeholder(tf.float32, [1, 4, 4, 2])
relu = tf.nn.relu(x)
pooled = tf.nn.max_pool(relu, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
slope = tf.gradients(pooled, x)[0]
bias = tf.nn.relu(tf.nn.bias_add(tf.matmul(x[0, 0], tf.ones([2, 3])), tf.ones([3])))
for y in (relu, slope, bias, -(-x), tf.identity(x), x * 1.0):
    assert (tf.Session().run(y, {x: np.ones((1, 4, 4, 2))}) == 100).all(), y
""",
        tmp_path,
    )


BAD_CALLS = {  # what a kernel does -> the error
    "return TFC_OK;": "without making output 0 of 1",
    "return 77;": "returned 77, which is not a tfc_code",
    "return TFC_PENDING;": "returned TFC_PENDING, but is not suspended",
    "/* async */ return TFC_PENDING;": "returned TFC_PENDING, but is not suspended",
    "/* async */ return TFC_OK;": "without making output 0 of 1",
    "tfc_resume(c->api, tfc_suspend(c), TFC_OK); return TFC_PENDING; /* async */": "without making output 0 of 1",
    "tfc_resume(c->api, tfc_suspend(c), 77); return TFC_PENDING; /* async */": "returned 77, which is not a tfc_code",
    "return tfc_output_like(c, 1, c->inputs[0]);": "asked for output 1 of 1",
    "return tfc_output_view(c, 0, 7, 0, 0, NULL);": "asked for input 7 of 1",
    "return tfc_output_view(c, 0, -1, 0, 0, NULL);": "asked for input -1 of 1",
    "return tfc_output_view(c, 0, 0, 1, 2, (int64_t[]){-1, -1});": "a view outside of input 0",
    "return tfc_output_view(c, 0, 0, INT64_MAX, 1, (int64_t[]){1});": "a view outside of input 0",
    "return tfc_output_view(c, 0, 0, 0, 2, (int64_t[]){1LL << 32, 1LL << 32});": "a view outside of input 0",
    "/* y: double */ return tfc_output_input(c, 0, 0);": "a view of input 0, a float, as double",
    # 2^64 + 1 elements, which is 1 in 64 bits
    "return tfc_output_forward(c, 0, 2, (int64_t[]){274177, 67280421310721}, 1, (int[]){0});": "OOM when allocating",
    "tfc_tensor t = {.dtype = TFC_FLOAT}; return tfc_make(c, &t, 21, (int64_t[21]){0});": "tensors of rank 21",
    "tfc_tensor t = {.dtype = TFC_FLOAT}; return tfc_make(c, &t, 1, (int64_t[]){-1});": "Dimension -1 must be >= 0",
    "return tfc_output_forward(c, 0, 0, NULL, 1, (int[]){1});": "asked for input 1 of 1",
    "return tfc_output_forward(c, 0, 2, (int64_t[]){-1, -1}, 1, (int[]){0});": "Dimension -1 must be >= 0",
    "return tfc_output_ref(c, 0, 0);": "input 0 is not a reference to a variable",
    "return tfc_output_ref(c, 0, 3);": "asked for input 3 of 1",
    "return c->api->output_variable(c, 0, c);": "output 0 is not a reference to a variable",
    "return tfc_ref_assign(c, 0, c->inputs[0]);": "input 0 is not a reference to a variable",
    "tfc_tensor* v; return tfc_ref_lock(c, 1, (int[]){2}, TFC_REF_READ, &v);": "asked for input 2 of 1",
    "tfc_tensor t = *c->inputs[0]; t.dtype = TFC_HALF; return tfc_output_tensor(c, 0, &t);": "a tensor of half",
}


def test_kernels_that_call_wrongly(tmp_path):
    """Each is an error with the op's name, serially and in the dynamic order, and nothing is written out of bounds."""
    source = '#include "tfcore/kernel.h"\n'
    source += "".join(f"static int k{i}(tfc_context* c) {{ {body} }}\n" for i, body in enumerate(BAD_CALLS))
    names = [f"TestBad{i}" for i in range(len(BAD_CALLS))]
    types = ["double" if "y: double" in body else "float" for body in BAD_CALLS]
    source += ops(*(f'{{.name = "{n}", .inputs = "x: float", .outputs = "y: {t}"}}' for n, t in zip(names, types)))
    flags = ["TFC_KERNEL_ASYNC" if "async" in body else "0" for body in BAD_CALLS]
    source += kernels(*(entry(op=f'"{n}"', types='""', compute=f"k{i}", flags=flags[i]) for i, n in enumerate(names)))
    build(tmp_path, source + END)
    run_python(
        f"""
import tfcore as tf
library = tf.load_op_library("library.so")
for i, text in enumerate({list(BAD_CALLS.values())!r}):
    x = tf.placeholder(tf.float32, [1])
    y = getattr(library, f"TestBad{{i}}")(x, name=f"wrong{{i}}")
    for options in (None, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)):
        try:
            tf.Session().run(y, {{x: [1.0]}}, options=options, run_metadata=options and tf.RunMetadata())
        except tf.errors.OpError as error:
            assert text in str(error) and error.op is y.op, error
        else:
            raise AssertionError(text)
""",
        tmp_path,
    )


WRONG_GETTERS = {  # attributes that are all strings, read as something else -> the error
    'bool v; return c->api->attr_bool(c, "a", &v);': "attr 'a' is not a bool",
    'int64_t v; return c->api->attr_int(c, "a", &v);': "attr 'a' is not an int",
    'double v; return c->api->attr_float(c, "a", &v);': "attr 'a' is not a float",
    'int32_t v; return c->api->attr_type(c, "a", &v);': "attr 'a' is not a type",
    'const char* v; size_t s; return c->api->attr_string(c, "l", &v, &s);': "attr 'l' is not a string",
    'int n; int64_t v[9]; return c->api->attr_ints(c, "l", 9, v, &n);': "attr 'l' is not a list of ints",
    'int n; double v[9]; return c->api->attr_floats(c, "l", 9, v, &n);': "attr 'l' is not a list of floats",
    'int n; int32_t v[9]; return c->api->attr_types(c, "l", 9, v, &n);': "attr 'l' is not a list of types",
    'int n; int64_t v[9]; return c->api->attr_ints(c, "a", 9, v, &n);': "attr 'a' is not a list",
    'int n; const char* v; size_t s; return c->api->attr_strings(c, "a", 0, &v, &s, &n);': "attr 'a' is not a list",
    'int r; int64_t v[20]; return c->api->attr_shape(c, "a", &r, v);': "attr 'a' is not a shape",
    'int n, r; int64_t v[20]; return c->api->attr_shapes(c, "a", 0, &r, v, &n);': "attr 'a' is not a list",
    'int n, r; int64_t v[20]; return c->api->attr_shapes(c, "l", 0, &r, v, &n);': "attr 'l' is not a shape",
}


def test_kernels_that_read_attributes_wrongly(tmp_path):
    source = CHAR
    source += "".join(
        f"static int c{i}(tfc_construction* c, void** state) {{ {b} }}\n" for i, b in enumerate(WRONG_GETTERS)
    )
    names = [f"TestWrong{i}" for i in range(len(WRONG_GETTERS))]
    attrs = "a: string = 'x'; l: list(string) = ['y', 'z']"
    source += ops(*(f'{{.name = "{n}", .outputs = "y: float", .attrs = "{attrs}"}}' for n in names))
    source += kernels(*(entry(op=f'"{n}"', types='""', create=f"c{i}") for i, n in enumerate(names)))
    build(tmp_path, source + END)
    run_python(
        f"""
import tfcore as tf
library = tf.load_op_library("library.so")
for i, text in enumerate({list(WRONG_GETTERS.values())!r}):
    try:
        tf.Session().run(getattr(library, f"TestWrong{{i}}")())
    except tf.errors.InvalidArgumentError as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
""",
        tmp_path,
    )


UPDATE = r"""
static int decay(tfc_context* c) {
  tfc_tensor* v;
  int code = tfc_ref_lock(c, 1, (int[]){0}, TFC_REF_WRITE, &v);
  if (code) return code;
  for (int64_t i = 0; i < v->n - TAIL; i++) ((float*)v->data)[i] *= *(const float*)c->inputs[1]->data;
  tfc_ref_unlock(c);
  return tfc_output_ref(c, 0, 0);
}
"""


@pytest.mark.parametrize("tail", [0, 1])
def test_check_kernel_of_an_op_with_a_variable(tmp_path, tail):
    source = CHAR + UPDATE.replace("TAIL", str(tail))
    definition = '{.name = "TestDecay", .inputs = "v: Ref(float); by: float", .outputs = "out: Ref(float)", '
    source += ops(definition + ".flags = TFC_OP_STATEFUL}")
    build(tmp_path, source + kernels(entry(op='"TestDecay"', types='""', compute="decay")) + END)
    check = """
import numpy as np, tfcore as tf
from tfcore.testing import check_kernel, evaluate
tf.load_op_library("library.so")
tf.RegisterShape("TestDecay")(lambda op: [op.inputs[0].shape])
def inputs(draw, case):
    return [draw(case.array(draw(case.shapes()), np.float32)), draw(case.array((), np.float32))]
check_kernel("TestDecay", lambda v, by: v * by, inputs)
assert evaluate("TestDecay", np.float32([3, 4]), np.float32(2)).tolist() == [6, 8]
"""
    if tail:
        check = "try:\n" + textwrap.indent(check, "    ") + "except AssertionError as error:\n"
        check += "    assert 'elements differ' in str(error), error\nelse:\n    raise AssertionError\n"
    run_python(check, tmp_path)


def test_messages_of_the_checks(tmp_path):
    run_python(
        """
from tfcore.testing import check_gradient, check_kernel
for call, kind, text in (
    (lambda: check_kernel("Nope", abs), KeyError, "Op type 'Nope' is not defined; load the library"),
    (lambda: check_gradient("Nope"), KeyError, "Op type 'Nope' is not defined; load the library"),
    (lambda: check_kernel("Neg"), TypeError, "reference must be a function"),
    (lambda: check_gradient("ArgMax"), ValueError, "Op type ArgMax has no gradient: tf.RegisterGradient('ArgMax')"),
):
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(text)
""",
        tmp_path,
    )


@pytest.mark.cpu
def test_kernels_of_a_device_are_checked_and_traced(tmp_path):
    source = CHAR + UNARY.format(name="square", value="x[i] * x[i]")
    build(tmp_path, source + kernels(entry(op='"Square"', device='"MINE"', compute="square")) + END)
    readme = re.search(
        r"```python\n(def on_device.*?)```", open(os.path.join(EXAMPLE, "README.md")).read(), re.S
    ).group(1)
    run_python(
        "import tfcore as tf\nfrom tfcore.testing import check_kernel\ntf.load_op_library('library.so')\n"
        + readme
        + """
with tf.device("/device:MINE:0"):
    y = tf.square(tf.placeholder_with_default([3.0], [1]))
data = tf.RunMetadata()
tf.Session().run(y + 1, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=data)
nodes = {d.device.split("device:")[1]: [n.node_name for n in d.node_stats] for d in data.step_stats.dev_stats}
assert y.op.name in nodes["MINE:0"] and y.op.name not in nodes["CPU:0"] and "add" in nodes["CPU:0"], nodes
""",
        tmp_path,
    )


def test_the_same_definition_twice_and_another_one(tmp_path):
    definition = '{.name = "TestTwice", .inputs = "x: T", .outputs = "y: T", .attrs = "T: {%s}"}'
    for name, types in (("one", "float"), ("two", "float"), ("three", "float, double")):
        build(tmp_path, CHAR + ops(definition % types) + END, name)
    run_python(
        """
import tfcore as tf
one, two = tf.load_op_library("one.so"), tf.load_op_library("two.so")
assert one is not two and one.TestTwice is two.TestTwice
try:
    tf.load_op_library("three.so")
except tf.errors.AlreadyExistsError as error:
    assert "existing: TestTwice(x: T) -> (y: T); T: {float}" in str(error), error
    assert "library:  TestTwice(x: T) -> (y: T); T: {float, double}" in str(error), error
else:
    raise AssertionError
""",
        tmp_path,
    )


def test_a_library_that_was_rebuilt(tmp_path):
    path = build(tmp_path, CHAR + ops('{.name = "TestRebuilt", .outputs = "y: float"}') + END)
    run_python(
        f"""
import os, shutil, tfcore as tf
lib = tf.load_op_library("library.so")
shutil.copy("library.so", "copy.so")
os.replace("copy.so", {path!r})
try:
    tf.load_op_library("library.so")
except tf.errors.FailedPreconditionError as error:
    assert "has changed since it was loaded" in str(error)
else:
    raise AssertionError
""",
        tmp_path,
    )


# ---- Wrong libraries: a clear error each, and nothing registered

OP = '{.name = "TestWrong", .inputs = "x: T", .outputs = "y: T", .attrs = "T: {float, double}"}'


def wrong_op(**fields):
    given = {"name": '"TestWrong"', "inputs": '"x: T"', "outputs": '"y: T"', "attrs": '"T: type"', **fields}
    return ops("{" + ", ".join(f".{name} = {value}" for name, value in given.items()) + "}")


INVALID = "InvalidArgument"
WRONG = {
    "null op": (kernels(entry(op="NULL")), INVALID, "kernel 0: the field 'op' is NULL"),
    "null device": (kernels(entry(device="NULL")), INVALID, "'device' is NULL"),
    "null compute": (kernels(entry(), entry(op='"Abs"', compute="NULL")), INVALID, "kernel 1 .op 'Abs'.*compute"),
    "garbage types": (kernels(entry(types='"T:float"')), INVALID, "cannot parse 'T:float' in types"),
    "unknown type": (kernels(entry(types='"T=float|flot"')), INVALID, "unknown type 'flot'"),
    "empty types": (kernels(entry(types='"T="')), INVALID, "cannot parse 'T='"),
    "no such attribute": (kernels(entry(types='"Q=float"')), INVALID, "name Q, which is not a type attribute of Neg"),
    "not utf-8": (kernels(entry(types='"T=\\xff"')), INVALID, "not valid UTF-8"),
    "bad op name": (kernels(entry(op='"neg"')), INVALID, "'neg' is not an op type"),
    "bad device name": (kernels(entry(device='"/gpu:0"')), INVALID, "'/gpu:0' is not a device type"),
    "flags": (kernels(entry(flags="1024")), INVALID, "unknown flags 0x400"),
    "host args": (kernels(entry(host_args='"x, zz"')), INVALID, "'zz', which is not an argument of Neg"),
    "undefined op": (kernels(entry(op='"TestNobody"')), "NotFound", "'TestNobody', which neither it nor tfcore"),
    "op anywhere": (kernels(entry(op="(const char*)64")), INVALID, "kernel 0: the field 'op' does not point to"),
    "compute anywhere": (kernels(entry(compute="(void*)64")), INVALID, "'compute' does not point to a function"),
    "destroy in data": (kernels(entry(destroy='(void*)"text"')), INVALID, "'destroy' does not point to a function"),
    "very many": (kernels(*[entry()] * 20000), "AlreadyExists", "two kernels for the same types"),
    "too many of one op": (
        kernels(*[entry(device=f'"D{i}"') for i in range(1500)]), INVALID, "op 'Neg': more than 1000 kernels"),
    "kernel twice": (kernels(entry(), entry(types='"T=double|float"')), "AlreadyExists",
        "two kernels for the same types"),
    "op twice": (ops(OP, OP), "AlreadyExists", "'TestWrong' twice"),
    "null name": (wrong_op(name="NULL"), INVALID, "op 0: the field 'name' is NULL"),
    "op flags": (wrong_op(flags="64"), INVALID, "unknown flags 0x40"),
    "argument": (wrong_op(inputs='"x T"'), INVALID, "TestWrong.*Cannot parse argument definition 'x T'"),
    "argument type": (wrong_op(inputs='"x: Tee"'), INVALID, "TestWrong.*Tee"),
    "length": (wrong_op(inputs='"x: N * T"'), INVALID, "'N', the length of 'x', is not an attribute of type int"),
    "attribute kind": (wrong_op(attrs='"T: type; a: flot"'), INVALID, "Unknown attribute type 'flot'"),
    "attribute default": (wrong_op(attrs='"T: type; a: int = x"'), INVALID, "TestWrong"),
    "attribute choice": (wrong_op(attrs="\"T: {float} = DT_INT32\""), INVALID, "not in the list of allowed values"),
    "attribute twice": (wrong_op(attrs='"T: type; T: type"'), INVALID, "two attributes"),
    "input twice": (wrong_op(inputs='"x: T; x: T"'), INVALID, "two input or attributes named 'x'"),
    "redefinition": (ops('{.name = "MatMul", .outputs = "y: float"}'), "AlreadyExists", "'MatMul', which exists"),
    "kernel outside of the definition": (
        ops(OP) + kernels(entry(op='"TestWrong"', types='"T=int32"')), INVALID, "is for T=int32, which the library"),
    "nothing in it": ("", INVALID, "neither kernels nor op definitions"),
}  # fmt: skip
RAW = '__attribute__((visibility("default"))) const void* tfc_library(void) { return %s; }'
WRONG_ENDS = {
    "null library": (RAW % "0", INVALID, "returns NULL"),
    "old abi": ("static tfc_library_def l;" + RAW % "&l", "FailedPrecondition", "built for kernel ABI 0"),
    "abi of tensors with 8 dimensions": (
        "static tfc_library_def l = {3};" + RAW % "&l", "FailedPrecondition", "kernel ABI 3, .* build it again"),
    "new abi": ("static tfc_library_def l = {1000};" + RAW % "&l", "FailedPrecondition", "built for kernel ABI 1000"),
    "bounds": (
        "static tfc_kernel_table t; static tfc_library_def l = {TFC_ABI_VERSION, &t, 0};" + RAW % "&l",
        INVALID, "begin and end"),
    "count": (
        "static tfc_kernel_table t[1] = {{0, 3}}; static tfc_library_def l = {TFC_ABI_VERSION, t, t + 1};" + RAW % "&l",
        INVALID, "3 entries at 0x0"),
    "huge count": (
        "static tfc_kernel_table t[1] = {{(void*)8, ~0ul}};"
        "static tfc_library_def l = {TFC_ABI_VERSION, t, t + 1};" + RAW % "&l",
        INVALID, "18446744073709551615 entries"),
    "count beyond the memory": (
        "static tfc_kernel_table t[1] = {{(void*)64, 99999}};"
        "static tfc_library_def l = {TFC_ABI_VERSION, t, t + 1};" + RAW % "&l",
        INVALID, "kernel table: 99999 entries at 0x40"),
    "library anywhere": (RAW % "(void*)64", INVALID, "does not return the address of a table"),
    "table anywhere": (
        "static tfc_library_def l = {TFC_ABI_VERSION, (void*)64, (void*)80};" + RAW % "&l", INVALID, "begin and end"),
    "no symbol": ("int nothing;", INVALID, "has no symbol tfc_library"),
}  # fmt: skip


def check_fails(path, kind, text):
    before = {op: list(ks) for op, ks in registry._user.items()}
    with pytest.raises(getattr(tf.errors, kind + "Error"), match=text) as caught:
        tf.load_op_library(path)
    assert os.path.abspath(path) in str(caught.value)
    assert registry._user == before and not is_registered("TestWrong")
    assert (
        get_op_def("Neg").attrs["T"].allowed
        == get_op_def("Sign").attrs["T"].allowed[: len(get_op_def("Neg").attrs["T"].allowed)]
    )


@pytest.mark.parametrize("case", WRONG)
def test_wrong_tables(case, tmp_path):
    source, kind, text = WRONG[case]
    check_fails(build(tmp_path, CHAR + source + END), kind, text)


@pytest.mark.parametrize("case", WRONG_ENDS)
def test_wrong_entry_points(case, tmp_path):
    end, kind, text = WRONG_ENDS[case]
    check_fails(build(tmp_path, CHAR + end), kind, text)


def test_wrong_files(tmp_path):
    check_fails(str(tmp_path / "nothing.so"), "NotFound", "No such file")
    check_fails(str(tmp_path), "NotFound", "Is a directory")
    (tmp_path / "text.so").write_text("no library")
    check_fails(str(tmp_path / "text.so"), "NotFound", "invalid ELF header|too short")
    (tmp_path / "empty.so").write_text("")
    check_fails(str(tmp_path / "empty.so"), "NotFound", "too short")
    os.mkfifo(tmp_path / "pipe.so")
    check_fails(str(tmp_path / "pipe.so"), "NotFound", "not a regular file")


def test_files_that_were_cut_off(tmp_path):
    """Without a look at the file first, the system's loader ends the process with SIGBUS."""
    with open(build(tmp_path, CHAR + wrong_op() + END), "rb") as file:
        whole = file.read()
    for i, size in enumerate((40, 63, 64, 200, 1000, len(whole) // 4, len(whole) // 3)):
        path = tmp_path / f"cut_{i}.so"
        path.write_bytes(whole[:size])
        check_fails(str(path), "NotFound", "too short")


def test_paths(tmp_path, monkeypatch):
    """A path is relative to the working directory, with or without a slash, of any kind that os.fspath takes."""
    build(tmp_path, CHAR + kernels(entry(op='"TestNobody"')) + END)
    monkeypatch.chdir(tmp_path)
    for path in ("library.so", b"library.so", tmp_path / "library.so"):
        with pytest.raises(tf.errors.NotFoundError, match="TestNobody"):
            tf.load_op_library(path)
    with pytest.raises(TypeError):
        tf.load_op_library(None)


# ---- Shape functions


def test_register_shape_errors():
    with pytest.raises(KeyError, match="Op type 'NoSuchOp' is not defined"):
        tf.RegisterShape("NoSuchOp")
    with pytest.raises(KeyError, match="has a shape function already"):
        tf.RegisterShape("MatMul")
    with pytest.raises(TypeError, match="must be a string"):
        tf.RegisterShape(3)


def test_shapes_from_python(rich):
    run_python(
        """
import tfcore as tf
lib = tf.load_op_library("rich.so")
@tf.RegisterShape("TestJoin")
def shape(op):
    sizes = [x.shape.num_elements() for x in op.inputs]
    if len(sizes) == 3: raise ValueError("three is too many")
    if len(sizes) == 4: return []
    return [[None if None in sizes else sum(sizes)]]
assert lib.test_join([[1.0], [2.0, 3.0]]).shape.as_list() == [3]
assert lib.test_join([[1.0], tf.placeholder(tf.float32)]).shape.as_list() == [None]
for n, text in ((3, "three is too many for 'TestJoin"), (4, "must return a list of 1 shapes, not []")):
    try:
        lib.test_join([[1.0]] * n)
    except ValueError as error:
        assert text in str(error), error
    else:
        raise AssertionError
""",
        rich,
    )


def test_damaged_headers(rich):
    """Each flipped bit of the ELF header, and many of the program header: an error, or the library still loads."""
    run_python(
        """
import os, random, tfcore as tf, tfcore.load_library, tfcore.core.registry.registry
with open("rich.so", "rb") as file:
    data = file.read()
outcomes = [0, 0]
# Not of lengths of what is loaded (bytes 32 to 47): where less of the code is there than it calls, nobody can tell.
program_header = [i for i in range(64, 64 + 6 * 56) if not 32 <= (i - 64) % 56 < 48]
places = [(i, 1 << bit) for i in range(64) for bit in range(8)]
places += [(i, 1 << random.Random(i).randrange(8)) for i in program_header]
for number, (at, bit) in enumerate(places):
    path = f"damaged{number}.so"
    with open(path, "wb") as file:
        file.write(data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :])
    child = os.fork()
    if not child:
        try:
            tf.load_op_library(path)
        except tf.errors.OpError:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFEXITED(status) and os.WEXITSTATUS(status) < 2, (at, bit, status)
    outcomes[os.WEXITSTATUS(status)] += 1
    os.unlink(path)
assert min(outcomes) > 50, outcomes
""",
        rich,
    )
