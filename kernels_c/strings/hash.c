/* Hash values of strings: buckets and fingerprints.
 *
 * FarmHash's Fingerprint64: G. Pike, https://github.com/google/farmhash. MurmurHash64A: A. Appleby,
 * https://github.com/aappleby/smhasher. SipHash-2-4: J.-P. Aumasson and D. J. Bernstein, "SipHash:
 * a fast short-input PRF", INDOCRYPT 2012.
 */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/strings/element.h"

TFC_ONE_LEVEL;

/* The words of the algorithms are little-endian. */
static uint64_t load64(const char* p) {
  uint64_t v;
  memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}
static uint64_t load32(const char* p) {
  uint32_t v;
  memcpy(&v, p, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap32(v);
#endif
  return v;
}
/* The last bytes of a text, fewer than eight, as the low bytes of a word. */
static uint64_t load_rest(const char* p, size_t n) {
  uint64_t v = 0;
  for (size_t i = 0; i < n; i++) v |= (uint64_t)(unsigned char)p[i] << (8 * i);
  return v;
}
static uint64_t rotate_right(uint64_t v, int by) {
  return v >> by | v << (64 - by);
}
static uint64_t rotate_left(uint64_t v, int by) {
  return v << by | v >> (64 - by);
}

/* ---- FarmHash */

static const uint64_t F0 = 0xc3a5c85c97cb3127u, F1 = 0xb492b66fbe98f273u, F2 = 0x9ae16a3b2f90404fu;

static uint64_t fold(uint64_t v) {
  return v ^ v >> 47;
}
/* Two words become one. */
static uint64_t farm_combine(uint64_t u, uint64_t v, uint64_t multiplier) {
  const uint64_t a = fold((u ^ v) * multiplier);
  return fold((v ^ a) * multiplier) * multiplier;
}

static uint64_t farm_up_to_16(const char* s, size_t n) {
  const uint64_t multiplier = F2 + n * 2;
  if (n >= 8) {
    const uint64_t a = load64(s) + F2, b = load64(s + n - 8);
    const uint64_t c = rotate_right(b, 37) * multiplier + a;
    const uint64_t d = (rotate_right(a, 25) + b) * multiplier;
    return farm_combine(c, d, multiplier);
  }
  if (n >= 4) return farm_combine(n + (load32(s) << 3), load32(s + n - 4), multiplier);
  if (n == 0) return F2;
  const unsigned char *bytes = (const unsigned char*)s, first = bytes[0], middle = bytes[n >> 1];
  const uint32_t y = first + ((uint32_t)middle << 8);
  const uint32_t z = (uint32_t)n + ((uint32_t)bytes[n - 1] << 2);
  return fold(y * F2 ^ z * F0) * F2;
}

static uint64_t farm_up_to_32(const char* s, size_t n) {
  const uint64_t multiplier = F2 + n * 2;
  const uint64_t a = load64(s) * F1, b = load64(s + 8);
  const uint64_t c = load64(s + n - 8) * multiplier, d = load64(s + n - 16) * F2;
  return farm_combine(rotate_right(a + b, 43) + rotate_right(c, 30) + d,
                      a + rotate_right(b + F2, 18) + c, multiplier);
}

static uint64_t farm_up_to_64(const char* s, size_t n) {
  const uint64_t multiplier = F2 + n * 2;
  const uint64_t a = load64(s) * F2, b = load64(s + 8);
  const uint64_t c = load64(s + n - 8) * multiplier, d = load64(s + n - 16) * F2;
  const uint64_t y = rotate_right(a + b, 43) + rotate_right(c, 30) + d;
  const uint64_t z = farm_combine(y, a + rotate_right(b + F2, 18) + c, multiplier);
  const uint64_t e = load64(s + 16) * multiplier, f = load64(s + 24);
  const uint64_t g = (y + load64(s + n - 32)) * multiplier;
  const uint64_t h = (z + load64(s + n - 24)) * multiplier;
  return farm_combine(rotate_right(e + f, 43) + rotate_right(g, 30) + h,
                      e + rotate_right(f + a, 18) + g, multiplier);
}

typedef struct word_pair {
  uint64_t a, b;
} word_pair;

/* Mixes 32 bytes with two words. */
static word_pair farm_mix(const char* s, uint64_t a, uint64_t b) {
  const uint64_t w = load64(s), x = load64(s + 8), y = load64(s + 16), z = load64(s + 24);
  a += w;
  b = rotate_right(b + a + z, 21);
  const uint64_t sum = a + x + y;
  return (word_pair){sum + z, b + rotate_right(sum, 44) + a};
}

typedef struct farm_state {
  uint64_t x, y, z;
  word_pair v, w;
} farm_state;

/* Takes 64 bytes. The last block, which overlaps the one before, weighs two terms by nine. */
static void farm_block(farm_state* h, const char* s, uint64_t multiplier, uint64_t weight) {
  h->x = rotate_right(h->x + h->y + h->v.a + load64(s + 8), 37) * multiplier;
  h->y = rotate_right(h->y + h->v.b + load64(s + 48), 42) * multiplier;
  h->x ^= h->w.b * weight;
  h->y += h->v.a * weight + load64(s + 40);
  h->z = rotate_right(h->z + h->w.a, 33) * multiplier;
  h->v = farm_mix(s, h->v.b * multiplier, h->x + h->w.a);
  h->w = farm_mix(s + 32, h->z + h->w.b, h->y + load64(s + 16));
  const uint64_t x = h->x;
  h->x = h->z;
  h->z = x;
}

static uint64_t farm_hash(const char* s, size_t n) {
  if (n <= 16) return farm_up_to_16(s, n);
  if (n <= 32) return farm_up_to_32(s, n);
  if (n <= 64) return farm_up_to_64(s, n);
  const uint64_t seed = 81;
  farm_state h = {.y = seed * F1 + 113};
  h.z = fold(h.y * F2 + 113) * F2;
  h.x = seed * F2 + load64(s);
  const size_t rest = (n - 1) & 63;
  for (size_t at = 0; at < n - 1 - rest; at += 64) farm_block(&h, s + at, F1, 1);
  const uint64_t multiplier = F1 + ((h.z & 0xff) << 1);
  h.w.a += rest;
  h.v.a += h.w.a;
  h.w.a += h.v.a;
  farm_block(&h, s + n - 64, multiplier, 9);
  return farm_combine(farm_combine(h.v.a, h.w.a, multiplier) + fold(h.y) * F0 + h.z,
                      farm_combine(h.v.b, h.w.b, multiplier) + h.x, multiplier);
}

/* ---- MurmurHash64A, with TensorFlow's seed */

static uint64_t murmur_hash(const char* s, size_t n) {
  const uint64_t multiplier = 0xc6a4a7935bd1e995u;
  uint64_t h = 0xDECAFCAFFEu ^ n * multiplier;
  for (; n >= 8; s += 8, n -= 8) {
    uint64_t k = load64(s) * multiplier;
    k = (k ^ k >> 47) * multiplier;
    h = (h ^ k) * multiplier;
  }
  if (n) h = (h ^ load_rest(s, n)) * multiplier;
  h = (h ^ h >> 47) * multiplier;
  return h ^ h >> 47;
}

/* ---- SipHash-2-4 */

static void sip_rounds(uint64_t v[4], int count) {
  for (; count > 0; count--) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] = rotate_left(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] = rotate_left(v[2], 32);
  }
}

static uint64_t sip_hash(const uint64_t key[2], const char* s, size_t n) {
  uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                   key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
  for (size_t at = 0; at <= n; at += 8) {
    const bool last = n - at < 8;
    const uint64_t word = last ? load_rest(s + at, n - at) | (uint64_t)n << 56 : load64(s + at);
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
  }
  v[2] ^= 0xff;
  sip_rounds(v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
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
                        : b->hash == FARM ? farm_hash(bytes, s->size)
                                          : sip_hash(b->key, bytes, s->size);
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
  const uint64_t hash = farm_hash(bytes, n);
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

/* ---- SdcaFprint: FarmHash's Fingerprint128 */

static uint64_t farm_pair(uint64_t u, uint64_t v) {
  return farm_combine(u, v, 0x9ddfea08eb382d69u);
}

/* Less than 128 bytes. */
static word_pair farm_short(const char* s, size_t n, word_pair seed) {
  uint64_t a = seed.a, b = seed.b, c, d;
  if (n <= 16) {
    a = fold(a * F1) * F1;
    c = b * F1 + farm_up_to_16(s, n);
    d = fold(a + (n >= 8 ? load64(s) : c));
  } else {
    c = farm_pair(load64(s + n - 8) + F1, a);
    d = farm_pair(b + n, c + load64(s + n - 16));
    a += d;
    for (size_t at = 0; at + 16 < n; at += 16) {
      a = (a ^ fold(load64(s + at) * F1) * F1) * F1;
      b ^= a;
      c = (c ^ fold(load64(s + at + 8) * F1) * F1) * F1;
      d ^= c;
    }
  }
  a = farm_pair(a, c);
  b = farm_pair(d, b);
  return (word_pair){a ^ b, farm_pair(b, a)};
}

/* The last bytes, less than 128, in steps of 32 from the end; the step before them overlaps. */
static void farm_tail(farm_state* h, const char* s, size_t n) {
  for (size_t done = 0; done < n;) {
    done += 32;
    const char* at = s + n - done;
    h->y = rotate_right(h->x + h->y, 42) * F0 + h->v.b;
    h->w.a += load64(at + 16);
    h->x = h->x * F0 + h->w.a;
    h->z += h->w.b + load64(at);
    h->w.b += h->v.a;
    h->v = farm_mix(at, h->v.a + h->z, h->v.b);
    h->v.a *= F0;
  }
}

static word_pair farm_long(const char* s, size_t n, word_pair seed) {
  if (n < 128) return farm_short(s, n, seed);
  farm_state h = {.x = seed.a, .y = seed.b, .z = n * F1};
  h.v.a = rotate_right(h.y ^ F1, 49) * F1 + load64(s);
  h.v.b = rotate_right(h.v.a, 42) * F1 + load64(s + 8);
  h.w.a = rotate_right(h.y + h.z, 35) * F1 + h.x;
  h.w.b = rotate_right(h.x + load64(s + 88), 53) * F1;
  for (; n >= 128; n -= 128, s += 128) {
    farm_block(&h, s, F1, 1);
    farm_block(&h, s + 64, F1, 1);
  }
  h.x += rotate_right(h.v.a + h.z, 49) * F0;
  h.y = h.y * F0 + rotate_right(h.w.b, 37);
  h.z = h.z * F0 + rotate_right(h.w.a, 27);
  h.w.a *= 9;
  h.v.a *= F0;
  farm_tail(&h, s, n);
  const uint64_t x = farm_pair(h.x, h.v.a), y = farm_pair(h.y + h.z, h.w.a);
  return (word_pair){farm_pair(x + h.v.b, h.w.b) + y, farm_pair(x + h.w.b, y + h.v.b)};
}

static word_pair farm_fingerprint(const char* s, size_t n) {
  if (n < 16) return farm_long(s, n, (word_pair){F0, F1});
  return farm_long(s + 16, n - 16, (word_pair){load64(s), load64(s + 8) + F0});
}

/* The first word is neither 0 nor 1, which mark empty places of tables. */
static int sdca_element(tfc_context* ctx, const void* arg, int64_t i) {
  (void)arg;
  const tfc_string* s = strings_of(ctx->inputs[0]) + i;
  const word_pair hash = farm_fingerprint(string_bytes(s), s->size);
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
