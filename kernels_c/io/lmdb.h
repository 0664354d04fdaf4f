/* Reads the pairs of keys and values of an LMDB database in the order of their keys, without the
 * library. Nobody may write to the database meanwhile, as in TensorFlow, which takes no lock. */
#ifndef TFCORE_LMDB_H
#define TFCORE_LMDB_H

#include "kernels_c/common/remote_files.h"

typedef struct lmdb_reader lmdb_reader;

/* The path of a file, or of a folder that has it under the name data.mdb. NULL: the status says
 * why.
 */
lmdb_reader* lmdb_open(const char* path, tfc_file_status*);
/* The next pair, valid until the next call. -1: there is none. */
int lmdb_next(lmdb_reader*, tfc_string* key, tfc_string* value, tfc_file_status*);
/* To the first pair. */
void lmdb_rewind(lmdb_reader*);
void lmdb_close(lmdb_reader*);

#endif /* TFCORE_LMDB_H */
