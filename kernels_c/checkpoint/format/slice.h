/* Parts of tensors, as checkpoints of partitioned variables hold them. */
#ifndef TFCORE_CHECKPOINT_SLICE_H
#define TFCORE_CHECKPOINT_SLICE_H

#include "kernels_c/checkpoint/format/file.h"
#include "kernels_c/common/wire.h"

typedef struct ckpt_slice {
  int rank;
  int32_t table; /* in checkpoints of several tables: which one has it */
  int64_t start[TFC_MAX_RANK], length[TFC_MAX_RANK]; /* 0 and -1: the whole dimension */
} ckpt_slice;

/* A box of elements of a tensor. */
typedef struct ckpt_box {
  int rank;
  int64_t start[TFC_MAX_RANK], dims[TFC_MAX_RANK];
} ckpt_box;

/* Reads a specification such as "4 5 0,2:-": the shape of the tensor, which is 4 x 5, and the first
 * two rows of it. */
int ckpt_parse_slice(const char* text, size_t size, int64_t* dims, ckpt_slice*, ckpt_status*);
bool ckpt_slice_is_whole(const ckpt_slice*);
/* The box of a slice of a tensor of this shape; an error if it is not inside. */
int ckpt_slice_box(const ckpt_slice*, int rank, const int64_t* dims, ckpt_box*, ckpt_status*);
ckpt_box ckpt_whole_box(int rank, const int64_t* dims);
int64_t ckpt_box_count(const ckpt_box*);
/* False: they have no element in common. */
bool ckpt_intersect(const ckpt_box* a, const ckpt_box* b, ckpt_box* common);

/* TensorSliceProto and TensorShapeProto. Readers return false for malformed ones. */
void ckpt_add_slice(text_buffer*, int field, const ckpt_slice*);
bool ckpt_read_slice(wire_reader, ckpt_slice*);
void ckpt_add_shape(text_buffer*, int field, int rank, const int64_t* dims);
bool ckpt_read_shape(wire_reader, int* rank, int64_t* dims);

/* The key of a slice's data in the table: it sorts by name, then by place. */
void ckpt_add_slice_key(text_buffer*, const char* name, size_t size, const ckpt_slice*);

#endif /* TFCORE_CHECKPOINT_SLICE_H */
