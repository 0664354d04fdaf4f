/* HashTable, MutableHashTable, MutableHashTableOfTensors, MutableDenseHashTable, and the ops that
 * use them. Tables are shared by many threads: those that only look something up do not wait for
 * each other.
 *
 * The ops with "V2" in their names differ from the others in the type of the handle in graphs only:
 * the compiler makes all handles resources.
 */
#include "kernels_c/state/lookup.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/text.h"

TFC_ONE_LEVEL;

static const tfc_handle_kind handle_kind = TFC_RESOURCE_KIND("Table", NULL);

/* ---- Making a table. */

static int64_t size_of_shape(const lookup_shape* shape) {
  return tfc_count(shape->rank, shape->dims);
}

static void destroy_table(void* object) {
  lookup_table* t = object;
  lookup_map_clear(&t->map);
  lookup_map_clear(&t->forbidden);
  pthread_rwlock_destroy(&t->lock);
  free(t->name);
  free(t);
}

/* Takes the name over. */
static void* make_table(void* arg) {
  lookup_table* form = arg;
  lookup_table* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  *t = *form;
  form->name = NULL;
  pthread_rwlock_init(&t->lock, NULL);
  t->ready = t->kind == LOOKUP_MUTABLE || t->kind == LOOKUP_TENSORS;
  lookup_map_begin(&t->map, t->key_dtype, 1, t->value_dtype, size_of_shape(&t->value_shape));
  lookup_map_begin(&t->forbidden, t->key_dtype, 1, TFC_BOOL, 0);
  return t;
}

static int read_value_shape(tfc_construction* c, lookup_table* form) {
  if (form->kind != LOOKUP_TENSORS && form->kind != LOOKUP_DENSE) return TFC_OK;
  lookup_shape* shape = &form->value_shape;
  TFC_TRY(c->api->attr_shape(c, "value_shape", &shape->rank, shape->dims));
  if (form->kind == LOOKUP_TENSORS && shape->rank != 1)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Default value must be a vector, got shape %s",
                         tfc_dims_text(TFC_MAX(shape->rank, 0), shape->dims).text);
  if (shape->rank < 0 || shape->rank > 1)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Empty value must be a scalar or a vector, got shape %s",
                         tfc_dims_text(TFC_MAX(shape->rank, 0), shape->dims).text);
  if (size_of_shape(shape) < 0)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "The shape of values must be known, got %s",
                         tfc_dims_text(shape->rank, shape->dims).text);
  return TFC_OK;
}

static int read_load_factor(tfc_construction* c) {
  double factor;
  int64_t buckets;
  TFC_TRY(c->api->attr_float(c, "max_load_factor", &factor));
  TFC_TRY(c->api->attr_int(c, "initial_num_buckets", &buckets));
  if (!(factor > 0 && factor < 1))
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "max_load_factor must be between 0 and 1, got: %g", factor);
  if (buckets < 4 || (buckets & (buckets - 1)))
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Number of buckets must be at least 4 and a power of 2, got: %lld",
                         (long long)buckets);
  return TFC_OK;
}

static int read_form(tfc_construction* c, lookup_table* form) {
  TFC_TRY(c->api->attr_type(c, "key_dtype", &form->key_dtype));
  TFC_TRY(c->api->attr_type(c, "value_dtype", &form->value_dtype));
  TFC_TRY(read_value_shape(c, form));
  if (form->kind == LOOKUP_DENSE) TFC_TRY(read_load_factor(c));
  return tfc_resource_name(c, &form->name);
}

static int find_table(tfc_construction* c, lookup_table* form, void** state) {
  const char* container;
  size_t size;
  lookup_table* t;
  TFC_TRY(c->api->attr_string(c, "container", &container, &size));
  TFC_TRY(read_form(c, form));
  TFC_TRY(c->api->resource(c, "table", container, form->name, make_table, form, destroy_table,
                           (void**)&t));
  if (t->key_dtype != form->key_dtype || t->value_dtype != form->value_dtype)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Conflicting key/value dtypes %s->%s with %s-%s for table %s",
                         tfc_dtype_name(form->key_dtype), tfc_dtype_name(form->value_dtype),
                         tfc_dtype_name(t->key_dtype), tfc_dtype_name(t->value_dtype), t->name);
  if (t->kind != form->kind || size_of_shape(&t->value_shape) != size_of_shape(&form->value_shape))
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Table '%s' exists already, but it is not the %s that '%s' requests",
                         t->name, c->op_type, c->op_name);
  *state = t;
  return TFC_OK;
}

/* The state is the table. */
static int create(tfc_construction* c, lookup_kind kind, void** state) {
  lookup_table form = {.kind = kind};
  const int code = find_table(c, &form, state);
  free(form.name);
  return code;
}
static int create_static(tfc_construction* c, void** state) {
  return create(c, LOOKUP_STATIC, state);
}
static int create_mutable(tfc_construction* c, void** state) {
  return create(c, LOOKUP_MUTABLE, state);
}
static int create_tensors(tfc_construction* c, void** state) {
  return create(c, LOOKUP_TENSORS, state);
}
static int create_dense(tfc_construction* c, void** state) {
  return create(c, LOOKUP_DENSE, state);
}

static int no_memory(tfc_context* ctx) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the entries of a table");
}

/* With the lock: the inputs are the empty key and, in V2, the deleted one. */
static int set_special_keys(tfc_context* ctx, lookup_table* t) {
  const tfc_tensor* empty = ctx->inputs[0];
  const bool nothing = false;
  if (t->ready) return TFC_OK;
  if (empty->rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Empty key must be a scalar or a vector, got shape %s",
                     tfc_shape_text(empty).text);
  t->key_shape.rank = empty->rank;
  t->key_shape.dims[0] = empty->dims[0];
  lookup_map_begin(&t->map, t->key_dtype, empty->n, t->value_dtype, t->map.values.width);
  lookup_map_begin(&t->forbidden, t->key_dtype, empty->n, TFC_BOOL, 0);
  for (int i = 0; i < ctx->n_inputs; i++) {
    if (!tfc_same_shape(ctx->inputs[i], empty))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Empty and deleted keys must have same shape, got shapes: %s and %s",
                       tfc_shape_text(empty).text, tfc_shape_text(ctx->inputs[i]).text);
    if (lookup_map_find(&t->forbidden, ctx->inputs[i]->data, 0) >= 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Empty and deleted keys cannot be equal");
    if (!lookup_map_put(&t->forbidden, ctx->inputs[i]->data, 0, &nothing, 0)) return no_memory(ctx);
  }
  t->ready = true;
  return TFC_OK;
}

static int compute_handle(tfc_context* ctx) {
  lookup_table* t = ctx->state;
  if (t->kind == LOOKUP_DENSE) {
    pthread_rwlock_wrlock(&t->lock);
    const int code = set_special_keys(ctx, t);
    if (code) lookup_map_clear(&t->forbidden);
    pthread_rwlock_unlock(&t->lock);
    if (code) return code;
  }
  return tfc_resource_handle_new(ctx, &handle_kind);
}

/* ---- Checks. */

static int find(tfc_context* ctx, lookup_table** t) {
  return tfc_resource_handle_get(ctx, &handle_kind, (void**)t);
}

static int check_types(tfc_context* ctx, const lookup_table* t, int32_t key, int32_t value) {
  if (t->key_dtype == key && t->value_dtype == value) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Conflicting key/value dtypes %s->%s with %s-%s for table %s",
                   tfc_dtype_name(key), tfc_dtype_name(value), tfc_dtype_name(t->key_dtype),
                   tfc_dtype_name(t->value_dtype), t->name);
}

static int check_ready(tfc_context* ctx, const lookup_table* t) {
  if (t->ready) return TFC_OK;
  return tfc_error(ctx, TFC_FAILED_PRECONDITION, "Table not initialized.");
}

/* The dimensions of keys before those of one key: there is one value for each index of them. */
static int check_keys(tfc_context* ctx, const lookup_table* t, const tfc_tensor* keys,
                      lookup_shape* outer) {
  const lookup_shape* one = &t->key_shape;
  bool ok = keys->rank >= one->rank;
  for (int d = 0; d < one->rank && ok; d++)
    ok = keys->dims[keys->rank - one->rank + d] == one->dims[d];
  if (!ok)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input key shape %s must end with the table's key shape %s",
                     tfc_shape_text(keys).text, tfc_dims_text(one->rank, one->dims).text);
  outer->rank = keys->rank - one->rank;
  memcpy(outer->dims, keys->dims, (size_t)outer->rank * sizeof *outer->dims);
  return TFC_OK;
}

static int append_value_shape(tfc_context* ctx, const lookup_table* t, lookup_shape* shape) {
  if (shape->rank + t->value_shape.rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "values of rank %d are not supported (at most %d)",
                     shape->rank + t->value_shape.rank, TFC_MAX_RANK);
  for (int d = 0; d < t->value_shape.rank; d++) shape->dims[shape->rank++] = t->value_shape.dims[d];
  return TFC_OK;
}

static bool has_shape(const tfc_tensor* x, const lookup_shape* shape) {
  bool ok = x->rank == shape->rank;
  for (int d = 0; d < shape->rank && ok; d++) ok = x->dims[d] == shape->dims[d];
  return ok;
}

/* The number of keys in input 1, with values in input 2. */
static int check_entries(tfc_context* ctx, const lookup_table* t, int64_t* n) {
  lookup_shape shape;
  TFC_TRY(check_types(ctx, t, ctx->inputs[1]->dtype, ctx->inputs[2]->dtype));
  TFC_TRY(check_keys(ctx, t, ctx->inputs[1], &shape));
  *n = tfc_count(shape.rank, shape.dims);
  TFC_TRY(append_value_shape(ctx, t, &shape));
  if (has_shape(ctx->inputs[2], &shape)) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected shape %s for value, got %s",
                   tfc_dims_text(shape.rank, shape.dims).text, tfc_shape_text(ctx->inputs[2]).text);
}

static int check_allowed(tfc_context* ctx, const lookup_table* t, const tfc_tensor* keys,
                         int64_t i) {
  const int64_t which =
      t->kind == LOOKUP_DENSE ? lookup_map_find(&t->forbidden, keys->data, i) : -1;
  if (which < 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Using the %s as a table key is not allowed",
                   which ? "deleted_key" : "empty_key");
}

/* ---- Looking up. */

/* Copies a row of values to row `i` of an output. */
static int copy_value(tfc_context* ctx, tfc_tensor* out, int64_t i, const void* from, int64_t row,
                      int64_t width) {
  if (out->dtype == TFC_STRING) {
    const tfc_string* s = (const tfc_string*)from + row * width;
    for (int64_t k = 0; k < width; k++)
      TFC_TRY(tfc_string_set(ctx, out, i * width + k, s[k].data ? s[k].data : "", s[k].size));
    return TFC_OK;
  }
  const size_t bytes = (size_t)width * tfc_dtype_size(out->dtype);
  if (bytes)
    memcpy((char*)out->data + (size_t)i * bytes, (const char*)from + (size_t)row * bytes, bytes);
  return TFC_OK;
}

/* With the lock for reading. */
static int look_up(tfc_context* ctx, const lookup_table* t) {
  const tfc_tensor *keys = ctx->inputs[1], *otherwise = ctx->inputs[2];
  const int64_t width = t->map.values.width;
  lookup_shape shape;
  TFC_TRY(check_ready(ctx, t));
  TFC_TRY(check_keys(ctx, t, keys, &shape));
  const int64_t n = tfc_count(shape.rank, shape.dims);
  TFC_TRY(append_value_shape(ctx, t, &shape));
  if (!has_shape(otherwise, &t->value_shape))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected shape %s for default value, got %s",
                     tfc_dims_text(t->value_shape.rank, t->value_shape.dims).text,
                     tfc_shape_text(otherwise).text);
  TFC_TRY(tfc_output(ctx, 0, shape.rank, shape.dims));
  for (int64_t i = 0; i < n; i++) {
    TFC_TRY(check_allowed(ctx, t, keys, i));
    const int64_t entry = lookup_map_find(&t->map, keys->data, i);
    const void* from = entry < 0 ? otherwise->data : t->map.values.data;
    TFC_TRY(copy_value(ctx, &ctx->outputs[0], i, from, TFC_MAX(entry, 0), width));
  }
  return TFC_OK;
}

static int compute_find(tfc_context* ctx) {
  lookup_table* t = NULL;
  TFC_TRY(find(ctx, &t));
  TFC_TRY(check_types(ctx, t, ctx->inputs[1]->dtype, ctx->outputs[0].dtype));
  pthread_rwlock_rdlock(&t->lock);
  const int code = look_up(ctx, t);
  pthread_rwlock_unlock(&t->lock);
  return code;
}

static int compute_size(tfc_context* ctx) {
  lookup_table* t = NULL;
  TFC_TRY(find(ctx, &t));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  pthread_rwlock_rdlock(&t->lock);
  *(int64_t*)ctx->outputs[0].data = t->map.n;
  pthread_rwlock_unlock(&t->lock);
  return TFC_OK;
}

static int export_column(tfc_context* ctx, int output, const lookup_column* c, int64_t n,
                         const lookup_shape* one) {
  int64_t dims[2] = {n, one->rank ? one->dims[0] : 1};
  TFC_TRY(tfc_output(ctx, output, 1 + one->rank, dims));
  for (int64_t i = 0; i < n; i++)
    TFC_TRY(copy_value(ctx, &ctx->outputs[output], i, c->data, i, c->width));
  return TFC_OK;
}

/* With the lock for reading. */
static int export(tfc_context* ctx, const lookup_table* t) {
  if (!t->ready) return tfc_error(ctx, TFC_ABORTED, "HashTable is not initialized.");
  TFC_TRY(export_column(ctx, 0, &t->map.keys, t->map.n, &t->key_shape));
  return export_column(ctx, 1, &t->map.values, t->map.n, &t->value_shape);
}

static int compute_export(tfc_context* ctx) {
  lookup_table* t = NULL;
  TFC_TRY(find(ctx, &t));
  TFC_TRY(check_types(ctx, t, ctx->outputs[0].dtype, ctx->outputs[1].dtype));
  pthread_rwlock_rdlock(&t->lock);
  const int code = export(ctx, t);
  pthread_rwlock_unlock(&t->lock);
  return code;
}

/* ---- Changing. */

static int want_mutable(tfc_context* ctx, const lookup_table* t, const char* what) {
  if (t->kind != LOOKUP_STATIC) return TFC_OK;
  return tfc_error(ctx, TFC_UNIMPLEMENTED,
                   "%s not supported by InitializableLookupTable implementations", what);
}

/* With the lock. m: the table's map, or one that is to replace it. skip: leaves special keys out;
 * an exported table of TensorFlow has them. */
static int put_all(tfc_context* ctx, const lookup_table* t, lookup_map* m, int64_t n, bool skip) {
  const tfc_tensor *keys = ctx->inputs[1], *values = ctx->inputs[2];
  for (int64_t i = 0; i < n; i++) {
    if (skip && lookup_map_find(&t->forbidden, keys->data, i) >= 0) continue;
    TFC_TRY(check_allowed(ctx, t, keys, i));
    if (!lookup_map_put(m, keys->data, i, values->data, i)) return no_memory(ctx);
  }
  return TFC_OK;
}

static int compute_insert(tfc_context* ctx) {
  lookup_table* t = NULL;
  int64_t n;
  TFC_TRY(find(ctx, &t));
  TFC_TRY(want_mutable(ctx, t, "Insert"));
  pthread_rwlock_wrlock(&t->lock);
  int code = check_entries(ctx, t, &n);
  if (!code) code = put_all(ctx, t, &t->map, n, false);
  pthread_rwlock_unlock(&t->lock);
  return code;
}

/* With the lock. */
static int remove_all(tfc_context* ctx, lookup_table* t) {
  const tfc_tensor* keys = ctx->inputs[1];
  lookup_shape shape;
  TFC_TRY(check_types(ctx, t, keys->dtype, t->value_dtype));
  TFC_TRY(check_keys(ctx, t, keys, &shape));
  const int64_t n = tfc_count(shape.rank, shape.dims);
  for (int64_t i = 0; i < n; i++) {
    TFC_TRY(check_allowed(ctx, t, keys, i));
    const int64_t entry = lookup_map_find(&t->map, keys->data, i);
    if (entry >= 0) lookup_map_remove(&t->map, entry);
  }
  return TFC_OK;
}

static int compute_remove(tfc_context* ctx) {
  lookup_table* t = NULL;
  TFC_TRY(find(ctx, &t));
  TFC_TRY(want_mutable(ctx, t, "Remove"));
  pthread_rwlock_wrlock(&t->lock);
  const int code = remove_all(ctx, t);
  pthread_rwlock_unlock(&t->lock);
  return code;
}

/* ---- Initializing static tables. */

static void add_element(text_buffer* text, int32_t dtype, const void* data, int64_t i) {
  const tfc_tensor all = {.dtype = dtype, .n = i + 1, .data = (void*)data};
  text_add_element(text, &all, i);
}

/* Static tables have one element in each key and value. */
static int fail_for_other_value(tfc_context* ctx, const lookup_map* m, const void* keys, int64_t i,
                                int64_t entry, const void* values, int64_t j) {
  text_buffer text = {0};
  text_add(&text, "HashTable has different value for same key. Key ");
  add_element(&text, m->keys.dtype, keys, i);
  text_add(&text, " has ");
  add_element(&text, m->values.dtype, m->values.data, entry);
  text_add(&text, " and trying to add value ");
  add_element(&text, m->values.dtype, values, j);
  const int code = tfc_error(ctx, TFC_FAILED_PRECONDITION, "%s", text_c(&text));
  text_free(&text);
  return code;
}

int lookup_put_new(tfc_context* ctx, lookup_map* m, const void* keys, int64_t i, const void* values,
                   int64_t j) {
  const int64_t entry = lookup_map_find(m, keys, i);
  if (entry < 0) return lookup_map_put(m, keys, i, values, j) ? TFC_OK : no_memory(ctx);
  if (lookup_map_has_value(m, entry, values, j)) return TFC_OK;
  return fail_for_other_value(ctx, m, keys, i, entry, values, j);
}

/* With the lock: `made` becomes the content, or if there is one already, must be equal to it. */
static int initialize(tfc_context* ctx, lookup_table* t, lookup_map* made) {
  if (!t->ready) {
    t->map = *made;
    t->ready = true;
    lookup_map_begin(made, t->key_dtype, 1, t->value_dtype, 1);
    return TFC_OK;
  }
  bool same = made->n == t->map.n;
  for (int64_t i = 0; i < made->n && same; i++) {
    const int64_t entry = lookup_map_find(&t->map, made->keys.data, i);
    same = entry >= 0 && lookup_map_has_value(&t->map, entry, made->values.data, i);
  }
  if (same) return TFC_OK;
  return tfc_error(ctx, TFC_FAILED_PRECONDITION,
                   "Table was already initialized with different data.");
}

static int initialize_from_inputs(tfc_context* ctx, lookup_table* t) {
  lookup_map made;
  int64_t n;
  TFC_TRY(check_entries(ctx, t, &n));
  if (n == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "keys and values cannot be empty tensors.");
  lookup_map_begin(&made, t->key_dtype, 1, t->value_dtype, 1);
  int code = TFC_OK;
  for (int64_t i = 0; i < n && !code; i++)
    code = lookup_put_new(ctx, &made, ctx->inputs[1]->data, i, ctx->inputs[2]->data, i);
  if (!code) {
    pthread_rwlock_wrlock(&t->lock);
    code = initialize(ctx, t, &made);
    pthread_rwlock_unlock(&t->lock);
  }
  lookup_map_clear(&made);
  return code;
}

static int want_static(tfc_context* ctx, const lookup_table* t) {
  if (t->kind == LOOKUP_STATIC) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Table %s is not initializable", t->name);
}

static int compute_initialize(tfc_context* ctx) {
  const tfc_tensor *keys = ctx->inputs[1], *values = ctx->inputs[2];
  lookup_table* t = NULL;
  TFC_TRY(find(ctx, &t));
  TFC_TRY(want_static(ctx, t));
  if (keys->rank != 1 || values->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be a vector, but received shape %s",
                     keys->rank != 1 ? "Keys" : "Values",
                     tfc_shape_text(keys->rank != 1 ? keys : values).text);
  if (keys->n != values->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of elements in keys and values must match: %lld and %lld",
                     (long long)keys->n, (long long)values->n);
  return initialize_from_inputs(ctx, t);
}

static int compute_import(tfc_context* ctx) {
  lookup_table* t = NULL;
  int64_t n;
  TFC_TRY(find(ctx, &t));
  if (t->kind == LOOKUP_STATIC) return initialize_from_inputs(ctx, t);
  lookup_map other; /* first the new content, which may need more memory than there is */
  pthread_rwlock_wrlock(&t->lock);
  int code = check_entries(ctx, t, &n);
  const lookup_map* m = &t->map;
  lookup_map_begin(&other, m->keys.dtype, m->keys.width, m->values.dtype, m->values.width);
  if (!code) code = put_all(ctx, t, &other, n, true);
  if (!code) {
    const lookup_map before = t->map;
    t->map = other;
    other = before;
  }
  pthread_rwlock_unlock(&t->lock);
  lookup_map_clear(&other);
  return code;
}

/* The state: how to read the file. */
static int create_from_file(tfc_construction* c, void** state) {
  lookup_text how;
  const char* delimiter;
  size_t size;
  TFC_TRY(c->api->attr_int(c, "key_index", &how.key_index));
  TFC_TRY(c->api->attr_int(c, "value_index", &how.value_index));
  TFC_TRY(c->api->attr_int(c, "vocab_size", &how.vocab_size));
  TFC_TRY(c->api->attr_int(c, "offset", &how.offset));
  TFC_TRY(c->api->attr_string(c, "delimiter", &delimiter, &size));
  if (size != 1) return c->api->error(c, TFC_INVALID_ARGUMENT, "delimiter should be only 1 char");
  how.delimiter = delimiter[0];
  lookup_text* kept = malloc(sizeof *kept);
  if (!kept) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *kept = how;
  *state = kept;
  return TFC_OK;
}

static bool is_integer(int32_t dtype) {
  bool integer = false;
  TFC_SWITCH_INTEGERS(dtype, integer = (T)1 == 1)
  return integer;
}

/* Fails if a line's number or a whole line can't be of this type. */
static int check_index(tfc_context* ctx, const char* what, int64_t index, int32_t dtype) {
  if (index == -1 && dtype != TFC_INT64)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s index for line number requires table %s dtype of int64, got %s", what,
                     what[0] == 'K' ? "key" : "value", tfc_dtype_name(dtype));
  if (index == -2 && dtype != TFC_STRING && !is_integer(dtype))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s index for whole line requires string or integer table %s, got %s", what,
                     what[0] == 'K' ? "key" : "value", tfc_dtype_name(dtype));
  return TFC_OK;
}

static int compute_from_file(tfc_context* ctx) {
  const lookup_text* how = ctx->state;
  const tfc_tensor* name = ctx->inputs[1];
  lookup_table* t = NULL;
  TFC_TRY(find(ctx, &t));
  TFC_TRY(want_static(ctx, t));
  if (name->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "filename should be a single string, but got shape %s",
                     tfc_shape_text(name).text);
  const tfc_string* s = name->data;
  if (s->size == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "filename cannot be empty.");
  TFC_TRY(check_index(ctx, "Key", how->key_index, t->key_dtype));
  TFC_TRY(check_index(ctx, "Value", how->value_index, t->value_dtype));
  char* path = tfc_scratch(ctx, s->size + 1);
  if (!path) return TFC_RESOURCE_EXHAUSTED;
  memcpy(path, s->data, s->size);
  path[s->size] = '\0';
  lookup_map made;
  lookup_map_begin(&made, t->key_dtype, 1, t->value_dtype, 1);
  int code = lookup_read_file(ctx, path, how, &made);
  if (!code) {
    /* A table that has been initialized keeps its content, as in TensorFlow. */
    pthread_rwlock_wrlock(&t->lock);
    if (!t->ready) code = initialize(ctx, t, &made);
    pthread_rwlock_unlock(&t->lock);
  }
  lookup_map_clear(&made);
  return code;
}

/* Equal keys must have equal bytes, so none of the floating point types can be one. */

static const tfc_kernel_def kernels[] = {
    TFC_ROW("HashTable",
            "key_dtype=" TFC_TYPES_INTEGERS "|bool|string;value_dtype=" TFC_TYPES_VALUES,
            compute_handle, .create = create_static),
    TFC_ROW("HashTableV2",
            "key_dtype=" TFC_TYPES_INTEGERS "|bool|string;value_dtype=" TFC_TYPES_VALUES,
            compute_handle, .create = create_static),
    TFC_ROW("MutableHashTable",
            "key_dtype=" TFC_TYPES_INTEGERS "|bool|string;value_dtype=" TFC_TYPES_VALUES,
            compute_handle, .create = create_mutable),
    TFC_ROW("MutableHashTableV2",
            "key_dtype=" TFC_TYPES_INTEGERS "|bool|string;value_dtype=" TFC_TYPES_VALUES,
            compute_handle, .create = create_mutable),
    TFC_ROW("MutableHashTableOfTensors",
            "key_dtype=" TFC_TYPES_INTEGERS "|bool|string;value_dtype=" TFC_TYPES_VALUES,
            compute_handle, .create = create_tensors),
    TFC_ROW("MutableHashTableOfTensorsV2",
            "key_dtype=" TFC_TYPES_INTEGERS "|bool|string;value_dtype=" TFC_TYPES_VALUES,
            compute_handle, .create = create_tensors),
    TFC_ROW("MutableDenseHashTable",
            "key_dtype=" TFC_TYPES_INTEGERS "|bool|string;value_dtype=" TFC_TYPES_VALUES,
            compute_handle, .create = create_dense),
    TFC_ROW("MutableDenseHashTableV2",
            "key_dtype=" TFC_TYPES_INTEGERS "|bool|string;value_dtype=" TFC_TYPES_VALUES,
            compute_handle, .create = create_dense),
    TFC_ROW("LookupTableFind", "", compute_find),
    TFC_ROW("LookupTableFindV2", "", compute_find),
    TFC_ROW("LookupTableInsert", "", compute_insert),
    TFC_ROW("LookupTableInsertV2", "", compute_insert),
    TFC_ROW("LookupTableRemoveV2", "", compute_remove),
    TFC_ROW("LookupTableSize", "", compute_size),
    TFC_ROW("LookupTableSizeV2", "", compute_size),
    TFC_ROW("LookupTableExport", "", compute_export),
    TFC_ROW("LookupTableExportV2", "", compute_export),
    TFC_ROW("LookupTableImport", "", compute_import),
    TFC_ROW("LookupTableImportV2", "", compute_import),
    TFC_ROW("InitializeTable", "", compute_initialize),
    TFC_ROW("InitializeTableV2", "", compute_initialize),
    TFC_ROW("InitializeTableFromTextFile", "", compute_from_file, TFC_STATE(create_from_file)),
    TFC_ROW("InitializeTableFromTextFileV2", "", compute_from_file, TFC_STATE(create_from_file)),
};
TFC_REGISTER_KERNELS(kernels);
