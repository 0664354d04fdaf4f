#include "kernels_c/data/functions.h"

TFC_ONE_LEVEL;

int tfc_function_read(tfc_construction* c, const char* name, const char* types, int* first,
                      dataset_function* f) {
  TFC_TRY(c->api->callable(c, name, &f->callable, &f->n_arguments, &f->n_results));
  TFC_TRY(c->api->attr_types(c, types, 0, NULL, &f->n_values));
  f->first_value = *first;
  *first += f->n_values;
  return TFC_OK;
}

int tfc_function_check(tfc_construction* c, const dataset_function* f, const char* name,
                       int given) {
  if (f->n_arguments == given + f->n_values) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT, "%s takes %d arguments, but gets %d", name,
                       f->n_arguments, given + f->n_values);
}

void tfc_function_keep(const tfc_api* api, dataset_function* to, const dataset_function* from) {
  *to = *from;
  tfc_hold_callable(api, from->callable);
}

void tfc_function_drop(const tfc_api* api, const dataset_function* f) {
  if (f->callable) tfc_drop_callable(api, f->callable);
}

int tfc_function_call(const iterator* it, tfc_context* ctx, const dataset_function* f,
                      tfc_tensor* arguments, int given, tfc_tensor* results) {
  for (int i = 0; i < f->n_values; i++)
    tfc_hold(it->api, &arguments[given + i], &it->dataset->values[f->first_value + i]);
  return tfc_invoke(ctx, f->callable, arguments, results);
}
