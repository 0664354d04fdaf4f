/* Distribution of pools over threads. */
#include "kernels_c/pooling/pooling.h"

typedef struct {
  const pool_job* job;
  pool_fn fn;
  int64_t groups, group; /* of channels, if rows can't be distributed */
} pool_run;

/* Items are (image or output plane, output row). */
static void rows_range(void* arg, int64_t begin, int64_t end) {
  const pool_run* run = arg;
  int64_t rows = run->job->out.h;
  while (begin < end) {
    int64_t image = begin / rows, r0 = begin % rows, r1 = TFC_MIN(rows, r0 + end - begin);
    run->fn(run->job, image, r0, r1, 0, run->job->in.c);
    begin += r1 - r0;
  }
}

/* Items are (image or volume, group of channels). */
static void channels_range(void* arg, int64_t begin, int64_t end) {
  const pool_run* run = arg;
  for (int64_t item = begin; item < end; item++) {
    int64_t c0 = item % run->groups * run->group;
    int64_t c1 = TFC_MIN(run->job->in.c, c0 + run->group), planes = run->job->d.out;
    int64_t first = item / run->groups * planes;
    for (int64_t plane = first; plane < first + planes; plane++)
      run->fn(run->job, plane, 0, run->job->out.h, c0, c1);
  }
}

static double pixel_cost(const pool_job* j, size_t size) {
  return 5 + (double)(j->in.c * (int64_t)size) * (double)(j->d.filter * j->h.filter * j->w.filter) /
                 60.0;
}

void pool_run_rows(tfc_context* ctx, const pool_job* j, pool_fn fn, size_t size) {
  if (image_size(j->out) * j->d.out == 0) return;
  pool_run run = {.job = j, .fn = fn};
  tfc_parallel_for(ctx, j->out.n * j->d.out * j->out.h, pixel_cost(j, size) * (double)j->out.w,
                   rows_range, &run);
}

void pool_run_channels(tfc_context* ctx, const pool_job* j, pool_fn fn, size_t size) {
  if (image_size(j->out) * j->d.out == 0) return;
  pool_run run = {.job = j, .fn = fn, .groups = 1, .group = j->in.c};
  int64_t lanes = TFC_VECTOR_BYTES / (int64_t)size, threads = ctx->api->max_threads(ctx);
  if (threads > 1 && j->in.n < 4 * threads && j->in.c >= 2 * lanes) {
    int64_t groups = TFC_MIN(j->in.c / lanes, (4 * threads + j->in.n - 1) / j->in.n);
    run.group = (j->in.c / lanes + groups - 1) / groups * lanes;
    run.groups = (j->in.c + run.group - 1) / run.group;
  }
  double cost =
      2 * pixel_cost(j, size) * (double)(j->d.out * j->out.h * j->out.w) / (double)run.groups;
  tfc_parallel_for(ctx, j->in.n * run.groups, cost, channels_range, &run);
}

typedef struct {
  char* data;
} zero_job;

static void zero_range(void* arg, int64_t begin, int64_t end) {
  memset(((zero_job*)arg)->data + begin, 0, (size_t)(end - begin));
}

void pool_zero(tfc_context* ctx, void* data, int64_t bytes) {
  zero_job job = {data};
  if (bytes > 0) tfc_parallel_for(ctx, bytes, 0.05, zero_range, &job);
}
