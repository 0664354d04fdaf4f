/* Softmax, LogSoftmax and the cross entropies. */
#include "kernels_cuda/nn/softmax.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/nn/softmax_shape.h"
#include "kernels_cuda/common/launcher.h"

static int create(tfc_construction* c, void** state) {
  return tfc_find_function(c, "nn/softmax", c->op_type, c->input_dtypes[0] % TFC_REF,
                           (const tfc_function**)state);
}

static int compute_softmax(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_softmax_output(ctx));
  if (x->n == 0) return TFC_OK;
  softmax_params p = {.x = x->data, .y = ctx->outputs[0].data, .cols = x->dims[x->rank - 1]};
  p.rows = x->n / p.cols;
  softmax_plan(&p);
  return TFC_LAUNCH(ctx, ctx->state, softmax, &p);
}

/* ---- Cross entropies. */

/* Makes both outputs; without classes or rows the loss is 0 and *done is set. */
static int begin(tfc_context* ctx, const int64_t dims[2], bool* done) {
  TFC_TRY(tfc_cross_entropy_outputs(ctx, dims));
  const tfc_tensor* loss = &ctx->outputs[0];
  *done = dims[0] == 0 || dims[1] == 0;
  if (!*done || loss->n == 0) return TFC_OK;
  return tfc_device_fill(ctx, loss->data, 0, (size_t)loss->n * tfc_dtype_size(loss->dtype));
}

static int compute_dense(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *labels = ctx->inputs[1];
  int64_t dims[2];
  bool done;
  TFC_TRY(tfc_cross_entropy_shape(ctx, dims));
  TFC_TRY(begin(ctx, dims, &done));
  if (done) return TFC_OK;
  cross_entropy_params p = {.x = x->data,
                            .labels = labels->data,
                            .loss = ctx->outputs[0].data,
                            .backprop = ctx->outputs[1].data,
                            .rows = dims[0],
                            .cols = dims[1]};
  tfc_cross_entropy_steps(x, &p.x_row_step, &p.x_col_step);
  tfc_cross_entropy_steps(labels, &p.labels_row_step, &p.labels_col_step);
  cross_entropy_plan(&p);
  return TFC_LAUNCH(ctx, ctx->state, cross_entropy, &p);
}

static int explain_label(const void* report, const void* argument, char* text, size_t size) {
  const tfc_report* r = report;
  int64_t position, label, classes;
  if (!r->failed) return TFC_OK;
  memcpy(&classes, argument, sizeof classes);
  tfc_reported_index(r, 0, &position, &label);
  snprintf(text, size,
           "Received a label value of %lld which is outside the valid range of [0, %lld).  It is "
           "label %lld",
           (long long)label, (long long)classes, (long long)position);
  return TFC_INVALID_ARGUMENT;
}

static int compute_sparse(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *labels = ctx->inputs[1];
  bool done;
  TFC_TRY(tfc_sparse_cross_entropy_check(ctx));
  TFC_TRY(begin(ctx, x->dims, &done));
  if (done) return TFC_OK;
  sparse_cross_entropy_params p = {.x = x->data,
                                   .labels = labels->data,
                                   .loss = ctx->outputs[0].data,
                                   .backprop = ctx->outputs[1].data,
                                   .rows = x->dims[0],
                                   .cols = x->dims[1],
                                   .wide = labels->dtype == TFC_INT64};
  p.report = tfc_new_report(ctx, explain_label, &p.cols, sizeof p.cols);
  if (!p.report) return TFC_RESOURCE_EXHAUSTED;
  sparse_cross_entropy_plan(&p);
  return TFC_LAUNCH(ctx, ctx->state, sparse_cross_entropy, &p);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Softmax", "T=" TFC_TYPES_FLOATS, compute_softmax, .create = create),
    TFC_ROW("LogSoftmax", "T=" TFC_TYPES_FLOATS, compute_softmax, .create = create),
    TFC_ROW("SoftmaxCrossEntropyWithLogits", "T=" TFC_TYPES_FLOATS, compute_dense,
            .create = create),
    TFC_ROW("SparseSoftmaxCrossEntropyWithLogits",
            "T=" TFC_TYPES_FLOATS ";Tlabels=" TFC_TYPES_INDICES, compute_sparse, .create = create),
};
TFC_REGISTER_KERNELS(kernels);
