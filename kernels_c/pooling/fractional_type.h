/* The loops of pools over regions of different sizes for one element type, a template. It wants
 *   SUM_T   the type that sums wrap in: the unsigned type of an integer
 *   LOWEST  the least value
 *
 * The channels of a pixel follow each other; a value that is not greater, such as NaN, is not the
 * maximum. */

/* The maxima of a region; places, if there are any: of the first of equal ones. */
static void N(fractional_max)(const fractional_job* j, int64_t image, region rows, region columns,
                              T* y, int64_t* places) {
  const int64_t n = j->channels;
  for (int64_t c = 0; c < n; c++) y[c] = LOWEST;
  for (int64_t c = 0; places && c < n; c++) places[c] = -1;
  for (int64_t h = rows.begin; h < rows.end; h++)
    for (int64_t w = columns.begin; w < columns.end; w++) {
      const int64_t at = ((image * j->height + h) * j->width + w) * n;
      const T* x = (const T*)j->x + at;
      for (int64_t c = 0; c < n; c++)
        if (x[c] > y[c] || (places && places[c] < 0)) {
          y[c] = x[c];
          if (places) places[c] = at + c;
        }
    }
}

static void N(fractional_avg)(const fractional_job* j, int64_t image, region rows, region columns,
                              T* y) {
  const int64_t n = j->channels;
  const T count = (T)((rows.end - rows.begin) * (columns.end - columns.begin));
  for (int64_t c = 0; c < n; c++) y[c] = 0;
  for (int64_t h = rows.begin; h < rows.end; h++)
    for (int64_t w = columns.begin; w < columns.end; w++) {
      const T* x = (const T*)j->x + ((image * j->height + h) * j->width + w) * n;
      for (int64_t c = 0; c < n; c++) y[c] = (T)((SUM_T)y[c] + (SUM_T)x[c]);
    }
  for (int64_t c = 0; c < n; c++) y[c] = (T)(y[c] / count);
}

/* Item: a row of regions. */
static void N(fractional_rows)(void* arg, int64_t begin, int64_t end) {
  const fractional_job* j = arg;
  for (int64_t i = begin; i < end; i++) {
    const region rows = region_of(j, &j->rows, i % j->rows.n, j->height);
    for (int64_t k = 0; k < j->columns.n; k++) {
      const region columns = region_of(j, &j->columns, k, j->width);
      T* y = (T*)j->y + (i * j->columns.n + k) * j->channels;
      if (j->average)
        N(fractional_avg)(j, i / j->rows.n, rows, columns, y);
      else
        N(fractional_max)(j, i / j->rows.n, rows, columns, y, NULL);
    }
  }
}

/* The gradient of maxima. Item: an image. Counts the outputs that are not the maxima. */
static void N(fractional_max_grad)(void* arg, int64_t begin, int64_t end) {
  fractional_job* j = arg;
  const int64_t n = j->channels, regions = j->rows.n * j->columns.n;
  T* y = j->y;
  memset(y + begin * j->height * j->width * n, 0,
         (size_t)((end - begin) * j->height * j->width * n) * sizeof *y);
  for (int64_t i = begin * regions; i < end * regions; i++) {
    T* best = (T*)j->best + i * n;
    int64_t* places = j->places + i * n;
    const region rows = region_of(j, &j->rows, i / j->columns.n % j->rows.n, j->height);
    const region columns = region_of(j, &j->columns, i % j->columns.n, j->width);
    N(fractional_max)(j, i / regions, rows, columns, best, places);
    for (int64_t c = 0; c < n; c++) {
      if (best[c] != ((const T*)j->output)[i * n + c])
        __atomic_store_n(&j->other, true, __ATOMIC_RELAXED);
      else if (places[c] >= 0)
        y[places[c]] = (T)((SUM_T)y[places[c]] + (SUM_T)((const T*)j->grad)[i * n + c]);
    }
  }
}

/* The gradient of means, summed in double. Item: an image. */
static void N(fractional_avg_grad)(void* arg, int64_t begin, int64_t end) {
  const fractional_job* j = arg;
  const int64_t n = j->channels, regions = j->rows.n * j->columns.n;
  const int64_t first = begin * j->height * j->width * n, last = end * j->height * j->width * n;
  double* sums = j->sums;
  memset(sums + first, 0, (size_t)(last - first) * sizeof *sums);
  for (int64_t i = begin * regions; i < end * regions; i++) {
    const region rows = region_of(j, &j->rows, i / j->columns.n % j->rows.n, j->height);
    const region columns = region_of(j, &j->columns, i % j->columns.n, j->width);
    const T* grad = (const T*)j->grad + i * n;
    const double count = (double)((rows.end - rows.begin) * (columns.end - columns.begin));
    for (int64_t h = rows.begin; h < rows.end; h++)
      for (int64_t w = columns.begin; w < columns.end; w++)
        for (int64_t c = 0; c < n; c++)
          sums[((i / regions * j->height + h) * j->width + w) * n + c] += (double)grad[c] / count;
  }
  for (int64_t i = first; i < last; i++) ((T*)j->y)[i] = (T)sums[i];
}

#undef T
#undef SUM_T
#undef LOWEST
