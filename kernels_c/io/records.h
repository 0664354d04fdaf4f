/* Reads the records of a file, one after the other: TensorFlow's records, lines, pieces of a fixed
 * length, or all of it. Knows nothing of kernels.
 *
 *   record_options options = {.format = RECORD_TF, .compression = RECORD_GZIP};
 *   record_reader* r = record_open(path, size, &options, &status);
 *   if (!r) return report(status.code, status.text);
 *   while ((code = record_next(r, &data, &size, &status)) == TFC_OK) use(data, size);
 *   record_close(r);
 *   if (code != RECORD_END) return report(status.code, status.text);
 */
#ifndef TFCORE_RECORDS_H
#define TFCORE_RECORDS_H

#include "kernels_c/common/remote_files.h"

enum { RECORD_END = -1 }; /* beside the codes of tfc_code */

typedef enum record_format {
  RECORD_TF,    /* length, checksum, data, checksum */
  RECORD_LINE,  /* without the line end, "\n" or "\r\n" */
  RECORD_FIXED, /* what is left at the end is dropped */
  RECORD_WHOLE,
  RECORD_LMDB /* the values of a database, which have keys; offsets are numbers of records */
} record_format;

typedef enum record_compression { RECORD_PLAIN, RECORD_ZLIB, RECORD_GZIP } record_compression;

typedef struct record_options {
  record_format format;
  record_compression compression;
  size_t buffer_size; /* bytes that are read at a time; 0: as many as are best */
  int64_t skip_lines; /* RECORD_LINE */
  /* RECORD_FIXED. hop_bytes: from one record's beginning to the next one's; 0: record_bytes. */
  int64_t header_bytes, record_bytes, footer_bytes, hop_bytes;
  bool skip_damaged; /* RECORD_TF, see record_damaged */
} record_options;

typedef tfc_file_status record_status;

typedef struct record_reader record_reader;

/* False: there is no compression of that name ("", "ZLIB" or "GZIP"). */
bool record_compression_of(const char* name, size_t size, record_compression*);

/* Paths may begin with file://, or another scheme that Python knows. NULL: the status says why. */
record_reader* record_open(const char* path, size_t size, const record_options*, record_status*);
/* The next record, valid until the next call. RECORD_END: there is none. After an error the reader
 * stays where it is, and says the same again. */
int record_next(record_reader*, const char** data, size_t* size, record_status*);
/* RECORD_LMDB: the key of the last record, valid as long as the record. */
tfc_string record_key(const record_reader*);
/* Where the next record begins: an offset in the file, or in what it expands to. */
int64_t record_tell(const record_reader*);
/* To a place that record_tell gave. */
int record_seek(record_reader*, int64_t offset, record_status*);
/* How many damaged records were left out so far. After one whose length is right the next one is
 * read; else nobody knows where it begins, and the file ends there. */
int64_t record_damaged(const record_reader*);
/* NULL: nothing to do. Reports damaged records on standard error. */
void record_close(record_reader*);

/* What stands before and after the data of one of TensorFlow's records. */
enum { RECORD_HEAD = 12, RECORD_FOOT = 4 };
void record_frame(const void* data, size_t size, uint8_t head[RECORD_HEAD],
                  uint8_t foot[RECORD_FOOT]);

/* The path in the text that a program gives: a new string, without file://; it may be remote. NULL:
 * the status says why. */
char* record_path(const char* text, size_t size, record_status*);
/* Notes an error of the system for a path; returns the code. */
int record_fail_system(record_status*, int number, const char* path);
int record_fail(record_status*, int code, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

/* Functions for tfcore/core/registry/records.pyx, which finds the table by its name. */
typedef struct record_functions {
  bool (*compression_of)(const char*, size_t, record_compression*);
  record_reader* (*open)(const char*, size_t, const record_options*, record_status*);
  int (*next)(record_reader*, const char**, size_t*, record_status*);
  int64_t (*tell)(const record_reader*);
  int (*seek)(record_reader*, int64_t, record_status*);
  void (*close)(record_reader*);
  void (*frame)(const void*, size_t, uint8_t*, uint8_t*);
} record_functions;

TFC_EXPORT const record_functions* record_functions_table(void);

#endif /* TFCORE_RECORDS_H */
