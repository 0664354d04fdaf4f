/* Positions: what a checkpoint holds of an iterator.
 *
 * The same function of a dataset_kind saves and restores. Each call of position_... for a value
 * appends it when the position is saved, and replaces it when it is restored:
 *
 *   static int take_position(iterator* it, position* p) {
 *     TFC_TRY(position_count(p, &((counted_iterator*)it)->n, INT64_MAX));
 *     return position_of_input(it, p);
 *   }
 *
 * It restores into an iterator that has been opened and has made no element yet. A position that
 * does not fit the pipeline is an error; the half-restored iterator is closed then.
 */
#ifndef TFCORE_POSITION_H
#define TFCORE_POSITION_H

#include "kernels_c/common/wire.h"
#include "kernels_c/data/dataset.h"

struct position {
  tfc_context* ctx; /* an inner one */
  bool saves;
  text_buffer saved;
  wire_reader left; /* when it restores */
  int depth;        /* of datasets in datasets */
  bool has_numbers; /* of calls; false: it was saved before there were any */
  bool refused;     /* it is damaged, or does not fit */
  struct position_commit* commits;
  int64_t n_commits;
};

#pragma GCC visibility push(hidden)
/* How a position is saved, and is restored from bytes. */
position position_to_save(tfc_context* inner);
position position_to_restore(tfc_context* inner, const text_buffer* bytes);
/* All of a pipeline. */
int position_of_pipeline(iterator* it, position* p);
/* When it restores: fn(it) is called once all of the pipeline is restored. For what a dataset
 * shares with other iterators, which a position that is refused must not change. */
int position_commit_later(position* p, void (*fn)(iterator*), iterator* it);
/* Calls them, if `code` is TFC_OK. */
void position_end(position* p, int code);

/* The position of a stage that has none but its input's. */
int position_of_input(iterator* it, position* p);
/* A stage that may be open, over a dataset. */
int position_of_stage(position* p, const tfc_tensor* dataset, iterator** it);

int position_int(position* p, int64_t* value);
/* Between 0 and `most`. */
int position_count(position* p, int64_t* value, int64_t most);
int position_bool(position* p, bool* value);
/* Numbers of the process, in its byte order. */
int position_memory(position* p, void* data, size_t size);
/* Text may be NULL, and is malloc'd. */
int position_text(position* p, char** text);
/* Tensors without memory, if they are restored. */
int position_tensors(position* p, tfc_tensor* tensors, int64_t n);
/* A position that is restored does not fit: the error. */
int position_misfit(position* p, const char* what);
#pragma GCC visibility pop

#endif /* TFCORE_POSITION_H */
