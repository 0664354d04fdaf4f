/* Sections whose keys have lists of features, one for each step: the feature_lists of
 * SequenceExample. */
#include "kernels_c/parsing/section.h"

TFC_ONE_LEVEL;

/* Calls of `each` get the features of a list one after the other; false ends the walk. */
typedef struct step {
  int64_t row;
  bool empty;       /* it has no values */
  wire_reader list; /* of values */
} step;

/* 1: there is a next feature; 0: the list ends; -1: it is malformed; -2: it has another type, which
 * `type` becomes. */
static int next_step(wire_reader* features, int32_t* type, step* to) {
  wire_field f;
  int code;
  while ((code = wire_next(features, &f)) > 0 && f.number != 1) {
  }
  if (code <= 0) return code;
  if (f.type != WIRE_BYTES) return -1;
  const int32_t found = feature_open(f.bytes, &to->list);
  to->empty = found == 0;
  if (found < 0) return -1;
  if (found == 0 || found == *type) return 1;
  *type = found;
  return -2;
}

static bool fail_step(job* j, const part* p, int64_t example, int i, int64_t code, int64_t row,
                      int32_t type) {
  if (code == FEATURE_NO_MEMORY)
    return job_fail(j, example, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  const char *expected = tfc_dtype_name(p->s->fields[i].type), *found = tfc_dtype_name(type);
  if (type == p->s->fields[i].type)
    return job_fail_field(j, p, example, i, "%lld.  Can't parse the feature, of example %lld",
                          (long long)row, (long long)example);
  return job_fail_field(j, p, example, i,
                        "%lld.  Data types don't match. Expected type: %s, Actual type: %s, of "
                        "example %lld",
                        (long long)row, expected, found, (long long)example);
}

/* The width of the sparse tensors of an example: the most values of a step. It is kept in the
 * member `at_row` until rows are numbered. */
static bool find_list(job* j, const part* p, int64_t example, int i, found* value) {
  const field* f = &p->s->fields[i];
  wire_reader features = value->value;
  int32_t type = f->type;
  step s;
  int code;
  for (; (code = next_step(&features, &type, &s)) > 0; value->rows++) {
    const int64_t n = s.empty ? 0 : feature_read(j->ctx, type, s.list, NULL, 0, 0);
    if (n < 0) return fail_step(j, p, example, i, n, value->rows, type);
    if (f->kind == FIELD_FIXED && n != f->stride)
      return job_fail_field(j, p, example, i,
                            "%lld.  Number of values != expected.  values size: %lld but output "
                            "shape: %s, of example %lld",
                            (long long)value->rows, (long long)n,
                            tfc_dims_text(f->rank, f->dims).text, (long long)example);
    value->count += n;
    value->at_row = TFC_MAX(value->at_row, n);
  }
  if (code == 0) return true;
  return fail_step(j, p, example, i, code == -2 ? 0 : FEATURE_BROKEN, value->rows, type);
}

bool lists_find(job* j, part* p, int64_t example) {
  found* row = p->found + example * p->s->n;
  for (int i = 0; i < p->s->n; i++)
    if (row[i].present && !find_list(j, p, example, i, &row[i])) return false;
  return true;
}

/* ---- Between the passes */

static int make_steps(const job* j, const part* p, int i, int64_t rows) {
  const section* s = p->s;
  const field* f = &s->fields[i];
  int64_t dims[TFC_MAX_RANK] = {j->n};
  const int first = j->single ? 0 : 1;
  dims[first] = rows;
  memcpy(dims + first + 1, f->dims, (size_t)f->rank * sizeof *dims);
  const int output = section_values(s, i);
  TFC_TRY(tfc_output(j->ctx, output, first + 1 + f->rank, dims));
  if (f->type != TFC_STRING && output_of(j, output)->n)
    memset(output_of(j, output)->data, 0,
           (size_t)output_of(j, output)->n * tfc_dtype_size(f->type));
  if (!s->lengths) return TFC_OK;
  const int lengths = output + s->n_dense;
  TFC_TRY(tfc_output(j->ctx, lengths, first, &j->n));
  for (int64_t e = 0; e < j->n; e++)
    ((int64_t*)output_of(j, lengths)->data)[e] = p->found[e * s->n + i].rows;
  return TFC_OK;
}

static int make_ragged_steps(const job* j, const part* p, int i, int64_t total, int64_t rows) {
  const section* s = p->s;
  const int output = section_values(s, i), outer = output + s->n_ragged,
            inner = outer + s->n_ragged;
  TFC_TRY(tfc_output(j->ctx, output, 1, &total));
  TFC_TRY(tfc_output(j->ctx, outer, 1, (int64_t[]){j->single ? 0 : j->n + 1}));
  TFC_TRY(tfc_output(j->ctx, inner, 1, (int64_t[]){rows + 1}));
  TFC_TRY(section_splits(j, inner, TFC_MAX(total, rows)));
  section_set_split(j, inner, rows, total);
  if (j->single) return TFC_OK;
  for (int64_t e = 0; e < j->n; e++) section_set_split(j, outer, e, p->found[e * s->n + i].at_row);
  section_set_split(j, outer, j->n, rows);
  return TFC_OK;
}

int lists_outputs(job* j, part* p) {
  for (int i = 0; i < p->s->n; i++) {
    int64_t total = 0, rows = 0, most_rows = 0, width = 0;
    for (int64_t e = 0; e < j->n; e++) {
      found* value = &p->found[e * p->s->n + i];
      width = TFC_MAX(width, value->at_row);
      most_rows = TFC_MAX(most_rows, value->rows);
      value->at = total;
      value->at_row = rows;
      total += value->count;
      rows += value->rows;
    }
    switch (p->s->fields[i].kind) {
      case FIELD_SPARSE: {
        const int64_t shape[] = {j->n, most_rows, width};
        TFC_TRY(section_sparse(j, p, i, total, j->single ? 2 : 3, shape + j->single));
        break;
      }
      case FIELD_RAGGED: TFC_TRY(make_ragged_steps(j, p, i, total, rows)); break;
      default: TFC_TRY(make_steps(j, p, i, most_rows));
    }
  }
  return TFC_OK;
}

/* ---- The second pass */

static void store_step_indices(const job* j, int output, int64_t at, int64_t example, int64_t row,
                               int64_t n) {
  const int rank = j->single ? 2 : 3;
  int64_t* to = (int64_t*)output_of(j, output)->data + at * rank;
  for (int64_t k = 0; k < n; k++) {
    if (!j->single) *to++ = example;
    *to++ = row;
    *to++ = k;
  }
}

static bool store_list(job* j, part* p, int64_t example, int i) {
  const section* s = p->s;
  const field* f = &s->fields[i];
  const found* value = &p->found[example * s->n + i];
  const int output = section_values(s, i);
  tfc_tensor* to = &j->ctx->outputs[output];
  int64_t at = f->kind == FIELD_FIXED ? example * (to->n / j->n) : value->at, left = value->count;
  wire_reader features = value->value;
  int32_t type = f->type;
  step step;
  for (int64_t row = 0; row < value->rows; row++) {
    if (next_step(&features, &type, &step) <= 0)
      return fail_step(j, p, example, i, FEATURE_BROKEN, row, type);
    const int64_t n = step.empty ? 0 : feature_read(j->ctx, type, step.list, to, at, left);
    if (n < 0 || n > left) return fail_step(j, p, example, i, n, row, type);
    if (f->kind == FIELD_SPARSE) store_step_indices(j, s->output + i, at, example, row, n);
    if (f->kind == FIELD_RAGGED)
      section_set_split(j, output + 2 * s->n_ragged, value->at_row + row, at);
    at += n;
    left -= n;
  }
  return true;
}

bool lists_store(job* j, part* p, int64_t example) {
  for (int i = 0; i < p->s->n; i++)
    if (!store_list(j, p, example, i)) return false;
  return true;
}
