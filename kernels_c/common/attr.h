/* Attributes of a construction that have limits of their own. */
#ifndef TFCORE_ATTR_H
#define TFCORE_ATTR_H

#include "kernels_c/common/common.h"

/* An int that TensorFlow keeps in 32 bits. */
static inline int tfc_attr_int32(tfc_construction* c, const char* name, int64_t* value) {
  TFC_TRY(c->api->attr_int(c, name, value));
  if (*value >= INT32_MIN && *value <= INT32_MAX) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT, "Attr %s has value %lld out of range for an int32",
                       name, (long long)*value);
}

#endif /* TFCORE_ATTR_H */
