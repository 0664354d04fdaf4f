/* See array/copy.h: boxes, for the copies of all devices. */
#include "kernels_c/array/copy.h"
#include "kernels_c/common/common.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

static bool merges(const tfc_box* b, int i, int64_t dim, int64_t to, int64_t from) {
  return b->to[i] == to * dim && b->from[i] == from * dim;
}

void tfc_simplify_box(const tfc_box* in, tfc_box* out) {
  out->rank = 0;
  for (int i = 0; i < in->rank; i++) {
    if (in->dims[i] == 1) continue;
    const int last = out->rank - 1;
    if (last >= 0 && merges(out, last, in->dims[i], in->to[i], in->from[i])) {
      out->dims[last] *= in->dims[i];
      out->to[last] = in->to[i];
      out->from[last] = in->from[i];
    } else {
      out->dims[out->rank] = in->dims[i];
      out->to[out->rank] = in->to[i];
      out->from[out->rank++] = in->from[i];
    }
  }
}

static bool all_multiples(const tfc_box* b, int rank, int64_t n) {
  for (int i = 0; i < rank; i++)
    if (b->to[i] % n || b->from[i] % n) return false;
  return true;
}

void tfc_widen_box(tfc_box* b, size_t* size, int64_t most) {
  while (b->rank > 0 && b->to[b->rank - 1] == 1 && b->from[b->rank - 1] == 1) {
    const int last = b->rank - 1;
    int64_t factor = 0;
    for (int64_t f = 2; f * (int64_t)*size <= most; f *= 2)
      if (b->dims[last] % f == 0 && all_multiples(b, last, f)) factor = f;
    if (factor == 0 || b->dims[last] != factor) return;
    *size *= (size_t)factor;
    b->rank--;
    for (int i = 0; i < b->rank; i++) {
      b->to[i] /= factor;
      b->from[i] /= factor;
    }
  }
}
