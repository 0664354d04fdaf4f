#include "host.h"

/* Names and texts of results. */
static const struct {
  CUresult result;
  const char *name, *text;
} results[] = {
#define ROW(name, number, text) {name, #name, text},
    TFC_DRIVER_RESULTS(ROW)
#undef ROW
};

static int find(CUresult result) {
  for (size_t i = 0; i < sizeof results / sizeof *results; i++)
    if (results[i].result == result) return i;
  return -1;
}

CUresult cuGetErrorName(CUresult result, const char** name) {
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  int i = find(result);
  *name = i < 0 ? NULL : results[i].name;
  return i < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult result, const char** text) {
  if (!text) return CUDA_ERROR_INVALID_VALUE;
  int i = find(result);
  *text = i < 0 ? NULL : results[i].text;
  return i < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
