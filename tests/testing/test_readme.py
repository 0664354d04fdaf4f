"""The example of tfcore/testing/README.md works as it is written there."""

import pathlib
import re

import pytest

import tfcore.testing
from tests.core.test_registry import COMPILER, compile_library
from tfcore.core import registry

README = (pathlib.Path(tfcore.testing.__file__).parent / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.S)
KERNEL = r"""
#include <math.h>
#include "tfcore/kernel.h"

static int create(tfc_construction *c, void **state) {
  static double alphas[4096];
  static int used;
  *state = &alphas[__atomic_fetch_add(&used, 1, __ATOMIC_RELAXED) % 4096];
  return c->api->attr_float(c, "alpha", *state);
}

#define KERNEL(NAME, T)                                                                  \
  static int NAME(tfc_context *ctx) {                                                    \
    const tfc_tensor *x = ctx->inputs[0];                                                \
    const double alpha = *(double *)ctx->state;                                          \
    int code = tfc_output_like(ctx, 0, x);                                               \
    for (int64_t i = 0; !code && i < x->n; i++) {                                        \
      const double v = ((const T *)x->data)[i];                                          \
      ((T *)ctx->outputs[0].data)[i] = (T)(v / (1 + alpha * fabs(v)));                   \
    }                                                                                    \
    return code;                                                                         \
  }
KERNEL(softclip_float, float)
KERNEL(softclip_double, double)

static const tfc_kernel_def kernels[] = {
    {.op = "TestSoftclip", .device = "CPU", .types = "T=float", .compute = softclip_float, .create = create},
    {.op = "TestSoftclip", .device = "CPU", .types = "T=double", .compute = softclip_double, .create = create},
};
TFC_REGISTER_KERNELS(kernels);
TFC_LIBRARY;
"""


@pytest.mark.skipif(COMPILER is None, reason="no C compiler")
def test_the_example(tmp_path):
    library = compile_library(tmp_path, KERNEL, "mine")
    kept = {op: list(kernels) for op, kernels in registry._user.items()}
    definition, check = (block.replace("Softclip", "TestSoftclip") for block in BLOCKS[:2])
    assert 'tf.load_op_library("./mine.so")' in check
    check = check.replace(", softclip", "").replace('tf.load_op_library("./mine.so")', "")
    try:
        registry.load_library(library)
        exec(definition, {})
        exec(check, {})
        wrong = check.replace("1 + alpha", "1.001 + alpha")
        with pytest.raises(AssertionError, match=r"TestSoftclip \[float32\] at level"):
            exec(wrong, {})
    finally:
        registry._user.clear()
        registry._user.update(kept)
