/* Random numbers, from the CPU's streams. */
#include "kernels_cuda/random/random.h"

#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/random/stream.h"
#include "kernels_cuda/common/launcher.h"

typedef struct random_state {
  tfc_random_state stream; /* must be first: tfc_random_reserve expects it there */
  const tfc_function* function;
  bool stateless, integer;
} random_state;

static const char* const functions[][2] = {
    {"RandomUniform", "RandomUniform"},
    {"RandomStandardNormal", "RandomStandardNormal"},
    {"TruncatedNormal", "TruncatedNormal"},
    {"RandomUniformInt", "RandomUniformInt"},
    {"StatelessRandomUniform", "RandomUniform"},
    {"StatelessRandomNormal", "RandomStandardNormal"},
    {"StatelessTruncatedNormal", "TruncatedNormal"},
    {"StatelessRandomUniformInt", "RandomUniformInt"},
};

static int read_op(tfc_construction* c, void* state) {
  random_state* s = state;
  const char* name = NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (!strcmp(functions[i][0], c->op_type)) name = functions[i][1];
  s->stateless = !strncmp(c->op_type, "Stateless", 9);
  s->integer = !strcmp(name, "RandomUniformInt");
  if (!s->stateless) TFC_TRY(tfc_random_open(c, &s->stream));
  return tfc_find_function(c, "random/random", name, c->output_dtypes[0], &s->function);
}

static int random_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(random_state), read_op, state);
}

static int random_compute(tfc_context* ctx) {
  const random_state* s = ctx->state;
  int rank;
  int64_t dims[TFC_MAX_RANK], high = 0;
  random_params p = {.range = 1};
  philox stream = {0};
  TFC_TRY(tfc_random_shape(ctx, 0, &rank, dims));
  if (s->stateless) TFC_TRY(tfc_random_stateless(ctx, 1, &stream));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  const tfc_tensor* y = &ctx->outputs[0];
  if (s->integer) TFC_TRY(tfc_random_range(ctx, s->stateless ? 2 : 1, &p.low, &high));
  if (!s->stateless) TFC_TRY(tfc_random_reserve(ctx, y->n * BLOCKS_PER_NUMBER, &stream));
  if (y->n == 0) return TFC_OK;
  if (s->integer) p.range = (uint64_t)high - (uint64_t)p.low;
  p.y = y->data;
  p.n = y->n;
  p.key = stream.key;
  p.high = stream.high;
  p.block = stream.block;
  p.per_block = tfc_dtype_size(y->dtype) == 8 ? 2 : 4;
  return TFC_LAUNCH(ctx, s->function, random, &p);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("RandomUniform", "dtype=" TFC_TYPES_FLOATS, random_compute, TFC_STATE(random_create),
            .flags = TFC_KERNEL_STATEFUL, .host_args = "shape"),
    TFC_ROW("RandomStandardNormal", "dtype=" TFC_TYPES_FLOATS, random_compute,
            TFC_STATE(random_create), .flags = TFC_KERNEL_STATEFUL, .host_args = "shape"),
    TFC_ROW("TruncatedNormal", "dtype=" TFC_TYPES_FLOATS, random_compute, TFC_STATE(random_create),
            .flags = TFC_KERNEL_STATEFUL, .host_args = "shape"),
    TFC_ROW("RandomUniformInt", "Tout=" TFC_TYPES_INDICES, random_compute, TFC_STATE(random_create),
            .flags = TFC_KERNEL_STATEFUL, .host_args = "shape,minval,maxval"),
    TFC_ROW("StatelessRandomUniform", "dtype=" TFC_TYPES_FLOATS, random_compute,
            TFC_STATE(random_create), .host_args = "shape,seed"),
    TFC_ROW("StatelessRandomNormal", "dtype=" TFC_TYPES_FLOATS, random_compute,
            TFC_STATE(random_create), .host_args = "shape,seed"),
    TFC_ROW("StatelessTruncatedNormal", "dtype=" TFC_TYPES_FLOATS, random_compute,
            TFC_STATE(random_create), .host_args = "shape,seed"),
    TFC_ROW("StatelessRandomUniformInt", "dtype=" TFC_TYPES_INDICES, random_compute,
            TFC_STATE(random_create), .host_args = "shape,seed,minval,maxval"),
};
TFC_REGISTER_KERNELS(kernels);
