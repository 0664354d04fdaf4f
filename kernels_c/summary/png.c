/* PNG (ISO/IEC 15948), compressed by DEFLATE (RFC 1951) in the format of zlib (RFC 1950). The codes
 * are the fixed ones, and a match is the last place with the same hash: some percent larger than
 * what zlib makes, and simple. */
#include "kernels_c/summary/png.h"

#include <pthread.h>

TFC_ONE_LEVEL;

/* ---- Checksums. */

static uint32_t crc_table[256];

static void make_crc_table(void) {
  for (uint32_t n = 0; n < 256; n++) {
    uint32_t c = n;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    crc_table[n] = c;
  }
}

static uint32_t crc32_of(tfc_context* ctx, const char* data, size_t size) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_crc_table);
  uint32_t c = ~0u;
  for (size_t i = 0; i < size && !tfc_cancelled(ctx);) {
    const size_t end = i + TFC_MIN(size - i, (size_t)SUMMARY_PIECE);
    for (; i < end; i++) c = crc_table[(c ^ (uint8_t)data[i]) & 0xff] ^ c >> 8;
  }
  return ~c;
}

static uint32_t adler32_of(tfc_context* ctx, const uint8_t* data, size_t size) {
  uint32_t a = 1, b = 0;
  while (size && !tfc_cancelled(ctx)) {
    size_t n = TFC_MIN(size, (size_t)5552); /* as many as fit before the sums overflow */
    size -= n;
    for (; n; n--) b += a += *data++;
    a %= 65521;
    b %= 65521;
  }
  return b << 16 | a;
}

static void add_big_endian(text_buffer* out, uint32_t x) {
  const char bytes[4] = {(char)(x >> 24), (char)(x >> 16), (char)(x >> 8), (char)x};
  text_append(out, bytes, sizeof bytes);
}

/* ---- DEFLATE. */

typedef struct bit_writer {
  text_buffer* out;
  uint64_t bits;
  int n;
} bit_writer;

/* The first bit is the lowest. */
static void add_bits(bit_writer* w, uint32_t bits, int n) {
  w->bits |= (uint64_t)bits << w->n;
  w->n += n;
  for (; w->n >= 8; w->n -= 8, w->bits >>= 8) {
    const char byte = (char)w->bits;
    text_append(w->out, &byte, 1);
  }
}

/* Codes of Huffman trees begin with their highest bit. */
static void add_code(bit_writer* w, uint32_t code, int n) {
  uint32_t reversed = 0;
  for (int i = 0; i < n; i++) reversed |= (code >> i & 1) << (n - 1 - i);
  add_bits(w, reversed, n);
}

static void add_symbol(bit_writer* w, int symbol) {
  if (symbol < 144)
    add_code(w, 0x30u + (uint32_t)symbol, 8);
  else if (symbol < 256)
    add_code(w, 0x190u + (uint32_t)symbol - 144, 9);
  else if (symbol < 280)
    add_code(w, (uint32_t)symbol - 256, 7);
  else
    add_code(w, 0xc0u + (uint32_t)symbol - 280, 8);
}

/* Lengths and distances are in groups that grow: code i stands for `base` and `extra` more bits. */
static int find_group(const uint16_t* base, int n, int value) {
  while (base[n - 1] > value) n--;
  return n - 1;
}

static void add_match(bit_writer* w, int length, int distance) {
  static const uint16_t lengths[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                     15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                     67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const uint16_t distances[] = {
      1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
      193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  const int l = find_group(lengths, 29, length), d = find_group(distances, 30, distance);
  add_symbol(w, 257 + l);
  if (l >= 8 && l < 28) add_bits(w, (uint32_t)(length - lengths[l]), l / 4 - 1);
  add_code(w, (uint32_t)d, 5);
  if (d >= 4) add_bits(w, (uint32_t)(distance - distances[d]), d / 2 - 1);
}

enum { HASH_BITS = 13, MIN_MATCH = 3, MAX_MATCH = 258, WINDOW = 32768 };

static uint32_t hash_of(const uint8_t* p) {
  return ((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]) * 0x9e3779b1u >> (32 - HASH_BITS);
}

static void deflate(tfc_context* ctx, text_buffer* out, const uint8_t* data, size_t size) {
  bit_writer w = {.out = out};
  size_t look = SUMMARY_PIECE;
  size_t* last = calloc((size_t)1 << HASH_BITS, sizeof *last); /* place + 1 */
  out->failed |= !last;
  add_bits(&w, 1, 1); /* the last block */
  add_bits(&w, 1, 2); /* with the fixed codes */
  for (size_t i = 0; i < size && !out->failed && out->size <= INT32_MAX;) {
    if (i >= look) {
      if (tfc_cancelled(ctx)) break;
      look = i + SUMMARY_PIECE;
    }
    size_t length = 0, distance = 0;
    if (size - i >= MIN_MATCH) {
      size_t* place = &last[hash_of(data + i)];
      distance = i + 1 - *place;
      const size_t most = TFC_MIN(size - i, (size_t)MAX_MATCH);
      if (*place && distance <= WINDOW)
        while (length < most && data[i + length] == data[i + length - distance]) length++;
      *place = i + 1;
    }
    if (length >= MIN_MATCH) {
      add_match(&w, (int)length, (int)distance);
      i += length;
    } else {
      add_symbol(&w, data[i++]);
    }
  }
  add_symbol(&w, 256);
  add_bits(&w, 0, 7); /* to the end of the byte */
  free(last);
}

/* ---- PNG. */

static void add_chunk(tfc_context* ctx, text_buffer* out, const char* type, const char* data,
                      size_t size) {
  const size_t begin = out->size + 4;
  add_big_endian(out, (uint32_t)size);
  text_add(out, type);
  if (size) text_append(out, data, size);
  if (!out->failed) add_big_endian(out, crc32_of(ctx, out->data + begin, size + 4));
}

/* Rows as differences from the row above, which begin with the number of that filter. */
static uint8_t* filtered(tfc_context* ctx, const uint8_t* pixels, int64_t height, size_t row) {
  enum { UP = 2 };
  uint8_t *rows = malloc((size_t)height * (row + 1)), *to = rows;
  for (int64_t y = 0; y < height && rows; y++, pixels += row) {
    *to++ = UP;
    const uint8_t* above = y ? pixels - row : NULL;
    for (size_t i = 0; i < row && !tfc_cancelled(ctx);) {
      const size_t end = i + TFC_MIN(row - i, (size_t)SUMMARY_PIECE);
      for (; i < end; i++) *to++ = (uint8_t)(pixels[i] - (above ? above[i] : 0));
    }
  }
  return rows;
}

/* False: it is too large. */
static bool add_data(tfc_context* ctx, text_buffer* out, const uint8_t* pixels, int64_t height,
                     size_t row) {
  text_buffer data = {0};
  uint8_t* rows = filtered(ctx, pixels, height, row);
  if (rows && !tfc_cancelled(ctx)) {
    const size_t size = (size_t)height * (row + 1);
    text_append(&data, "\x78\x01", 2); /* zlib's header: a window of 32 KB */
    deflate(ctx, &data, rows, size);
    add_big_endian(&data, adler32_of(ctx, rows, size));
  }
  const bool fits = data.size <= INT32_MAX;
  out->failed |= !rows || data.failed;
  if (!out->failed && fits) add_chunk(ctx, out, "IDAT", data.data, data.size);
  free(rows);
  text_free(&data);
  return fits;
}

bool summary_add_png(tfc_context* ctx, text_buffer* out, const uint8_t* pixels, int64_t height,
                     int64_t width, int channels) {
  static const char color_types[] = {[1] = 0, [3] = 2, [4] = 6};
  text_buffer header = {0};
  add_big_endian(&header, (uint32_t)width);
  add_big_endian(&header, (uint32_t)height);
  const char rest[] = {8, color_types[channels], 0, 0,
                       0}; /* bits of a channel, ..., no interlace */
  text_append(&header, rest, sizeof rest);
  out->failed |= header.failed;
  text_append(out, "\x89PNG\r\n\x1a\n", 8);
  if (!out->failed) add_chunk(ctx, out, "IHDR", header.data, header.size);
  const bool fits = add_data(ctx, out, pixels, height, (size_t)width * (size_t)channels);
  add_chunk(ctx, out, "IEND", NULL, 0);
  text_free(&header);
  return fits;
}
