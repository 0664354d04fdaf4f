/* The functions of datasets that have several. */
#ifndef TFCORE_DATASET_FUNCTIONS_H
#define TFCORE_DATASET_FUNCTIONS_H

#include "kernels_c/data/dataset.h"

typedef struct dataset_function {
  tfc_callable* callable;
  int n_arguments, n_results;
  int first_value, n_values; /* of the dataset's values, those it captures */
} dataset_function;

#pragma GCC visibility push(hidden)
/* A function from the attributes `name` and, for the types of what it captures, `types`. What it
 * captures begins at *first, which moves on. */
int tfc_function_read(tfc_construction* c, const char* name, const char* types, int* first,
                      dataset_function* f);
/* Whether it takes `given` values and those it captures. */
int tfc_function_check(tfc_construction* c, const dataset_function* f, const char* name, int given);
/* The dataset keeps a function of its kernel. */
void tfc_function_keep(const tfc_api* api, dataset_function* to, const dataset_function* from);
void tfc_function_drop(const tfc_api* api, const dataset_function* f);
/* Calls it with the first `given` arguments, after which there is room for what it captures. It
 * takes the arguments over. */
int tfc_function_call(const iterator* it, tfc_context* ctx, const dataset_function* f,
                      tfc_tensor* arguments, int given, tfc_tensor* results);
#pragma GCC visibility pop

#endif
