/* Values of type variant that are bytes: what can be serialized of a value that is not a tensor. */
#ifndef TFCORE_ENCODED_H
#define TFCORE_ENCODED_H

#include "kernels_c/common/handle.h"
#include "kernels_c/common/text.h"

/* As in the message VariantTensorDataProto. */
typedef struct tfc_encoded {
  tfc_handle handle;
  text_buffer type_name, metadata;
} tfc_encoded;

#pragma GCC visibility push(hidden)
extern const tfc_handle_kind tfc_encoded_kind;
#pragma GCC visibility pop

#endif /* TFCORE_ENCODED_H */
