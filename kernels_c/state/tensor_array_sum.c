/* How elements of tensor arrays are added. */
#include "kernels_c/indexing/rows.h"
#include "kernels_c/state/tensor_array.h"

TFC_ONE_LEVEL;

typedef struct sum_job {
  tfc_row_fn add;
  char* to;
  const char *a, *b; /* a == to: in place */
  size_t size;
} sum_job;

static void sum_range(void* arg, int64_t begin, int64_t end) {
  const sum_job* job = arg;
  const size_t at = (size_t)begin * job->size;
  if (job->a != job->to) memcpy(job->to + at, job->a + at, (size_t)(end - begin) * job->size);
  job->add(job->to + at, job->b + at, end - begin);
}

bool tfc_array_sums(const tfc_context* ctx, int32_t dtype) {
  (void)ctx;
  return dtype != TFC_BOOL && tfc_find_row_op(TFC_ROW_ADD, dtype);
}

int tfc_array_sum(tfc_context* ctx, tfc_tensor* sum, const tfc_tensor* a, const tfc_tensor* b) {
  sum_job job = {.add = tfc_find_row_op(TFC_ROW_ADD, b->dtype),
                 .to = sum->data,
                 .a = a->data,
                 .b = b->data,
                 .size = tfc_dtype_size(b->dtype)};
  tfc_parallel_for(ctx, b->n, 0.05 * (double)job.size, sum_range, &job);
  return TFC_OK;
}
