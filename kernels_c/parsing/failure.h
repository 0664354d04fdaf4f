/* The failure of a loop over items on several threads: that of the first item that fails, whatever
 * the threads do. */
#ifndef TFCORE_PARSING_FAILURE_H
#define TFCORE_PARSING_FAILURE_H

#include <pthread.h>
#include <stdarg.h>

#include "kernels_c/common/common.h"

typedef struct failure {
  pthread_mutex_t lock;
  int64_t item; /* INT64_MAX if all is well */
  int code;
  char text[2048];
} failure;

static inline void failure_begin(failure* f) {
  pthread_mutex_init(&f->lock, NULL);
  f->item = INT64_MAX;
}
/* Whether an item may be left out since an earlier one failed. */
static inline bool failure_before(const failure* f, int64_t item) {
  return __atomic_load_n(&f->item, __ATOMIC_RELAXED) < item;
}
/* Keeps the text if no earlier item failed. */
static inline void failure_setv(failure* f, int64_t item, int code, const char* prefix,
                                const char* format, va_list args) {
  pthread_mutex_lock(&f->lock);
  if (item < f->item) {
    __atomic_store_n(&f->item, item, __ATOMIC_RELAXED);
    f->code = code;
    const int used = snprintf(f->text, sizeof f->text, "%s", prefix);
    if (used >= 0 && used < (int)sizeof f->text)
      vsnprintf(f->text + used, sizeof f->text - (size_t)used, format, args);
  }
  pthread_mutex_unlock(&f->lock);
}
__attribute__((format(printf, 4, 5))) static inline void failure_set(failure* f, int64_t item,
                                                                     int code, const char* format,
                                                                     ...) {
  va_list args;
  va_start(args, format);
  failure_setv(f, item, code, "", format, args);
  va_end(args);
}
/* After the loop: TFC_OK, or the code to return. */
static inline int failure_end(tfc_context* ctx, failure* f) {
  pthread_mutex_destroy(&f->lock);
  return f->item == INT64_MAX ? TFC_OK : tfc_error(ctx, f->code, "%s", f->text);
}

#endif /* TFCORE_PARSING_FAILURE_H */
