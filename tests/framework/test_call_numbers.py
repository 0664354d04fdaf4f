"""Numbers of calls, as kernels of users see them (tfcore/kernel.h)."""

import pytest

from tests.framework.test_load_op_library import COMPILER, END, build, entry, kernels, ops, run_python

pytestmark = pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
NUMBERS = r"""
#include "tfcore/kernel.h"
static int draw(tfc_context* ctx, int64_t** out, int64_t amount) {
  static const char streams[2];
  tfc_draw_place at;
  int code = tfc_draw(ctx, &streams[amount > 9], amount, &at);
  *(*out)++ = (int64_t)at.scope;
  *(*out)++ = at.number;
  *(*out)++ = at.taken;
  return code;
}
static int compute(tfc_context* ctx) {
  const int64_t dims[1] = {24};
  int code = tfc_output(ctx, 0, 1, dims);
  if (code) return code;
  int64_t* out = ctx->outputs[0].data;
  tfc_context* inner = tfc_begin_inner(ctx);
  if (!inner) return TFC_RESOURCE_EXHAUSTED;
  draw(ctx, &out, 1);            /* no numbers */
  tfc_number_calls(inner, 7, 3);
  draw(inner, &out, 2);          /* its first draw */
  draw(inner, &out, 1);          /* goes on behind it */
  draw(inner, &out, 10);         /* another stream */
  tfc_context* within = tfc_begin_inner(inner);
  draw(within, &out, 1);         /* belongs to the same call */
  tfc_number_calls(within, 8, 0);
  draw(within, &out, 1);         /* has a number of its own */
  tfc_end_inner(within);
  uint64_t scopes[3] = {tfc_new_scope(inner), tfc_new_scope(inner), 0};
  tfc_number_calls(inner, 7, 3); /* the same call again */
  draw(inner, &out, 1);
  scopes[2] = tfc_new_scope(inner);
  tfc_number_calls(inner, 0, -1);
  *out++ = scopes[0] != scopes[1];
  *out++ = scopes[0] == scopes[2] && scopes[0] != 0;
  *out++ = tfc_new_scope(inner) == 0 && tfc_new_scope(ctx) == 0;
  tfc_end_inner(inner);
  return *(const float*)ctx->inputs[0]->data < 0 ? tfc_number_calls(ctx, 1, 1) : 0;
}
"""


def test_numbers_of_calls(tmp_path):
    op = '{"CallNumbers", "x: float", "found: int64", NULL, NULL, TFC_OP_STATEFUL}'
    kernel = entry(op='"CallNumbers"', types='""', compute="compute")
    build(tmp_path, NUMBERS + ops(op) + kernels(kernel) + END)
    out = run_python(
        """
import tfcore as tf
made = tf.load_op_library("./library.so")
with tf.Session() as sess:
    print(sess.run(made.call_numbers(1.0)).reshape(-1, 3).tolist())
    try:
        sess.run(made.call_numbers(-1.0))
    except tf.errors.InternalError as error:
        print(error.message.splitlines()[0])
""",
        tmp_path,
    )
    places = [[0, -1, 0], [7, 3, 0], [7, 3, 2], [7, 3, 0], [7, 3, 3], [8, 0, 0], [7, 3, 0], [1, 1, 1]]
    assert out.splitlines() == [str(places), "Calls have numbers only in inner contexts"]
