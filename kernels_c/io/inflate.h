/* Expands what DEFLATE has compressed (RFC 1951), in the formats of zlib (RFC 1950) and gzip (RFC
 * 1952). Compressed bytes are asked for as they are needed, and nothing is allocated that depends
 * on what they say.
 *
 *   inflater* z = inflate_new(INFLATE_GZIP, more, file);
 *   while (!(code = inflate_next(z, &data, &size)) && size) use(data, size);
 *   if (code) report(code, inflate_problem(z));
 *   inflate_free(z);
 */
#ifndef TFCORE_INFLATE_H
#define TFCORE_INFLATE_H

#include <stddef.h>
#include <stdint.h>

typedef enum inflate_format {
  INFLATE_RAW,  /* without a header */
  INFLATE_ZLIB, /* a header and a checksum (Adler-32) */
  INFLATE_GZIP  /* a header and a checksum (CRC-32); several may follow each other */
} inflate_format;

typedef struct inflater inflater;

/* Gives the next compressed bytes, which stay valid until the next call; *size 0: there are none.
 * Returns TFC_OK or the code of an error. */
typedef int (*inflate_more)(void* arg, const uint8_t** data, size_t* size);

enum { INFLATE_MOST = (1 << 17) + 512 }; /* bytes that inflate_next gives at most */

/* NULL: no memory. */
inflater* inflate_new(inflate_format, inflate_more more, void* arg);
/* Expanded bytes, valid until the next call; *size 0: the end. TFC_DATA_LOSS: the bytes are not in
 * the format; the code of `more`, if that failed. */
int inflate_next(inflater*, const uint8_t** data, size_t* size);
/* What was wrong with the compressed bytes; NULL: nothing, `more` failed. */
const char* inflate_problem(const inflater*);
/* Begins again: `more` gives the first bytes. */
void inflate_restart(inflater*);
void inflate_free(inflater*);

#endif /* TFCORE_INFLATE_H */
