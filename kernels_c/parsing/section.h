/* A section of a message: a map from keys to features (of Example, and the context of
 * SequenceExample), or to lists of features. An op asks for some of the keys, in this order: those
 * whose values become sparse tensors, dense ones, ragged ones.
 *
 * A batch is parsed in two passes over its examples, each in parallel. The first one finds the
 * values that are asked for, counts them, and stores those whose place in an output is known. The
 * second one stores the rest, after the sizes of all outputs are known. */
#ifndef TFCORE_PARSING_SECTION_H
#define TFCORE_PARSING_SECTION_H

#include "kernels_c/array/array.h"
#include "kernels_c/parsing/failure.h"
#include "kernels_c/parsing/features.h"

typedef enum field_kind {
  FIELD_SPARSE,
  FIELD_FIXED,  /* dense */
  FIELD_PADDED, /* dense, the first dimension of an example is as long as it needs to be */
  FIELD_RAGGED
} field_kind;

typedef struct field {
  field_kind kind;
  int32_t type, splits_type; /* the latter of ragged tensors */
  int rank;                  /* of a dense tensor, without the dimension of examples */
  int64_t dims[TFC_MAX_RANK];
  int64_t
      stride; /* elements of a value in a dense tensor: of a row, if the number of rows varies */
} field;

/* Immutable; in a kernel's state. */
typedef struct section {
  bool lists;   /* keys have lists of features, one for each step */
  bool lengths; /* outputs: the number of steps of each dense field */
  int n, n_sparse, n_dense, n_ragged;
  int output; /* the first of its outputs */
  field* fields;
  tfc_string* keys; /* those in attributes; NULL: they are inputs */
} section;

/* The names of the attributes that describe a section; NULL: there is no such attribute. */
typedef struct section_attrs {
  const char *sparse_types, *dense_types, *dense_shapes, *ragged_types, *split_types;
  const char *sparse_count, *dense_count;
  const char *sparse_keys, *dense_keys;
} section_attrs;

/* Reads a section; its outputs begin at s->output. Returns TFC_OK or a code. */
int section_create(tfc_construction* c, section* s, const section_attrs* attrs);
void section_destroy(section* s);
static inline int section_outputs(const section* s) {
  return 3 * s->n_sparse + (s->lengths ? 2 : 1) * s->n_dense + (s->lists ? 3 : 2) * s->n_ragged;
}

/* The output with a field's values. */
static inline int section_values(const section* s, int i) {
  const bool ragged = i >= s->n_sparse + s->n_dense;
  return s->output + (i < s->n_sparse ? 1 : 2) * s->n_sparse + i +
         (s->lengths && ragged ? s->n_dense : 0);
}

/* What an example has for a field. */
typedef struct found {
  wire_reader value; /* the message; after the first pass, the list of values of a feature */
  bool present;
  int64_t count; /* values */
  int64_t rows;  /* features in a list */
  int64_t at; /* the first of its values in the output, and of its rows: set between the passes */
  int64_t at_row;
} found;

/* A section in one run of the op. */
typedef struct part {
  const section* s;
  const tfc_string** keys;
  const tfc_tensor* const* defaults; /* of features: dense values of examples that lack them */
  const bool* may_lack;              /* of lists: whether an example may lack a dense field */
  key_index index;
  found* found; /* s->n for each example */
} part;

/* A batch, or a single example. */
typedef struct job {
  tfc_context* ctx;
  const tfc_string *serialized, *names; /* names: NULL if there are none */
  int64_t n;
  bool single; /* outputs lack the dimension of examples */
  part parts[2];
  int n_parts;
  failure failure;
} job;

/* A part with the keys in attributes. */
int part_of_attrs(job* j, const section* s, part* p);
/* A part whose keys are elements of vectors, from `input` on: sparse, dense, ragged, if the kernel
 * has those. */
int part_of_vectors(job* j, const section* s, int input, bool ragged, part* p);
/* A part whose keys are scalars: inputs from `sparse` on, and from `dense` on. */
int part_of_scalars(job* j, const section* s, int sparse, int dense, part* p);

/* Parses all examples and makes the outputs. The serialized examples, the names and the parts are
 * set. */
int job_run(job* j);

/* Records that an example fails. Returns false. */
bool job_fail(job* j, int64_t example, int code, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same, in a field; the text about a list begins with the number of the step. */
bool job_fail_field(job* j, const part* p, int64_t example, int field, const char* format, ...)
    __attribute__((format(printf, 5, 6)));

static inline const tfc_tensor* output_of(const job* j, int output) {
  return &j->ctx->outputs[output];
}

/* Makes the outputs of a sparse field with so many values; the rank is that of an index. */
int section_sparse(const job* j, const part* p, int i, int64_t total, int rank,
                   const int64_t* shape);
/* Row splits, of type int32 or int64: whether the last one fits, and element i. */
int section_splits(const job* j, int output, int64_t total);
void section_set_split(const job* j, int output, int64_t i, int64_t value);

/* Lists of features, in lists.c: the first pass, what is between the passes, the second one. */
bool lists_find(job* j, part* p, int64_t example);
int lists_outputs(job* j, part* p);
bool lists_store(job* j, part* p, int64_t example);

#endif /* TFCORE_PARSING_SECTION_H */
