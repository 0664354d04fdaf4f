/* The message TensorProto. Tensors are written with their elements as bytes, and read in all forms.
 *
 *   TensorProto{dtype = 1; TensorShapeProto tensor_shape = 2; tensor_content = 4; repeated values
 * in a field for each type: float_val = 5, double_val = 6, int_val = 7, string_val = 8, ...}
 *   TensorShapeProto{repeated Dim dim = 2; unknown_rank = 3}, Dim{size = 1; name = 2} */
#ifndef TFCORE_TENSOR_PROTO_H
#define TFCORE_TENSOR_PROTO_H

#include "kernels_c/common/wire.h"

typedef struct tensor_proto {
  int32_t dtype;
  int rank;
  int64_t dims[TFC_MAX_RANK], n;
  wire_reader message, content; /* content.at is NULL if the values are in fields */
} tensor_proto;

/* Reads everything but the elements. Returns NULL, or what is wrong. */
const char* tensor_proto_open(wire_reader message, tensor_proto* t);
/* Stores the elements in `to`, of the same type, from `at` on. TFC_OK or a code; the text of the
 * error names the message: `what`. */
int tensor_proto_store(tfc_context* ctx, const tensor_proto* t, const char* what, tfc_tensor* to,
                       int64_t at);

/* Appends the message of a tensor of this type and shape, whose elements are those of a tensor from
 * `first` on. In SerializeTensor strings are values in a field, elsewhere bytes with their lengths
 * before them. */
void tensor_proto_add(text_buffer* to, int rank, const int64_t* dims, const tfc_tensor* elements,
                      int64_t first, bool strings_as_values);

#endif /* TFCORE_TENSOR_PROTO_H */
