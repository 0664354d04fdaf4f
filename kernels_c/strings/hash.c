/* Hash values of strings: buckets and fingerprints. MurmurHash64A: A. Appleby,
 * https://github.com/aappleby/smhasher.
 */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/strings/element.h"
#include "kernels_c/strings/fingerprint.h"

TFC_ONE_LEVEL;

/* ---- MurmurHash64A, with TensorFlow's seed */

static uint64_t murmur_hash(const char* s, size_t n) {
  const uint64_t multiplier = 0xc6a4a7935bd1e995u;
  uint64_t h = 0xDECAFCAFFEu ^ n * multiplier;
  for (; n >= 8; s += 8, n -= 8) {
    uint64_t k = tfc_hash_word(s) * multiplier;
    k = (k ^ k >> 47) * multiplier;
    h = (h ^ k) * multiplier;
  }
  if (n) h = (h ^ tfc_hash_rest(s, n)) * multiplier;
  h = (h ^ h >> 47) * multiplier;
  return h ^ h >> 47;
}

/* ---- StringToHashBucket, -Fast, -Strong */

typedef struct bucket_state {
  uint64_t buckets, key[2];
  enum { MURMUR, FARM, SIP } hash;
} bucket_state;

static int create_bucket(tfc_construction* c, void** state) {
  int64_t buckets, key[2] = {0};
  int n;
  TFC_TRY(c->api->attr_int(c, "num_buckets", &buckets));
  const bool strong = strcmp(c->op_type, "StringToHashBucketStrong") == 0;
  if (strong) {
    TFC_TRY(c->api->attr_ints(c, "key", 2, key, &n));
    if (n != 2) return c->api->error(c, TFC_INVALID_ARGUMENT, "Key must have 2 elements");
  }
  bucket_state* b = tfc_new_state(c, sizeof *b);
  if (!b) return TFC_RESOURCE_EXHAUSTED;
  *b = (bucket_state){(uint64_t)buckets, {(uint64_t)key[0], (uint64_t)key[1]}, MURMUR};
  if (strong) b->hash = SIP;
  if (strcmp(c->op_type, "StringToHashBucketFast") == 0) b->hash = FARM;
  *state = b;
  return TFC_OK;
}

static int bucket_element(tfc_context* ctx, const void* arg, int64_t i) {
  const bucket_state* b = arg;
  const tfc_string* s = strings_of(ctx->inputs[0]) + i;
  const char* bytes = string_bytes(s);
  const uint64_t hash = b->hash == MURMUR ? murmur_hash(bytes, s->size)
                        : b->hash == FARM ? tfc_fingerprint(bytes, s->size)
                                          : tfc_keyed_hash(b->key, bytes, s->size);
  ((int64_t*)ctx->outputs[0].data)[i] = (int64_t)(hash % b->buckets);
  return TFC_OK;
}

static int hash_bucket(tfc_context* ctx) {
  TFC_TRY(tfc_output_like(ctx, 0, ctx->inputs[0]));
  return string_for(ctx, ctx->inputs[0]->n, 20, bucket_element, ctx->state);
}

/* ---- Fingerprint: eight bytes for each row */

enum { FINGERPRINT_BYTES = 8 };

static void put_fingerprint(unsigned char* to, const char* bytes, size_t n) {
  const uint64_t hash = tfc_fingerprint(bytes, n);
  for (int i = 0; i < FINGERPRINT_BYTES; i++) to[i] = (unsigned char)(hash >> (8 * i));
}

typedef struct fingerprint_rows {
  const char* bytes; /* the rows; for strings their fingerprints, NULL if rows are single strings */
  size_t row_bytes;
} fingerprint_rows;

static int fingerprint_row(tfc_context* ctx, const void* arg, int64_t i) {
  const fingerprint_rows* rows = arg;
  unsigned char* to = (unsigned char*)ctx->outputs[0].data + i * FINGERPRINT_BYTES;
  const tfc_string* s = strings_of(ctx->inputs[0]) + i;
  if (rows->bytes)
    put_fingerprint(to, rows->bytes + (size_t)i * rows->row_bytes, rows->row_bytes);
  else
    put_fingerprint(to, string_bytes(s), s->size);
  return TFC_OK;
}

static int fingerprint_string(tfc_context* ctx, const void* arg, int64_t i) {
  const tfc_string* s = strings_of(ctx->inputs[0]) + i;
  put_fingerprint((unsigned char*)arg + i * FINGERPRINT_BYTES, string_bytes(s), s->size);
  return TFC_OK;
}

static int fingerprint(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *method = ctx->inputs[1];
  TFC_TRY(tfc_want_scalar(ctx, 1, "`method` should be a scalar string:"));
  const tfc_string* name = strings_of(method);
  if (name->size != 10 || memcmp(name->data, "farmhash64", 10) != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Unsupported fingerprint method: %.*s",
                     (int)TFC_MIN(name->size, 100), string_bytes(name));
  if (x->rank == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`data` should have at least one dimension: []");
  const int64_t n = x->dims[0], width = n ? x->n / n : 0;
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){n, FINGERPRINT_BYTES}));
  if (n == 0) return TFC_OK;
  fingerprint_rows rows = {"", (size_t)width * tfc_dtype_size(x->dtype)};
  if (x->dtype == TFC_STRING && width == 1) {
    rows.bytes = NULL;
  } else if (x->dtype == TFC_STRING) { /* of several strings, the fingerprints' fingerprint */
    char* each = tfc_scratch_items(ctx, x->n, FINGERPRINT_BYTES);
    if (!each) return TFC_RESOURCE_EXHAUSTED;
    TFC_TRY(string_for(ctx, x->n, 20, fingerprint_string, each));
    rows = (fingerprint_rows){each, (size_t)width * FINGERPRINT_BYTES};
  } else if (x->n) {
    rows.bytes = x->data;
  }
  return string_for(ctx, n, 20 + 0.1 * (double)rows.row_bytes, fingerprint_row, &rows);
}

/* ---- SdcaFprint */

/* The first word is neither 0 nor 1, which mark empty places of tables. */
static int sdca_element(tfc_context* ctx, const void* arg, int64_t i) {
  (void)arg;
  const tfc_string* s = strings_of(ctx->inputs[0]) + i;
  const tfc_hash_pair hash = tfc_long_fingerprint(string_bytes(s), s->size);
  uint64_t* to = (uint64_t*)ctx->outputs[0].data + 2 * i;
  to[0] = hash.a >= 2 ? hash.a : hash.a + ~(uint64_t)1;
  to[1] = hash.b;
  return TFC_OK;
}

static int sdca_fingerprint(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input must be a vector, got shape %s",
                     tfc_shape_text(x).text);
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){x->n, 2}));
  return string_for(ctx, x->n, 30, sdca_element, NULL);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("StringToHashBucket", "", hash_bucket, TFC_STATE(create_bucket)),
    TFC_ROW("StringToHashBucketFast", "", hash_bucket, TFC_STATE(create_bucket)),
    TFC_ROW("StringToHashBucketStrong", "", hash_bucket, TFC_STATE(create_bucket)),
    TFC_ROW("Fingerprint", "T=" TFC_TYPES_VALUES, fingerprint),
    TFC_ROW("SdcaFprint", "", sdca_fingerprint),
};
TFC_REGISTER_KERNELS(kernels);
