/* Ops that read shapes or change the shape without moving elements. */
#include "kernels_c/array/array.h"

#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

/* ---- Identity and relatives */

static int deep_copy(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_like(ctx, 0, x));
  return tfc_copy_tensor(ctx, &ctx->outputs[0], x);
}

static int first_input(tfc_context* ctx) {
  return tfc_output_input(ctx, 0, 0);
}

static int identity_n(tfc_context* ctx) {
  for (int i = 0; i < ctx->n_inputs; i++) TFC_TRY(tfc_output_input(ctx, i, i));
  return TFC_OK;
}

static int ensure_shape_create(tfc_construction* c, void** state) {
  int64_t* s = tfc_new_state(c, sizeof(int64_t) * (TFC_MAX_RANK + 1));
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  int rank;
  const int rc = c->api->attr_shape(c, "shape", &rank, s + 1);
  s[0] = rank;
  *state = s;
  return rc;
}

static int ensure_shape(tfc_context* ctx) {
  const int64_t* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  bool ok = s[0] < 0 || s[0] == x->rank;
  for (int i = 0; ok && i < s[0]; i++) ok = s[1 + i] < 0 || s[1 + i] == x->dims[i];
  if (!ok)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Shape of tensor input %s is not compatible with expected shape %s.",
                     tfc_shape_text(x).text, tfc_dims_text((int)s[0], s + 1).text);
  return tfc_output_input(ctx, 0, 0);
}

/* ---- Shape, ShapeN, Size, Rank */

static int shape_n(tfc_context* ctx) {
  for (int k = 0; k < ctx->n_inputs; k++) {
    const tfc_tensor* x = ctx->inputs[k];
    const int64_t rank = x->rank;
    TFC_TRY(tfc_output(ctx, k, 1, &rank));
    tfc_tensor* out = &ctx->outputs[k];
    for (int i = 0; i < rank; i++) {
      if (out->dtype == TFC_INT32 && x->dims[i] > INT32_MAX)
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "Shape output type is 32-bit but dim %d is %lld. Use out_type=tf.int64.",
                         i, (long long)x->dims[i]);
      tfc_put_index(out, i, x->dims[i]);
    }
  }
  return TFC_OK;
}

static int size(tfc_context* ctx) {
  TFC_TRY(tfc_output_scalar(ctx, 0));
  tfc_tensor* out = &ctx->outputs[0];
  const int64_t n = ctx->inputs[0]->n;
  if (out->dtype == TFC_INT32 && n > INT32_MAX)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Number of elements was larger than representable by 32-bit output type: %lld. "
        "Use out_type=tf.int64.",
        (long long)n);
  tfc_put_index(out, 0, n);
  return TFC_OK;
}

static int rank(tfc_context* ctx) {
  TFC_TRY(tfc_output_scalar(ctx, 0));
  tfc_put_index(&ctx->outputs[0], 0, ctx->inputs[0]->rank);
  return TFC_OK;
}

/* ---- Reshape, ExpandDims, Squeeze */

/* Reads the wanted sizes; `product` is that of the known ones, *unknown the index of -1, or -1. */
static int wanted_shape(tfc_context* ctx, const tfc_tensor* sizes, int64_t* dims, int* unknown,
                        int64_t* product, bool* known_zero) {
  *unknown = -1;
  *product = 1; /* without the zeros */
  *known_zero = false;
  for (int i = 0; i < sizes->n; i++) {
    const int64_t d = dims[i] = tfc_index_at(sizes, i);
    if (d == -1) {
      if (*unknown != -1)
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "Only one input size may be -1, not both %d and %d", *unknown, i);
      *unknown = i;
    } else if (d < 0) {
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Size %d must be non-negative, not %lld", i,
                       (long long)d);
    } else if (d == 0) {
      *known_zero = true;
    } else if (__builtin_mul_overflow(*product, d, product)) {
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "reshape sizes are too large");
    }
  }
  return TFC_OK;
}

static int reshape(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *sizes = ctx->inputs[1];
  if (sizes->rank > 1) /* in old graphs a scalar means one dimension */
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "sizes input must be 1-D, not %s",
                     tfc_shape_text(sizes).text);
  if (sizes->n > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Reshape to more than %d dimensions: %lld",
                     TFC_MAX_RANK, (long long)sizes->n);
  int64_t dims[TFC_MAX_RANK], product;
  int unknown;
  bool known_zero;
  TFC_TRY(wanted_shape(ctx, sizes, dims, &unknown, &product, &known_zero));
  if (unknown >= 0) {
    /* If a wanted size is zero, zeros are ignored on both sides: [0] to [0, -1] gives [0, 1]. */
    int64_t count = x->n;
    if (known_zero) {
      count = 1;
      for (int i = 0; i < x->rank; i++) count *= x->dims[i] ? x->dims[i] : 1;
    }
    if (count % product || (known_zero && x->n))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Input to reshape is a tensor with %lld values, but the requested shape "
                       "requires a multiple of %lld",
                       (long long)x->n, (long long)(known_zero && x->n ? 0 : product));
    dims[unknown] = count / product;
  } else if ((product = known_zero ? 0 : product) != x->n) {
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Input to reshape is a tensor with %lld values, but the requested shape has %lld",
        (long long)x->n, (long long)product);
  }
  return tfc_output_view(ctx, 0, 0, 0, (int)sizes->n, dims);
}

#if !TFC_FOR_GPU
/* The range stays. */
static int quantized_reshape(tfc_context* ctx) {
  TFC_TRY(reshape(ctx));
  TFC_TRY(tfc_output_input(ctx, 1, 2));
  return tfc_output_input(ctx, 2, 3);
}
#endif

static int expand_dims(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (ctx->inputs[1]->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "'dim' must be a tensor with a single value");
  int64_t dim = tfc_int_scalar(ctx->inputs[1]);
  if (dim < -1 - x->rank || dim > x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tried to expand dim index %lld for tensor with %d dimensions.",
                     (long long)dim, x->rank);
  if (dim < 0) dim += x->rank + 1;
  if (x->rank == TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "ExpandDims of a tensor of %d dimensions", x->rank);
  int64_t dims[TFC_MAX_RANK];
  for (int i = 0, k = 0; i <= x->rank; i++) dims[i] = i == dim ? 1 : x->dims[k++];
  return tfc_output_view(ctx, 0, 0, 0, x->rank + 1, dims);
}

typedef struct squeeze_state {
  int n;
  int64_t dims[TFC_MAX_RANK * 2];
} squeeze_state;

static int squeeze_create(tfc_construction* c, void** state) {
  squeeze_state* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  *state = s;
  int rc = c->api->attr_ints(c, "squeeze_dims", TFC_MAX_RANK * 2, s->dims, &s->n);
  if (rc == TFC_OK && s->n > TFC_MAX_RANK * 2)
    rc = c->api->error(c, TFC_INVALID_ARGUMENT, "Too many squeeze_dims: %d", s->n);
  if (rc != TFC_OK) {
    free(s);
    *state = NULL;
  }
  return rc;
}

static int squeeze(tfc_context* ctx) {
  const squeeze_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  bool drop[TFC_MAX_RANK] = {false};
  for (int i = 0; i < s->n; i++) {
    const int64_t d = s->dims[i];
    if (d < -x->rank || d >= x->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Tried to squeeze dim index %lld for tensor with %d dimensions.",
                       (long long)d, x->rank);
    drop[d < 0 ? d + x->rank : d] = true;
  }
  int64_t dims[TFC_MAX_RANK];
  int n = 0;
  for (int i = 0; i < x->rank; i++) {
    if (drop[i] && x->dims[i] != 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Can not squeeze dim[%d], expected a dimension of 1, got %lld", i,
                       (long long)x->dims[i]);
    if (s->n == 0 ? x->dims[i] != 1 : !drop[i]) dims[n++] = x->dims[i];
  }
  return tfc_output_view(ctx, 0, 0, 0, n, dims);
}

/* ---- Transpose */

static void conjugate(void* arg, int64_t begin, int64_t end) {
  const tfc_tensor* t = arg;
  if (t->dtype == TFC_COMPLEX64) {
    float* y = t->data;
    for (int64_t i = begin; i < end; i++) y[2 * i + 1] = -y[2 * i + 1];
  } else {
    double* y = t->data;
    for (int64_t i = begin; i < end; i++) y[2 * i + 1] = -y[2 * i + 1];
  }
}

static int read_permutation(tfc_context* ctx, int* perm) {
  const tfc_tensor *x = ctx->inputs[0], *p = ctx->inputs[1];
  if (p->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "perm must be rank 1, got shape %s",
                     tfc_shape_text(p).text);
  if (p->n != x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "transpose expects a vector of size %d. But input(1) is a vector of size %lld",
                     x->rank, (long long)p->n);
  bool seen[TFC_MAX_RANK] = {false};
  for (int i = 0; i < x->rank; i++) {
    int64_t d = tfc_index_at(p, i);
    if (d < -x->rank || d >= x->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%lld is out of range [0 .. %d)", (long long)d,
                       x->rank);
    if (d < 0) d += x->rank;
    seen[d] = true;
    perm[i] = (int)d;
  }
  for (int i = 0; i < x->rank; i++)
    if (!seen[i]) {
      int64_t values[TFC_MAX_RANK];
      for (int k = 0; k < x->rank; k++) values[k] = perm[k];
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%d is missing from {%.*s}.", i,
                       (int)strlen(tfc_dims_text(x->rank, values).text) - 2,
                       tfc_dims_text(x->rank, values).text + 1);
    }
  return TFC_OK;
}

static int permute(tfc_context* ctx, bool may_view) {
  const tfc_tensor* x = ctx->inputs[0];
  int perm[TFC_MAX_RANK];
  TFC_TRY(read_permutation(ctx, perm));
  tfc_box box = {.rank = x->rank};
  int64_t strides[TFC_MAX_RANK];
  tfc_strides(x->rank, x->dims, strides);
  int last = -1;
  bool in_order = true; /* dimensions of size 1 may go anywhere */
  for (int i = 0; i < x->rank; i++) {
    box.dims[i] = x->dims[perm[i]];
    box.from[i] = strides[perm[i]];
    if (box.dims[i] != 1) {
      in_order &= perm[i] > last;
      last = perm[i];
    }
  }
  if (may_view && in_order) return tfc_output_view(ctx, 0, 0, 0, x->rank, box.dims);
  tfc_strides(x->rank, box.dims, box.to);
  TFC_TRY(tfc_output(ctx, 0, x->rank, box.dims));
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, x, 0, &box);
}

static int transpose(tfc_context* ctx) {
  return permute(ctx, true);
}

static int conjugate_transpose(tfc_context* ctx) {
  const int32_t dtype = ctx->inputs[0]->dtype;
  if (dtype != TFC_COMPLEX64 && dtype != TFC_COMPLEX128) return permute(ctx, true);
  TFC_TRY(permute(ctx, false));
  tfc_parallel_for(ctx, ctx->outputs[0].n, 1, conjugate, &ctx->outputs[0]);
  return TFC_OK;
}

static int invert_permutation(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "invert_permutation expects a 1D vector.");
  TFC_TRY(tfc_output_like(ctx, 0, x));
  tfc_tensor* y = &ctx->outputs[0];
  for (int64_t i = 0; i < y->n; i++) tfc_put_index(y, i, -1);
  for (int64_t i = 0; i < x->n; i++) {
    const int64_t d = tfc_index_at(x, i);
    if (d < 0 || d >= x->n)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%lld is not between 0 and %lld", (long long)d,
                       (long long)x->n);
    if (tfc_index_at(y, d) != -1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%lld is duplicated in the input.", (long long)d);
    tfc_put_index(y, d, i);
  }
  return TFC_OK;
}

TFC_COPIER(TFC_NO_STATE);

static const tfc_kernel_def kernels[] = {
    TFC_FORWARDS("Identity", "T", first_input, TFC_NO_STATE, NULL, "input,output"),
    TFC_FORWARDS("GuaranteeConst", "T", first_input, TFC_NO_STATE, NULL, "input,output"),
    TFC_FORWARDS("Snapshot", "T", first_input, TFC_NO_STATE, NULL, "input,output"),
    TFC_FORWARDS("StopGradient", "T", first_input, TFC_NO_STATE, NULL, "input,output"),
    TFC_FORWARDS("PreventGradient", "T", first_input, TFC_NO_STATE, NULL, "input,output"),
    TFC_COPIES("DeepCopy", "T", deep_copy, TFC_NO_STATE, NULL, "x,y"),
    TFC_COPIES("Copy", "T", deep_copy, TFC_NO_STATE, NULL, "input,output"),
    TFC_COPIES("CopyHost", "T", deep_copy, TFC_NO_STATE, NULL, "input,output"),
    TFC_FORWARDS("IdentityN", "T", identity_n, TFC_NO_STATE, NULL, "input,output"),
    TFC_FORWARDS("EnsureShape", "T", ensure_shape, ensure_shape_create, NULL, "input,output"),
    TFC_FORWARDS("Shape", "T", shape_n, TFC_NO_STATE, "output", "input,output"),
    TFC_FORWARDS("ShapeN", "T", shape_n, TFC_NO_STATE, "output", "input,output"),
    TFC_FORWARDS("Size", "T", size, TFC_NO_STATE, "output", "input,output"),
    TFC_FORWARDS("Rank", "T", rank, TFC_NO_STATE, "output", "input,output"),
#if !TFC_FOR_GPU
    TFC_ROW("QuantizedReshape", "", quantized_reshape),
#endif
    TFC_FORWARDS("Reshape", "T", reshape, TFC_NO_STATE, "shape", "tensor,shape,output"),
    TFC_FORWARDS("ExpandDims", "T", expand_dims, TFC_NO_STATE, "dim", "input,dim,output"),
    TFC_FORWARDS("Squeeze", "T", squeeze, squeeze_create, NULL, "input,output"),
    TFC_COPIES_ALL("Transpose", "T", transpose, TFC_NO_STATE, "perm"),
#if TFC_FOR_GPU /* which has no complex arithmetic */
    TFC_ROW("ConjugateTranspose", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_INDICES, conjugate_transpose,
            .create = TFC_NO_STATE_on_device, .destroy = tfc_copier_destroy, .host_args = "perm"),
#else
    TFC_ROW("ConjugateTranspose", "", conjugate_transpose, .host_args = "perm"),
#endif
    TFC_ROW("InvertPermutation", "T=" TFC_TYPES_INDICES, invert_permutation, .host_args = "x,y"),
};
TFC_REGISTER_KERNELS(kernels);
