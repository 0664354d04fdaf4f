/* Slices: Slice, and StridedSlice with its gradient and assignment. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

/* Whether the box reads one contiguous run: then the output can be a view. */
static bool is_contiguous(const tfc_box* box) {
  int64_t step = 1;
  for (int i = box->rank - 1; i >= 0; i--) {
    if (box->dims[i] != 1 && box->from[i] != step) return false;
    step *= box->dims[i];
  }
  return true;
}

static int take_box(tfc_context* ctx, tfc_box* box, int64_t first, int rank, const int64_t* dims) {
  if (tfc_product(rank, dims) == 0) return tfc_output(ctx, 0, rank, dims);
  if (is_contiguous(box)) return tfc_output_view(ctx, 0, 0, first, rank, dims);
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, ctx->inputs[0], first, box);
}

static int slice(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *begin = ctx->inputs[1], *size = ctx->inputs[2];
  if (begin->rank != 1 || size->rank != 1 || begin->n != x->rank || size->n != x->rank)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Expected begin and size arguments to be 1-D tensors of size %d, but got shapes "
        "%s and %s instead.",
        x->rank, tfc_shape_text(begin).text, tfc_shape_text(size).text);
  tfc_box box = {.rank = x->rank};
  tfc_strides(x->rank, x->dims, box.from);
  int64_t first = 0;
  for (int i = 0; i < x->rank; i++) {
    const int64_t b = tfc_index_at(begin, i), given = tfc_index_at(size, i);
    const int64_t s = given == -1 ? x->dims[i] - b : given;
    if (b < 0 || b > x->dims[i])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected begin[%d] in [0, %lld], but got %lld",
                       i, (long long)x->dims[i], (long long)b);
    if (s < 0 || s > x->dims[i] - b)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected size[%d] in [0, %lld], but got %lld", i,
                       (long long)(x->dims[i] - b), (long long)s);
    box.dims[i] = s;
    first += b * box.from[i];
  }
  tfc_strides(x->rank, box.dims, box.to);
  return take_box(ctx, &box, first, x->rank, box.dims);
}

/* ---- StridedSlice */

enum { BEGIN, END, ELLIPSIS, NEW_AXIS, SHRINK, MASKS };

static int masks_create(tfc_construction* c, void** state) {
  static const char* const names[MASKS] = {"begin_mask", "end_mask", "ellipsis_mask",
                                           "new_axis_mask", "shrink_axis_mask"};
  int64_t* masks = tfc_new_state(c, MASKS * sizeof *masks);
  if (!masks) return TFC_RESOURCE_EXHAUSTED;
  for (int i = 0; i < MASKS; i++) {
    const int rc = c->api->attr_int(c, names[i], &masks[i]);
    if (rc != TFC_OK) {
      free(masks);
      return rc;
    }
  }
  *state = masks;
  return TFC_OK;
}

/* A slice of a tensor of shape `dims`: a box of it, and the shape of the result, without shrunk and
 * with new dimensions. */
typedef struct region {
  int rank; /* of the result */
  int64_t dims[TFC_MAX_RANK];
  int64_t first; /* element */
  tfc_box box;   /* `from` strides walk the sliced tensor, dims are before shrinking */
} region;

static bool has(const int64_t* masks, int mask, int i) {
  return (masks[mask] >> i) & 1;
}

static int add_dim(tfc_context* ctx, region* r, int64_t dim) {
  if (r->rank == TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Slices of more than %d dimensions are not supported",
                     TFC_MAX_RANK);
  r->dims[r->rank++] = dim;
  return TFC_OK;
}

/* Takes a whole dimension, for `:` and for each dimension under `...`. */
static int take_whole(tfc_context* ctx, region* r, int64_t dim) {
  r->box.dims[r->box.rank++] = dim;
  return add_dim(ctx, r, dim);
}

static int64_t clamp(int64_t v, int64_t low, int64_t high) {
  return v < low ? low : v > high ? high : v;
}

/* Slices one dimension of size `dim` by entry i of the specification. */
static int take_range(tfc_context* ctx, region* r, const int64_t* masks, int i, int64_t dim,
                      int64_t begin, int64_t end, int64_t stride) {
  const int d = r->box.rank;
  const bool shrink = has(masks, SHRINK, i);
  if (stride == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "strides[%d] must be non-zero", i);
  if (shrink) {
    if (stride < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "only stride 1 allowed on non-range indexing.");
    const int64_t at = begin < 0 ? begin + dim : begin;
    if (at < 0 || at >= dim)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "slice index %lld of dimension %d out of bounds.",
                       (long long)begin, d);
    r->first += at * r->box.from[d];
    r->box.dims[r->box.rank++] = 1;
    return TFC_OK;
  }
  const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? dim : dim - 1;
  const int64_t from = has(masks, BEGIN, i) ? (stride > 0 ? low : high)
                                            : clamp(begin < 0 ? begin + dim : begin, low, high);
  const int64_t to =
      has(masks, END, i) ? (stride > 0 ? high : low) : clamp(end < 0 ? end + dim : end, low, high);
  const int64_t span = stride > 0 ? to - from : from - to;
  const uint64_t step = stride > 0 ? (uint64_t)stride : -(uint64_t)stride;
  const int64_t size = span <= 0 ? 0 : (int64_t)(((uint64_t)span + step - 1) / step);
  if (size > 0) r->first += from * r->box.from[d];
  /* With one element (or none) the step is never taken, however large. */
  r->box.from[d] = size > 1 ? r->box.from[d] * stride : 0;
  r->box.dims[r->box.rank++] = size;
  return add_dim(ctx, r, size);
}

/* inputs[first_input ...] are begin, end and strides. */
static int read_region(tfc_context* ctx, int first_input, int rank, const int64_t* dims,
                       region* r) {
  const int64_t* masks = tfc_own_state(ctx);
  const tfc_tensor *begin = ctx->inputs[first_input], *end = ctx->inputs[first_input + 1];
  const tfc_tensor* strides = ctx->inputs[first_input + 2];
  if (begin->rank != 1 || end->rank != 1 || strides->rank != 1 || begin->n != end->n ||
      begin->n != strides->n || begin->n >= 32)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
                     "%s, %s, and %s instead.",
                     tfc_shape_text(begin).text, tfc_shape_text(end).text,
                     tfc_shape_text(strides).text);
  const int n = (int)begin->n;
  int ellipsis = n, consumed = 0; /* dimensions of the input used by entries */
  for (int i = 0; i < n; i++) {
    if (has(masks, ELLIPSIS, i)) {
      if (ellipsis != n)
        return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Multiple ellipses in slice spec not allowed");
      ellipsis = i;
    } else if (!has(masks, NEW_AXIS, i)) {
      consumed++;
    }
  }
  if (consumed > rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Index out of range using input dim %d; input has only %d dims", rank, rank);
  r->rank = r->box.rank = 0;
  r->first = 0;
  tfc_strides(rank, dims, r->box.from);
  for (int i = 0; i <= n; i++) {
    if (i == ellipsis) { /* if there is none, it is at the end */
      for (int k = consumed; k < rank; k++) TFC_TRY(take_whole(ctx, r, dims[r->box.rank]));
    } else if (i == n) {
      break;
    } else if (has(masks, NEW_AXIS, i)) {
      TFC_TRY(add_dim(ctx, r, 1));
    } else {
      TFC_TRY(take_range(ctx, r, masks, i, dims[r->box.rank], tfc_index_at(begin, i),
                         tfc_index_at(end, i), tfc_index_at(strides, i)));
    }
  }
  tfc_strides(r->box.rank, r->box.dims, r->box.to);
  return TFC_OK;
}

static int strided_slice(tfc_context* ctx) {
  region r;
  TFC_TRY(read_region(ctx, 1, ctx->inputs[0]->rank, ctx->inputs[0]->dims, &r));
  return take_box(ctx, &r.box, r.first, r.rank, r.dims);
}

static void swap_sides(tfc_box* box) {
  for (int i = 0; i < box->rank; i++) {
    const int64_t t = box->to[i];
    box->to[i] = box->from[i];
    box->from[i] = t;
  }
}

static bool fits(const region* r, const tfc_tensor* t) {
  if (r->rank != t->rank) return false;
  for (int i = 0; i < r->rank; i++)
    if (r->dims[i] != t->dims[i]) return false;
  return true;
}

static int strided_slice_grad(tfc_context* ctx) {
  const tfc_tensor *shape = ctx->inputs[0], *dy = ctx->inputs[4];
  if (tfc_is_object(dy->dtype)) /* there is nothing to put in where the slice was not */
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "StridedSliceGrad of type %s is not supported",
                     tfc_dtype_name(dy->dtype));
  int64_t dims[TFC_MAX_RANK] = {0};
  int rank = 0;
  TFC_TRY(tfc_read_vector(ctx, 0, TFC_MAX_RANK, dims, &rank));
  if (shape->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "shape must be 1-D, got shape.shape = %s",
                     tfc_shape_text(shape).text);
  TFC_TRY(tfc_check_shape(ctx, rank, dims));
  region r;
  TFC_TRY(read_region(ctx, 1, rank, dims, &r));
  if (!fits(&r, dy))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "shape of dy was %s instead of %s",
                     tfc_shape_text(dy).text, tfc_dims_text(r.rank, r.dims).text);
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  if (dy->n < ctx->outputs[0].n) TFC_TRY(tfc_fill_zero(ctx, &ctx->outputs[0]));
  swap_sides(&r.box);
  return tfc_copy_box(ctx, &ctx->outputs[0], r.first, dy, 0, &r.box);
}

static int strided_slice_assign(tfc_context* ctx) {
  const int reference = 0;
  const tfc_tensor* value = ctx->inputs[4];
  tfc_tensor* variable;
  TFC_TRY(tfc_ref_lock(ctx, 1, &reference, TFC_REF_WRITE, &variable));
  region r;
  int rc = read_region(ctx, 1, variable->rank, variable->dims, &r);
  if (rc == TFC_OK && !fits(&r, value))
    rc = tfc_error(ctx, TFC_UNIMPLEMENTED, "Assigning a value of shape %s to a slice of shape %s",
                   tfc_shape_text(value).text, tfc_dims_text(r.rank, r.dims).text);
  if (rc == TFC_OK) {
    swap_sides(&r.box);
    rc = tfc_copy_box(ctx, variable, r.first, value, 0, &r.box);
  }
  tfc_ref_unlock(ctx);
  return rc == TFC_OK ? tfc_output_ref(ctx, 0, 0) : rc;
}

TFC_COPIER(TFC_NO_STATE);
TFC_COPIER(masks_create);

static const tfc_kernel_def kernels[] = {
    TFC_COPIES("Slice", "T", slice, TFC_NO_STATE, "begin,size", "input,begin,size,output"),
    TFC_COPIES("StridedSlice", "T", strided_slice, masks_create, "begin,end,strides",
               "input,begin,end,strides,output"),
    TFC_COPIES("StridedSliceGrad", "T", strided_slice_grad, masks_create, "shape,begin,end,strides",
               "shape,begin,end,strides,dy,output"),
    TFC_COPIES_ALL("StridedSliceAssign", "T", strided_slice_assign, masks_create,
                   "begin,end,strides"),
};
TFC_REGISTER_KERNELS(kernels);
