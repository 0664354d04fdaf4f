/* DEFLATE: blocks of bytes, or of codes for bytes and for copies of what came before.
 *
 * The expanded bytes lie in one buffer: the last WINDOW bytes, which copies refer to, and after
 * them those that the caller has not got yet. Decoding stops between two symbols when the buffer is
 * full, and continues there.
 */
#include "kernels_c/io/inflate.h"

#include <pthread.h>
#include <stdlib.h>

#include "kernels_c/common/common.h"

TFC_ONE_LEVEL;

enum {
  WINDOW = 32768,
  LONGEST_COPY = 258,
  ROOM = WINDOW + 131072 + LONGEST_COPY + 8,
  LITERALS = 288,
  DISTANCES = 32,
  LENGTHS = 19, /* of the code of code lengths */
  LONGEST = 15, /* bits of a code */
  QUICK = 10,   /* bits that are looked up at once */
  END = 256     /* of a block */
};

/* The prefix codes of one alphabet. */
typedef struct prefix_code {
  uint16_t quick[1 << QUICK]; /* symbol * 16 + bits; 0: the code is longer, or unused */
  uint16_t count[LONGEST + 1], symbol[LITERALS]; /* in the order of the codes */
} prefix_code;

typedef enum inflate_state {
  AT_HEADER,
  AT_BLOCK,
  IN_STORED,
  IN_CODES,
  AT_TRAILER,
  AT_END
} inflate_state;

struct inflater {
  inflate_format format;
  inflate_more more;
  void* arg;
  const uint8_t *at, *end; /* compressed bytes */
  uint64_t bits;           /* the next ones; those above n_bits are 0 */
  int n_bits;
  int code; /* an error */
  const char* problem;
  inflate_state state;
  bool last;       /* block */
  uint32_t stored; /* bytes of the block that are left */
  size_t begin, used;
  uint64_t size; /* of the member so far */
  uint32_t check;
  prefix_code literals, distances;
  uint8_t out[ROOM];
};

static const uint16_t length_base[] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                       15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                       67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_bits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                      2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_bits[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                        6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

/* ---- Checksums */

static uint32_t crc_tables[8][256]; /* [k][b]: the remainder of byte b followed by k zero bytes */
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static void prepare(void) {
  for (uint32_t b = 0; b < 256; b++) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    crc_tables[0][b] = crc;
  }
  for (int k = 1; k < 8; k++)
    for (int b = 0; b < 256; b++)
      crc_tables[k][b] = crc_tables[k - 1][b] >> 8 ^ crc_tables[0][crc_tables[k - 1][b] & 255];
}

static uint64_t word_at(const uint8_t* at) {
  uint64_t word;
  memcpy(&word, at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

static uint32_t crc32_of(uint32_t crc, const uint8_t* at, size_t size) {
  crc = ~crc;
  for (; size >= 8; size -= 8, at += 8) {
    const uint64_t word = word_at(at) ^ crc;
    crc = 0;
    for (int k = 0; k < 8; k++) crc ^= crc_tables[7 - k][word >> 8 * k & 255];
  }
  for (; size; size--, at++) crc = crc >> 8 ^ crc_tables[0][(crc ^ *at) & 255];
  return ~crc;
}

static uint32_t adler32_of(uint32_t adler, const uint8_t* at, size_t size) {
  enum { PRIME = 65521, MOST = 5552 }; /* the sums of so many bytes fit */
  uint32_t a = adler & 0xffff, b = adler >> 16;
  while (size) {
    size_t n = TFC_MIN(size, (size_t)MOST);
    size -= n;
    for (; n; n--) b += a += *at++;
    a %= PRIME;
    b %= PRIME;
  }
  return b << 16 | a;
}

/* ---- Bits */

static bool fails(inflater* z, const char* problem) {
  if (!z->code) {
    z->code = TFC_DATA_LOSS;
    z->problem = problem;
  }
  return false;
}

/* False: there are no more, or an error. */
static bool ask_for_bytes(inflater* z) {
  size_t size = 0;
  if (z->code) return false;
  z->code = z->more(z->arg, &z->at, &size);
  if (z->code) size = 0;
  z->end = z->at + size;
  return size > 0;
}

/* As many bits as fit, at least 56 unless the input ends. */
static void refill(inflater* z) {
  if (z->end - z->at >= 8) {
    z->bits |= word_at(z->at) << z->n_bits;
    const int bytes = (63 - z->n_bits) >> 3;
    z->at += bytes;
    z->n_bits += 8 * bytes;
    z->bits &= (1ull << z->n_bits) - 1;
    return;
  }
  while (z->n_bits < 56 && (z->at < z->end || ask_for_bytes(z))) {
    z->bits |= (uint64_t)*z->at++ << z->n_bits;
    z->n_bits += 8;
  }
}

static void drop(inflater* z, int n) {
  z->bits >>= n;
  z->n_bits -= n;
}

static const char truncated[] = "the compressed data ends too early";

/* n: at most 32 */
static bool take(inflater* z, int n, uint32_t* value) {
  if (z->n_bits < n) refill(z);
  if (z->n_bits < n) return fails(z, truncated);
  *value = (uint32_t)(z->bits & ((1ull << n) - 1));
  drop(z, n);
  return true;
}

/* ---- Codes */

static const char wrong_code[] = "the compressed data has a wrong prefix code";

/* Makes a code of the lengths of its symbols' codes. A code that is not complete may have only one
 * symbol. */
static bool make_code(inflater* z, prefix_code* c, const uint8_t* lengths, int n) {
  uint16_t next[LONGEST + 2] = {0};
  int left = 1, used = 0;
  memset(c->count, 0, sizeof c->count);
  memset(c->quick, 0, sizeof c->quick);
  for (int s = 0; s < n; s++) c->count[lengths[s]]++;
  used = n - c->count[0];
  c->count[0] = 0;
  for (int bits = 1; bits <= LONGEST; bits++) {
    left = 2 * left - c->count[bits];
    if (left < 0) return fails(z, wrong_code);
    next[bits + 1] = (uint16_t)(next[bits] + c->count[bits]);
  }
  if (left > 0 && used > 1) return fails(z, wrong_code);
  for (int s = 0; s < n; s++)
    if (lengths[s]) c->symbol[next[lengths[s]]++] = (uint16_t)s;
  int code = 0, index = 0;
  for (int bits = 1; bits <= QUICK; bits++, code <<= 1)
    for (int i = 0; i < c->count[bits]; i++, code++, index++) {
      uint32_t reversed = 0;
      for (int b = 0; b < bits; b++) reversed |= (uint32_t)(code >> b & 1) << (bits - 1 - b);
      for (uint32_t at = reversed; at < 1u << QUICK; at += 1u << bits)
        c->quick[at] = (uint16_t)(c->symbol[index] << 4 | bits);
    }
  return true;
}

static int fail_code(inflater* z, const char* problem) {
  fails(z, problem);
  return -1;
}

/* The next symbol, or -1. There are LONGEST bits, unless the input ends. */
static int decode(inflater* z, const prefix_code* c) {
  const uint16_t quick = c->quick[z->bits & ((1u << QUICK) - 1)];
  if (quick) {
    if ((quick & 15) > z->n_bits) return fail_code(z, truncated);
    drop(z, quick & 15);
    return quick >> 4;
  }
  int code = 0, first = 0, index = 0;
  for (int bits = 1; bits <= LONGEST; bits++) {
    if (bits > z->n_bits) return fail_code(z, truncated);
    code |= (int)(z->bits >> (bits - 1) & 1);
    const int count = c->count[bits];
    if (code - count < first) {
      drop(z, bits);
      return c->symbol[index + code - first];
    }
    index += count;
    first = (first + count) << 1;
    code <<= 1;
  }
  return fail_code(z, wrong_code);
}

static bool read_lengths(inflater* z, const prefix_code* of_lengths, uint8_t* lengths, int n) {
  for (int i = 0; i < n;) {
    uint32_t repeat = 0;
    refill(z);
    const int symbol = decode(z, of_lengths);
    if (symbol < 0) return false;
    if (symbol < 16) {
      lengths[i++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == 16 && i == 0) return fails(z, wrong_code);
    if (!take(z, symbol == 16 ? 2 : symbol == 17 ? 3 : 7, &repeat)) return false;
    repeat += symbol == 18 ? 11 : 3;
    if (repeat > (uint32_t)(n - i)) return fails(z, wrong_code);
    const uint8_t value = symbol == 16 ? lengths[i - 1] : 0;
    for (; repeat; repeat--) lengths[i++] = value;
  }
  return true;
}

static bool read_codes(inflater* z) {
  static const uint8_t order[LENGTHS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                         11, 4,  12, 3, 13, 2, 14, 1, 15};
  uint8_t lengths[LITERALS + DISTANCES] = {0};
  uint32_t n_literals, n_distances, n_lengths, length;
  if (!take(z, 5, &n_literals) || !take(z, 5, &n_distances) || !take(z, 4, &n_lengths))
    return false;
  n_literals += 257;
  n_distances += 1;
  if (n_literals > 286 || n_distances > 30) return fails(z, wrong_code);
  for (uint32_t i = 0; i < n_lengths + 4; i++) {
    if (!take(z, 3, &length)) return false;
    lengths[order[i]] = (uint8_t)length;
  }
  prefix_code* of_lengths = &z->distances; /* which is made afterwards */
  if (!make_code(z, of_lengths, lengths, LENGTHS)) return false;
  memset(lengths, 0, sizeof lengths);
  if (!read_lengths(z, of_lengths, lengths, (int)(n_literals + n_distances))) return false;
  if (!lengths[END]) return fails(z, wrong_code);
  return make_code(z, &z->literals, lengths, (int)n_literals) &&
         make_code(z, &z->distances, lengths + n_literals, (int)n_distances);
}

static bool fixed_codes(inflater* z) {
  uint8_t lengths[LITERALS];
  for (int s = 0; s < LITERALS; s++) lengths[s] = s < 144 ? 8 : s < 256 ? 9 : s < 280 ? 7 : 8;
  if (!make_code(z, &z->literals, lengths, LITERALS)) return false;
  memset(lengths, 5, DISTANCES);
  return make_code(z, &z->distances, lengths, DISTANCES);
}

/* ---- Blocks. Each returns false after an error. */

static bool begin_block(inflater* z) {
  uint32_t last, type, size, inverted;
  if (!take(z, 1, &last) || !take(z, 2, &type)) return false;
  z->last = last;
  if (type == 3) return fails(z, "the compressed data has a block of an unknown type");
  if (type == 0) {
    drop(z, z->n_bits & 7);
    if (!take(z, 16, &size) || !take(z, 16, &inverted)) return false;
    if ((size ^ inverted) != 0xffff)
      return fails(z, "the compressed data has a wrong block length");
    z->stored = size;
    z->state = IN_STORED;
    return true;
  }
  z->state = IN_CODES;
  return type == 1 ? fixed_codes(z) : read_codes(z);
}

static void end_block(inflater* z) {
  z->state = z->last ? AT_TRAILER : AT_BLOCK;
}

static bool copy_stored(inflater* z) {
  while (z->stored && z->used < ROOM) {
    if (z->n_bits) {
      z->out[z->used++] = (uint8_t)z->bits;
      drop(z, 8);
      z->stored--;
      continue;
    }
    if (z->at == z->end && !ask_for_bytes(z)) return fails(z, truncated);
    size_t n = TFC_MIN((size_t)(z->end - z->at), (size_t)z->stored);
    n = TFC_MIN(n, ROOM - z->used);
    memcpy(z->out + z->used, z->at, n);
    z->used += n;
    z->at += n;
    z->stored -= (uint32_t)n;
  }
  if (!z->stored) end_block(z);
  return true;
}

/* There is room for the longest copy and 8 more bytes. */
static void copy_match(uint8_t* to, size_t distance, size_t length) {
  const uint8_t* from = to - distance;
  if (distance >= 8) {
    for (size_t i = 0; i < length; i += 8) memcpy(to + i, from + i, 8);
    return;
  }
  for (size_t i = 0; i < length; i++) to[i] = from[i];
}

/* Bytes whose codes are short, one after the other, while there are bits for a copy behind them.
 * The place and the bits are in registers here. */
static void copy_literals(inflater* z) {
  const prefix_code* c = &z->literals;
  uint64_t bits = z->bits;
  int n_bits = z->n_bits;
  size_t used = z->used;
  for (;;) {
    if (z->end - z->at >= 8 && n_bits < 48) {
      bits |= word_at(z->at) << n_bits;
      const int bytes = (63 - n_bits) >> 3;
      z->at += bytes;
      n_bits += 8 * bytes;
      bits &= (1ull << n_bits) - 1;
    }
    const uint16_t quick = c->quick[bits & ((1u << QUICK) - 1)];
    if (n_bits < 48 || !quick || quick >= END << 4 || used + LONGEST_COPY + 8 > ROOM) break;
    z->out[used++] = (uint8_t)(quick >> 4);
    bits >>= quick & 15;
    n_bits -= quick & 15;
  }
  z->bits = bits;
  z->n_bits = n_bits;
  z->used = used;
}

static bool copy_codes(inflater* z) {
  for (;;) {
    copy_literals(z);
    if (z->used + LONGEST_COPY + 8 > ROOM) return true;
    refill(z); /* enough for a copy: 15 + 5 + 15 + 13 bits */
    int symbol = decode(z, &z->literals);
    if (symbol < 0) return false;
    if (symbol < END) {
      z->out[z->used++] = (uint8_t)symbol;
      continue;
    }
    if (symbol == END) {
      end_block(z);
      return true;
    }
    symbol -= END + 1;
    if (symbol >= 29) return fails(z, wrong_code);
    uint32_t length, distance;
    if (!take(z, length_bits[symbol], &length)) return false;
    length += length_base[symbol];
    const int far = decode(z, &z->distances);
    if (far < 0) return false;
    if (far >= 30) return fails(z, wrong_code);
    if (!take(z, distance_bits[far], &distance)) return false;
    distance += distance_base[far];
    if (distance > z->size + (z->used - z->begin))
      return fails(z, "the compressed data refers to bytes before its beginning");
    copy_match(z->out + z->used, distance, length);
    z->used += length;
  }
}

/* ---- Headers and trailers */

static bool skip_text(inflater* z) {
  uint32_t byte;
  do {
    if (!take(z, 8, &byte)) return false;
  } while (byte);
  return true;
}

static bool gzip_header(inflater* z) {
  uint32_t magic, method, flags, rest, size, byte;
  if (!take(z, 16, &magic) || !take(z, 8, &method) || !take(z, 8, &flags)) return false;
  if (magic != 0x8b1f || method != 8 || flags & 0xe0)
    return fails(z, "the data does not begin with a header of gzip");
  if (!take(z, 32, &rest) || !take(z, 16, &rest)) return false; /* time, system */
  if (flags & 4) {
    if (!take(z, 16, &size)) return false;
    for (; size; size--)
      if (!take(z, 8, &byte)) return false;
  }
  if (flags & 8 && !skip_text(z)) return false;  /* name */
  if (flags & 16 && !skip_text(z)) return false; /* comment */
  return !(flags & 2) || take(z, 16, &rest);     /* checksum of the header */
}

static bool zlib_header(inflater* z) {
  uint32_t method, flags;
  if (!take(z, 8, &method) || !take(z, 8, &flags)) return false;
  if ((method & 15) != 8 || method >> 4 > 7 || (method << 8 | flags) % 31)
    return fails(z, "the data does not begin with a header of zlib");
  if (flags & 32) return fails(z, "the compressed data needs a dictionary");
  return true;
}

static bool read_header(inflater* z) {
  refill(z);
  if (z->code) return false;
  if (!z->n_bits) { /* nothing, or no further member */
    z->state = AT_END;
    return true;
  }
  z->size = 0;
  z->check = z->format == INFLATE_ZLIB;
  z->state = AT_BLOCK;
  if (z->format == INFLATE_RAW) return true;
  return z->format == INFLATE_GZIP ? gzip_header(z) : zlib_header(z);
}

/* Checks what the caller gets next. */
static void add_to_check(inflater* z) {
  const uint8_t* at = z->out + z->begin;
  const size_t size = z->used - z->begin;
  if (z->format == INFLATE_GZIP) z->check = crc32_of(z->check, at, size);
  if (z->format == INFLATE_ZLIB) z->check = adler32_of(z->check, at, size);
  z->size += size;
}

static bool read_trailer(inflater* z) {
  uint32_t check = 0, size = (uint32_t)z->size;
  drop(z, z->n_bits & 7);
  z->state = AT_END;
  if (z->format == INFLATE_RAW) return true;
  if (!take(z, 32, &check)) return false;
  if (z->format == INFLATE_ZLIB) check = __builtin_bswap32(check);
  if (z->format == INFLATE_GZIP) {
    if (!take(z, 32, &size)) return false;
    z->state = AT_HEADER;
  }
  if (check == z->check && size == (uint32_t)z->size) return true;
  return fails(z, "the compressed data does not agree with its checksum");
}

/* ---- For callers */

inflater* inflate_new(inflate_format format, inflate_more more, void* arg) {
  pthread_once(&prepared, prepare);
  inflater* z = malloc(sizeof *z);
  if (!z) return NULL;
  z->format = format;
  z->more = more;
  z->arg = arg;
  inflate_restart(z);
  return z;
}

void inflate_restart(inflater* z) {
  z->at = z->end = NULL;
  z->bits = 0;
  z->n_bits = z->code = 0;
  z->problem = NULL;
  z->state = AT_HEADER;
  z->last = false;
  z->begin = z->used = 0;
  z->size = 0;
}

/* One part: a header, a block's beginning, as much of a block as there is room for. */
static bool advance(inflater* z) {
  switch (z->state) {
    case AT_HEADER: return read_header(z);
    case AT_BLOCK: return begin_block(z);
    case IN_STORED: return copy_stored(z);
    case IN_CODES: return copy_codes(z);
    default: return read_trailer(z);
  }
}

static bool is_full(const inflater* z) {
  return z->used + LONGEST_COPY + 8 > ROOM;
}

int inflate_next(inflater* z, const uint8_t** data, size_t* size) {
  *size = 0;
  if (z->used > WINDOW) {
    memmove(z->out, z->out + z->used - WINDOW, WINDOW);
    z->used = WINDOW;
  }
  z->begin = z->used;
  /* What came before an error is given out before the error. */
  while (!z->code && z->state != AT_END && !is_full(z)) {
    if (z->state == AT_TRAILER && z->used > z->begin) break; /* which compares the checksum */
    advance(z);
  }
  add_to_check(z);
  *data = z->out + z->begin;
  *size = z->used - z->begin;
  return *size ? TFC_OK : z->code;
}

const char* inflate_problem(const inflater* z) {
  return z->problem;
}

void inflate_free(inflater* z) {
  free(z);
}
