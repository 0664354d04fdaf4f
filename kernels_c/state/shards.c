/* _TakeShard: hands the shards of an input to the tasks of a cluster, first come first served.
 *
 * The table is a variable with a row for each shard. All of an op happens under the variable's
 * lock, and an op that is repeated because its result was lost gives the same shard again. */
#include "kernels_c/common/common.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

/* Columns of the table. The holder's number grows with each process that has its place and is odd
 * once that process has ended; jobs begin again with small numbers. */
enum { FINISHED, JOB, RANK, NUMBER, N_COLUMNS };
enum { NOBODY = -1 };                 /* RANK */
enum { NONE_NOW = -1, NO_MORE = -2 }; /* instead of a shard */

typedef struct {
  int64_t* rows;
  int64_t n;
  int64_t asker[3];    /* job, rank, number */
  int64_t finished[2]; /* the shard that the asker has finished, and its epoch */
  int64_t epochs;      /* negative: without an end */
  const tfc_tensor* numbers;
} shard_request;

static int check(tfc_context* ctx, const tfc_tensor* table) {
  const tfc_tensor *asker = ctx->inputs[1], *finished = ctx->inputs[3], *epochs = ctx->inputs[4];
  if (table->rank == 2 && table->dims[1] == N_COLUMNS && asker->n == 3 && finished->n == 2 &&
      epochs->n == 1)
    return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "The table must have shape [n,4], `asker` 3 elements, `finished` 2 and "
                   "`num_epochs` 1, but they have the shapes %s, %s, %s and %s",
                   tfc_shape_text(table).text, tfc_shape_text(asker).text,
                   tfc_shape_text(finished).text, tfc_shape_text(epochs).text);
}

/* Whether the row's holder is the asker, or had the asker's place before it. */
static bool is_asker_place(const shard_request* r, const int64_t* row) {
  return row[RANK] == r->asker[1] && row[JOB] == r->asker[0];
}

/* Whether somebody who may still finish it holds the row's shard. */
static bool is_held(const shard_request* r, const int64_t* row) {
  if (row[RANK] < 0 || row[RANK] >= r->numbers->n || row[JOB] != r->asker[0]) return false;
  return tfc_index_at(r->numbers, row[RANK]) <= row[NUMBER];
}

static bool is_wanted(const shard_request* r, const int64_t* row) {
  return r->epochs < 0 || row[FINISHED] < r->epochs;
}

/* Counts a shard as finished if the asker still holds it for the same epoch. Otherwise the op was
 * repeated and the shard is counted already, or the shard is no longer the asker's and whoever
 * takes it next finishes it. */
static void note_finished(const shard_request* r) {
  int64_t shard = r->finished[0];
  if (shard < 0 || shard >= r->n) return;
  int64_t* row = r->rows + shard * N_COLUMNS;
  if (!is_asker_place(r, row) || row[NUMBER] != r->asker[2] || row[FINISHED] != r->finished[1])
    return;
  row[FINISHED]++;
  row[RANK] = NOBODY;
}

/* The shard that the asker gets: the one it has already; or the first of the earliest epoch. */
static int64_t choose(const shard_request* r) {
  int64_t best = NO_MORE, least = INT64_MAX;
  for (int64_t i = 0; i < r->n; i++) {
    const int64_t* row = r->rows + i * N_COLUMNS;
    if (!is_wanted(r, row)) continue;
    if (is_asker_place(r, row)) return i;
    if (is_held(r, row)) {
      if (best == NO_MORE) best = NONE_NOW;
    } else if (row[FINISHED] < least) {
      best = i;
      least = row[FINISHED];
    }
  }
  return best;
}

static int take_shard(tfc_context* ctx) {
  const int ref = 0;
  const int64_t two = 2;
  TFC_TRY(tfc_output(ctx, 0, 1, &two));
  tfc_tensor* table;
  TFC_TRY(tfc_ref_lock(ctx, 1, &ref, TFC_REF_WRITE, &table));
  const int code = check(ctx, table);
  if (code == TFC_OK) {
    shard_request r = {.rows = table->data, .n = table->dims[0], .numbers = ctx->inputs[2]};
    memcpy(r.asker, ctx->inputs[1]->data, sizeof r.asker);
    memcpy(r.finished, ctx->inputs[3]->data, sizeof r.finished);
    r.epochs = tfc_index_at(ctx->inputs[4], 0);
    note_finished(&r);
    int64_t* out = ctx->outputs[0].data;
    out[0] = choose(&r);
    out[1] = 0;
    if (out[0] >= 0) {
      int64_t* row = r.rows + out[0] * N_COLUMNS;
      memcpy(row + JOB, r.asker, sizeof r.asker);
      out[1] = row[FINISHED];
    }
  }
  tfc_ref_unlock(ctx);
  return code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("_TakeShard", "", take_shard),
};
TFC_REGISTER_KERNELS(kernels);
