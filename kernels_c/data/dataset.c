#include "kernels_c/data/dataset.h"

#include <time.h>

TFC_ONE_LEVEL;

/* ---- Dataset objects */

void dataset_destroy(void* object) {
  dataset* d = object;
  if (!d->kind) return;
  if (d->kind->destroy) d->kind->destroy(d);
  for (int i = 0; d->inputs && i < d->n_inputs; i++) tfc_let_go(d->handle.api, &d->inputs[i]);
  for (int i = 0; d->values && i < d->n_values; i++) tfc_let_go(d->handle.api, &d->values[i]);
  free(d->inputs);
  free(d->values);
  free(d->op_name);
  if (d->function) tfc_drop_callable(d->handle.api, d->function);
}

void dataset_visit(void* object, void (*fn)(void* arg, const tfc_tensor* value), void* arg) {
  dataset* d = object;
  for (int i = 0; d->values && i < d->n_values; i++) fn(arg, &d->values[i]);
}

const tfc_handle_kind tfc_dataset_handle = {"Dataset", {0, dataset_destroy, dataset_visit}};

void dataset_note_name(const tfc_construction* c, dataset_form* form) {
  size_t size = strlen(c->op_name);
  size_t left_out = size < sizeof form->op_name ? 0 : size - sizeof form->op_name + 1;
  memcpy(form->op_name, c->op_name + left_out, size - left_out + 1);
}

int dataset_create_plain(tfc_construction* c, void** state) {
  dataset_form* form = calloc(1, sizeof *form);
  *state = form;
  if (!form) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  dataset_note_name(c, form);
  return TFC_OK;
}

int dataset_read_flag(tfc_construction* c, const char* name, void** state) {
  int code = c->api->attr_bool(c, name, &((dataset_form*)*state)->flag);
  if (code) {
    free(*state);
    *state = NULL;
  }
  return code;
}

int dataset_create_with_flag(tfc_construction* c, const char* name, void** state) {
  TFC_TRY(dataset_create_plain(c, state));
  return dataset_read_flag(c, name, state);
}

int dataset_create_calling(tfc_construction* c, const char* name, void** state) {
  dataset_form* form;
  TFC_TRY(dataset_create_plain(c, (void**)&form));
  int code = c->api->attr_types(c, "output_types", 0, NULL, &form->n_components);
  if (!code)
    code = c->api->callable(c, name, &form->function, &form->n_arguments, &form->n_results);
  if (code) {
    free(form);
    return code;
  }
  *state = form;
  return TFC_OK;
}

int dataset_create_with_function(tfc_construction* c, void** state) {
  return dataset_create_calling(c, "f", state);
}

int dataset_create_map(tfc_construction* c, void** state) {
  TFC_TRY(dataset_create_with_function(c, state));
  return dataset_read_flag(c, "preserve_cardinality", state);
}

/* Copies references to n inputs. */
static int keep(tfc_context* ctx, int first, int n, tfc_tensor** kept) {
  *kept = calloc((size_t)n + 1, sizeof **kept);
  if (!*kept) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a dataset");
  for (int i = 0; i < n; i++) TFC_TRY(tfc_keep(ctx, &(*kept)[i], ctx->inputs[first + i]));
  return TFC_OK;
}

int dataset_new(tfc_context* ctx, const dataset_kind* kind, int n_inputs, int first_value,
                int n_values, void** made) {
  const dataset_form* form = ctx->state;
  dataset* d;
  TFC_TRY(tfc_output_object(ctx, 0, &kind->object, (void**)&d));
  d->handle.kind = &tfc_dataset_handle;
  d->handle.api = ctx->api;
  d->kind = kind;
  d->op_name = strdup(form->op_name);
  if (form->function) {
    tfc_hold_callable(ctx->api, form->function);
    d->function = form->function;
  }
  d->flag = form->flag;
  d->n_inputs = n_inputs;
  TFC_TRY(keep(ctx, 0, n_inputs, &d->inputs));
  dataset* input;
  for (int i = 0; i < n_inputs; i++) TFC_TRY(dataset_get(ctx, &d->inputs[i], &input));
  d->n_values = n_values;
  TFC_TRY(keep(ctx, first_value, n_values, &d->values));
  d->n_components = n_inputs ? dataset_width(d) : n_values;
  *made = d;
  return TFC_OK;
}

int dataset_width(const dataset* d) {
  return ((const dataset*)d->inputs[0].data)->n_components;
}

/* Computed once: many datasets may have the same one among their inputs, on many ways. */
int64_t dataset_cardinality(dataset* d) {
  uint64_t known = __atomic_load_n(&d->cardinality, __ATOMIC_RELAXED);
  if (!known) {
    int64_t n = d->kind->cardinality ? d->kind->cardinality(d) : UNKNOWN;
    known = (uint64_t)n - (uint64_t)UNKNOWN + 1;
    __atomic_store_n(&d->cardinality, known, __ATOMIC_RELAXED);
  }
  return (int64_t)(known + (uint64_t)UNKNOWN - 1);
}

static void note_all(dataset* d, bool back, int64_t walk) {
  if (__atomic_exchange_n(&d->walk, walk, __ATOMIC_RELAXED) == walk) return;
  if (d->kind->note) d->kind->note(d, back);
  for (int i = 0; i < d->n_inputs; i++) note_all(d->inputs[i].data, back, walk);
  for (int i = 0; i < d->n_values; i++) { /* what its function captures */
    dataset* captured = d->values[i].data;
    if (d->values[i].dtype == TFC_VARIANT && d->values[i].n == 1 &&
        captured->handle.kind == &tfc_dataset_handle)
      note_all(captured, back, walk);
  }
}

void dataset_note(dataset* d, bool back) {
  static int64_t walks;
  note_all(d, back, __atomic_add_fetch(&walks, 1, __ATOMIC_RELAXED));
}

int64_t dataset_cardinality_of_input(const dataset* d) {
  return dataset_cardinality(d->inputs[0].data);
}

int64_t dataset_cardinality_if_endless(const dataset* d) {
  for (int i = 0; i < d->n_inputs; i++)
    if (dataset_cardinality(d->inputs[i].data) == ENDLESS) return ENDLESS;
  return UNKNOWN;
}

int64_t dataset_cardinality_of_map(const dataset* d) {
  return d->flag ? dataset_cardinality_of_input(d) : UNKNOWN;
}

int dataset_get(tfc_context* ctx, const tfc_tensor* t, dataset** d) {
  if (t->dtype == TFC_VARIANT && t->n == 1) {
    *d = t->data;
    if ((*d)->handle.kind == &tfc_dataset_handle) return TFC_OK;
  }
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "The Variant type must be a dataset");
}

static int scalar(tfc_context* ctx, int input, const char* name) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be a scalar", name);
  return TFC_OK;
}

int dataset_int(tfc_context* ctx, int input, const char* name, int64_t* value) {
  TFC_TRY(scalar(ctx, input, name));
  *value = tfc_index_at(ctx->inputs[input], 0);
  return TFC_OK;
}

int dataset_bool(tfc_context* ctx, int input, const char* name, bool* value) {
  TFC_TRY(scalar(ctx, input, name));
  *value = *(const bool*)ctx->inputs[input]->data;
  return TFC_OK;
}

/* ---- Datasets that are made of two */

int dataset_make_of(tfc_context* ctx, tfc_compute_fn make, const tfc_tensor* const* inputs, int n) {
  const tfc_context outer = *ctx;
  dataset_form form = *(const dataset_form*)ctx->state;
  form.function = NULL; /* it is the inner one's */
  form.flag = false;
  ctx->inputs = inputs;
  ctx->n_inputs = n;
  ctx->state = &form;
  int code = make(ctx);
  *ctx = outer;
  return code;
}

int dataset_make_inner(tfc_context* ctx, tfc_compute_fn make, const tfc_tensor* const* inputs,
                       int n, tfc_tensor* made) {
  const tfc_context outer = *ctx;
  *made = (tfc_tensor){.dtype = TFC_VARIANT};
  ctx->inputs = inputs;
  ctx->n_inputs = n;
  ctx->outputs = made;
  int code = make(ctx);
  *ctx = outer;
  if (code) tfc_let_go(ctx->api, made);
  return code;
}

/* ---- DummySeedGenerator, DummyMemoryCache: handles for datasets that share nothing */

static void destroy_unshared(void* object) {
  (void)object;
}

static const tfc_handle_kind unshared_kind = {"seed generator or memory cache that is a dummy",
                                              {sizeof(tfc_handle), destroy_unshared, NULL}};

int dataset_make_unshared(tfc_context* ctx) {
  void* made;
  return tfc_handle_new(ctx, 0, &unshared_kind, &made);
}

int dataset_check_unshared(tfc_context* ctx, int input) {
  void* found;
  return tfc_handle_get(ctx, input, &unshared_kind, &found);
}

/* ---- Iterators */

void* iterator_allocate(tfc_context* ctx, size_t n, size_t size) {
  void* p = calloc(n ? n : 1, size);
  if (!p) tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the elements of a dataset");
  return p;
}

int iterator_check(tfc_context* ctx) {
  if (!tfc_cancelled(ctx)) return TFC_OK;
  return tfc_error(ctx, TFC_CANCELLED, "The step was cancelled.");
}

void element_row(const tfc_api* api, tfc_tensor* out, const tfc_tensor* from, int64_t row) {
  tfc_hold(api, out, from);
  out->n = from->n / from->dims[0];
  out->data = (char*)from->data + (size_t)(row * out->n) * tfc_dtype_size(from->dtype);
  out->rank = from->rank - 1;
  memcpy(out->dims, from->dims + 1, (size_t)out->rank * sizeof *out->dims);
}

void iterator_wait_init(pthread_cond_t* condition) {
  pthread_condattr_t attr;
  pthread_condattr_init(&attr);
  pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &attr);
  pthread_condattr_destroy(&attr);
}

void iterator_wait(pthread_cond_t* condition, pthread_mutex_t* lock) {
  enum { CHECK_NS = 10000000, SECOND = 1000000000 };
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += CHECK_NS;
  if (until.tv_nsec >= SECOND) until.tv_sec++, until.tv_nsec -= SECOND;
  pthread_cond_timedwait(condition, lock, &until);
}

int tfc_hand_on_error(tfc_context* ctx, tfc_context* inner, int code) {
  char* text = NULL;
  int found = tfc_take_error(inner, &text);
  tfc_error(ctx, found ? found : code, "%s", text ? text : "no memory for the text of an error");
  free(text);
  return found ? found : code;
}

void iterator_drop(const tfc_api* api, tfc_tensor* element, int n) {
  for (int i = 0; i < n; i++) tfc_let_go(api, &element[i]);
}

int iterator_open(tfc_context* ctx, const tfc_tensor* variant, iterator** made) {
  dataset* d = NULL;
  *made = NULL;
  TFC_TRY(dataset_get(ctx, variant, &d));
  iterator* it = iterator_allocate(ctx, 1, d->kind->iterator_bytes);
  if (!it) return TFC_RESOURCE_EXHAUSTED;
  it->api = ctx->api;
  it->dataset = d;
  tfc_hold(ctx->api, &it->owner, variant);
  int code = d->kind->open ? d->kind->open(it, ctx) : TFC_OK;
  if (code) {
    iterator_close(it);
    return code;
  }
  *made = it;
  return TFC_OK;
}

void iterator_close(iterator* it) {
  if (!it) return;
  if (it->dataset->kind->close) it->dataset->kind->close(it);
  iterator_close(it->input);
  if (it->element) iterator_drop(it->api, it->element, it->n_element);
  free(it->element);
  tfc_let_go(it->api, &it->owner);
  free(it);
}

int iterator_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  if (!it) return tfc_error(ctx, TFC_DATA_LOSS, "An iterator was restored without its input");
  *end = it->ended;
  if (it->ended) return TFC_OK;
  int code = it->dataset->kind->next(it, ctx, out, end);
  if (code) *end = false;      /* there may be more after an error */
  if (!code) it->ended = *end; /* with an error, the kind may have set it */
  return code;
}

int iterator_open_input(iterator* it, tfc_context* ctx) {
  const dataset* d = it->dataset;
  TFC_TRY(iterator_open(ctx, &d->inputs[0], &it->input));
  it->n_element = dataset_width(d) + (d->function ? d->n_values : 0);
  it->element = iterator_allocate(ctx, (size_t)it->n_element, sizeof *it->element);
  return it->element ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

int iterator_call(iterator* it, tfc_context* ctx, tfc_tensor* out) {
  const dataset* d = it->dataset;
  for (int i = 0, first = it->n_element - d->n_values; i < d->n_values; i++)
    tfc_hold(ctx->api, &it->element[first + i], &d->values[i]);
  return tfc_invoke(ctx, d->function, it->element, out);
}

int iterator_truth(iterator* it, tfc_context* ctx, tfc_tensor* result, bool* value) {
  int code = TFC_OK;
  if (result->dtype != TFC_BOOL || result->rank)
    code = tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Filter predicate `predicate` must return a scalar bool.");
  *value = !code && *(const bool*)result->data;
  tfc_let_go(it->api, result);
  return code;
}
