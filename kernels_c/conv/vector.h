/* Sizes and small functions of the convolution engine. */

#if (TFC_LEVEL_NUM == 2 && defined(CONV_SHORT)) || defined(__aarch64__)
#define CONV_MR 14
#elif TFC_LEVEL_NUM == 2 /* rare types: larger tiles compile slowly and gain little */
#define CONV_MR 8
#elif TFC_LEVEL_NUM == 1
#define CONV_MR 6
#else
#define CONV_MR 4
#endif
#define CONV_NV 2
/* Fewest inner columns, and fewest rows in a column, to process columns at the edge separately. */
#define CONV_RIM_COLS 4
#define CONV_RIM_ROWS 6
#define CONV_RIM_CHANNELS \
  16 /* and fewest input channels: short blocks of k cost more than they save */
/* From this many input channels on, the gradient of the filter goes tap by tap. */
#define CONV_FILTER_CHANNELS 24

#define NB (CONV_NV * LANES) /* output channels of a block */

/* Keeps the compiler from seeing how pointers relate, so that it holds three of them in registers
 * instead of one for each row of the tile. */
#define HIDE(x) __asm__("" : "+r"(x))

static inline int64_t min64(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static inline int64_t max64(int64_t a, int64_t b) {
  return a > b ? a : b;
}
static inline int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}
