/* Datasets and their iterators.
 *
 * A dataset is an object behind a tensor of type variant. It never changes, except for what all its
 * iterators share (a cache, the seeds of shuffles). An iterator is a pipeline of stages: one for
 * each dataset that a dataset is made from. `iterator_next` moves one element out of it.
 *
 * An element is an array of tensors, its components. Elements move by reference; each tensor of an
 * element is a reference that its holder has to drop or hand on. A stage trusts no type or shape
 * that an operation declares: it goes by the tensors.
 *
 * Every call for an iterator gets an inner context, in which errors are recorded. After an error
 * the next call tries the next element.
 */
#ifndef TFCORE_DATASET_H
#define TFCORE_DATASET_H

#include <pthread.h>
#include <stdlib.h>

#include "kernels_c/common/handle.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/statistics.h"

typedef struct dataset dataset;
typedef struct iterator iterator;
typedef struct position position;

enum { ENDLESS = -1, UNKNOWN = -2 };

typedef struct dataset_kind {
  const char* name;       /* for messages */
  tfc_object_type object; /* DATASET_OBJECT(type of the dataset) */
  size_t iterator_bytes;  /* of an iterator */
  /* Opens the iterators of the inputs, for example. NULL: nothing. If it fails, close is called. */
  int (*open)(iterator*, tfc_context*);
  /* Fills `out`, whose tensors have no memory, or sets *end. It is not called again after an end.
   */
  int (*next)(iterator*, tfc_context*, tfc_tensor* out, bool* end);
  /* Saves or restores the iterator's state: see position.h. NULL: it can't be saved. */
  int (*position)(iterator*, position*);
  /* The number of elements, ENDLESS or UNKNOWN; NULL: UNKNOWN. */
  int64_t (*cardinality)(const dataset*);
  /* NULL: nothing but `input` and `element` to free. */
  void (*close)(iterator*);
  /* Of a dataset, which may be half made. NULL: nothing of its own. */
  void (*destroy)(dataset*);
  /* Notes what opening iterators changes in the dataset; back: it is again as it was noted. NULL:
   * nothing changes. */
  void (*note)(dataset*, bool back);
} dataset_kind;

#define DATASET_OBJECT(TYPE) {sizeof(TYPE), dataset_destroy, dataset_visit}

/* The first member of each dataset. */
struct dataset {
  tfc_handle handle;
  const dataset_kind* kind;
  int n_components;
  int n_inputs; /* the datasets that it is made from */
  int n_values; /* tensors: what a function captures, or the data itself */
  tfc_tensor* inputs;
  tfc_tensor* values;
  tfc_callable* function; /* NULL: none */
  bool flag;              /* that of its kernel */
  stage_counts* counts;   /* a part of the dataset; NULL: it has none */
  uint64_t cardinality;   /* atomic: 1 + cardinality - UNKNOWN; 0: it was not computed yet */
  int64_t walk;           /* atomic: the last one that came by */
  char* op_name;          /* NULL: not known */
};

/* The first member of each iterator; all of it is zero before `open`. */
struct iterator {
  const tfc_api* api;
  dataset* dataset;
  tfc_tensor owner;    /* keeps the dataset */
  iterator* input;     /* of the first input, if `open` has opened it */
  tfc_tensor* element; /* room for an element of `input` and the function's captured values */
  int n_element;
  bool ended;
};

#pragma GCC visibility push(hidden)
extern const tfc_handle_kind tfc_dataset_handle;
void dataset_destroy(void* object);
void dataset_visit(void* object, void (*fn)(void* arg, const tfc_tensor* value), void* arg);

/* ---- Kernels of datasets (dataset.c) */

/* The state of a kernel. */
typedef struct dataset_form {
  int n_components; /* by the attribute output_types */
  bool flag;        /* of those with such an attribute */
  tfc_callable* function;
  int n_arguments, n_results; /* of the function */
  char op_name[100];          /* its end, if it is longer */
} dataset_form;

/* create() of kernels without a function. */
int dataset_create_plain(tfc_construction* c, void** state);
/* For states that begin with a form and are made otherwise. */
void dataset_note_name(const tfc_construction* c, dataset_form* form);
/* Reads an attribute of type bool into the flag of a state that begins with a form; if that fails,
 * it frees the state. */
int dataset_read_flag(tfc_construction* c, const char* name, void** state);
/* Of those with one attribute of type bool. */
int dataset_create_with_flag(tfc_construction* c, const char* name, void** state);
/* Of those with the attribute output_types and a function f. */
int dataset_create_with_function(tfc_construction* c, void** state);
/* Of those whose flag says that the function keeps the number of elements. */
int dataset_create_map(tfc_construction* c, void** state);
/* With a function of another name. */
int dataset_create_calling(tfc_construction* c, const char* name, void** state);
/* Output 0 is a dataset, zeroed but for the header. It is made from the first n_inputs inputs and
 * keeps n_values more, from input `first_value`. Its elements have as many components as those of
 * its first input, or as it has values. */
int dataset_new(tfc_context* ctx, const dataset_kind* kind, int n_inputs, int first_value,
                int n_values, void** made);
int64_t dataset_cardinality(dataset* d);
int64_t dataset_cardinality_of_input(const dataset* d);
/* ENDLESS if an input is, otherwise UNKNOWN. */
int64_t dataset_cardinality_if_endless(const dataset* d);
/* That of a function that keeps the number of elements, if its flag says so. */
int64_t dataset_cardinality_of_map(const dataset* d);
/* The number of components of its first input. */
int dataset_width(const dataset* d);
/* Before iterators of the dataset are opened that may fail to be restored, and then, `back`, when
 * they have failed: what they share, also with others, is as before. */
void dataset_note(dataset* d, bool back);
/* The dataset behind a variant. */
int dataset_get(tfc_context* ctx, const tfc_tensor* t, dataset** d);
/* A scalar input: int64, bool. */
int dataset_int(tfc_context* ctx, int input, const char* name, int64_t* value);
int dataset_bool(tfc_context* ctx, int input, const char* name, bool* value);
/* Calls the compute function of another dataset's kernel with these inputs: what it makes is the
 * output. */
int dataset_make_of(tfc_context* ctx, tfc_compute_fn make, const tfc_tensor* const* inputs, int n);
/* *made, to be let go, takes the place of the output. After an error it is nothing. */
int dataset_make_inner(tfc_context* ctx, tfc_compute_fn make, const tfc_tensor* const* inputs,
                       int n, tfc_tensor* made);
/* For these: the inputs are a dataset and batch_size; if there are more, drop_remainder is last. */
int tfc_make_batch(tfc_context* ctx);
/* A dataset and count. */
int tfc_make_repeat(tfc_context* ctx);
/* What datasets may share: a handle that says that nobody shares it, as output 0 and as an input.
 */
int dataset_make_unshared(tfc_context* ctx);
int dataset_check_unshared(tfc_context* ctx, int input);

/* ---- Iterators (dataset.c) */

int iterator_open(tfc_context* ctx, const tfc_tensor* variant, iterator** it);
/* NULL: nothing. */
void iterator_close(iterator* it);
int iterator_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end);
/* An open(): opens `input`, and makes room for its elements. */
int iterator_open_input(iterator* it, tfc_context* ctx);
/* Calls the dataset's function with the element of the input that is in `element`. */
int iterator_call(iterator* it, tfc_context* ctx, tfc_tensor* out);
/* The value of a result of a predicate, which is dropped; false after an error. */
int iterator_truth(iterator* it, tfc_context* ctx, tfc_tensor* result, bool* value);
void iterator_drop(const tfc_api* api, tfc_tensor* element, int n);
static inline void element_move(tfc_tensor* to, tfc_tensor* from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
  for (int i = 0; i < n; i++) from[i].buffer = NULL;
}
/* TFC_CANCELLED if the step is: for loops over elements. */
int iterator_check(tfc_context* ctx);
/* Row `row` of a tensor that has it, without a copy. */
void element_row(const tfc_api* api, tfc_tensor* out, const tfc_tensor* from, int64_t row);
/* Conditions that are waited for with the lock, at most for as long as a cancellation may go
 * unnoticed. */
void iterator_wait_init(pthread_cond_t* condition);
void iterator_wait(pthread_cond_t* condition, pthread_mutex_t* lock);
enum { END_WAITS = 300 }; /* how often an end is waited for: 3 s, as functions may take any time */
/* The error of an inner context becomes that of the kernel around it. */
int tfc_hand_on_error(tfc_context* ctx, tfc_context* inner, int code);
/* While others count. */
void stage_counts_read(const stage_counts* counts, stage_counts* to);
/* Zeroed; after an error NULL, and the error is set. */
void* iterator_allocate(tfc_context* ctx, size_t n, size_t size);
#pragma GCC visibility pop

#endif /* TFCORE_DATASET_H */
