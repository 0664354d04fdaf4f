#include "kernels_c/common/encoded.h"

TFC_ONE_LEVEL;

static void destroy(void* object) {
  tfc_encoded* e = object;
  text_free(&e->type_name);
  text_free(&e->metadata);
}

const tfc_handle_kind tfc_encoded_kind = {"VariantTensorData",
                                          {sizeof(tfc_encoded), destroy, NULL}};
