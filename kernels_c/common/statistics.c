/* See statistics.h. */
#include "kernels_c/common/statistics.h"

#include <string.h>

#include "kernels_c/common/common.h"

TFC_ONE_LEVEL;

void statistics_set_name(char* to, const char* name) {
  size_t size = name ? strnlen(name, STATISTICS_NAME - 1) : 0;
  if (size) memcpy(to, name, size);
  to[size] = '\0';
}

const statistics_functions* statistics_functions_table(void) {
  static const statistics_functions functions = {.stages = statistics_of_stages,
                                                 .queues = statistics_of_queues};
  return &functions;
}
