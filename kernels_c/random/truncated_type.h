/* Numbers of a normal distribution between two bounds, for one element type, a template. It wants
 *   PER     numbers of a block
 *   EXP, LOG, SQRT, FINITE  functions of T
 * and N(uniforms) and N(normals), which make PER numbers of the words of a block.
 *
 * C. P. Robert, "Simulation of truncated normal variables", 1995. */

typedef struct N(bounds) {
  T mean, deviation, low, high; /* low and high of the standard distribution */
} N(bounds);

/* Bounds that are both below the mean, or no lower one, are those of the mirrored distribution. */
static bool N(bounds_of)(T mean, T deviation, T min, T max, N(bounds) * b) {
  if (!(deviation > 0 && min < max && (FINITE(min) || FINITE(max)))) return false;
  if ((!FINITE(min) && min < 0) || max < mean) {
    const T swapped = min;
    min = max;
    max = swapped;
    deviation = -deviation;
  }
  *b = (N(bounds)){mean, deviation, (min - mean) / deviation, (max - mean) / deviation};
  return true;
}

/* What one block, or two, gives: tries and whether they are accepted. */
static void N(try_normals)(const N(bounds) * b, philox_word_stream* s, T* z, bool* accepted) {
  uint32_t words[PHILOX_WORDS + 4 * VF_N] = {0};
  next_block(s, words);
  N(normals)(words, z);
  for (int i = 0; i < PER; i++) accepted[i] = z[i] >= b->low && z[i] <= b->high;
}

static void N(try_uniform)(const N(bounds) * b, philox_word_stream* s, T* z, bool* accepted) {
  const T nearest = b->low < 0 ? 0 : b->low * b->low, width = b->high - b->low;
  uint32_t words[PHILOX_WORDS];
  T u[PER];
  next_block(s, words);
  N(uniforms)(words, z);
  next_block(s, words);
  N(uniforms)(words, u);
  for (int i = 0; i < PER; i++) {
    z[i] = z[i] * width + b->low;
    accepted[i] = u[i] <= EXP((nearest - z[i] * z[i]) / 2);
  }
}

/* Of two numbers one try. */
static void N(try_exponential)(const N(bounds) * b, philox_word_stream* s, T* z, bool* accepted) {
  const T alpha = (b->low + SQRT(b->low * b->low + 4)) / 2;
  uint32_t words[PHILOX_WORDS];
  T u[PER];
  next_block(s, words);
  N(uniforms)(words, u);
  for (int i = 0; i < PER / 2; i++) {
    z[i] = -LOG(u[2 * i]) / alpha + b->low;
    const T x = b->low < alpha ? alpha - z[i] : b->low - alpha;
    accepted[i] = u[2 * i + 1] <= EXP(-x * x / 2) && z[i] < b->high;
  }
}

/* Fills n numbers; false: so many tries were rejected that something is wrong. */
static bool N(fill_truncated)(tfc_context* ctx, const N(bounds) * b, philox_word_stream* s, T* y,
                              int64_t n) {
  const T root = SQRT(b->low * b->low + 4);
  const T cutoff = 2 * EXP((T)0.5 + b->low * (b->low - root) / 4) / (b->low + root);
  const bool wide = (b->low < -(T)1.3 && b->high >= 0) || (b->high > (T)1.3 && b->low <= 0);
  const bool narrow = b->high - b->low < cutoff;
  const int tries = wide || narrow ? PER : PER / 2;
  int rejected = 0;
  for (int64_t made = 0; made < n;) {
    T z[PER + 4 * VF_N];
    bool accepted[PER];
    if (wide)
      N(try_normals)(b, s, z, accepted);
    else if (narrow)
      N(try_uniform)(b, s, z, accepted);
    else
      N(try_exponential)(b, s, z, accepted);
    for (int i = 0; i < tries && made < n; i++) {
      if (accepted[i]) {
        y[made++] = z[i] * b->deviation + b->mean;
        rejected = 0;
      } else if (++rejected >= MOST_TRIES) {
        return false;
      }
    }
    if (tfc_cancelled(ctx)) return true;
  }
  return true;
}

/* Item: a batch. */
static void N(truncated_batches)(void* arg, int64_t begin, int64_t end) {
  truncated_job* j = arg;
  for (int64_t i = begin; i < end; i++) {
    N(bounds) b;
    T p[4];
    for (int k = 0; k < 4; k++)
      p[k] = (T)tfc_to_double(j->parameters[k], j->parameters[k]->n == 1 ? 0 : i);
    const int64_t first = i * j->per_batch, n = TFC_MIN(j->per_batch, j->n - first);
    if (n <= 0) continue;
    philox_word_stream s = {.blocks = j->stream, .used = PHILOX_WORDS};
    s.blocks.block += (uint64_t)blocks_before(i, j->per_batch);
    if (!N(bounds_of)(p[0], p[1], p[2], p[3], &b))
      __atomic_store_n(&j->failure, TFC_INVALID_ARGUMENT, __ATOMIC_RELAXED);
    else if (!N(fill_truncated)(j->ctx, &b, &s, (T*)j->y + first, n))
      __atomic_store_n(&j->failure, TFC_INTERNAL, __ATOMIC_RELAXED);
  }
}

/* Item: a chunk of the output of the stateless op, in the order of the parameters. */
static void N(truncated_chunks)(void* arg, int64_t begin, int64_t end) {
  truncated_job* j = arg;
  for (int64_t c = begin; c < end; c++) {
    int64_t i = c * CHUNK;
    const int64_t last = TFC_MIN(i + CHUNK, j->n);
    philox_word_stream s = {.blocks = j->stream, .used = PHILOX_WORDS};
    s.blocks.block += (uint64_t)((i * 2 * MOST_TRIES + PER - 1) / PER);
    while (i < last) {
      const int64_t which = i / j->shape.samples, number = i % j->shape.samples;
      const int64_t n = TFC_MIN(j->shape.samples - number, last - i);
      N(bounds) b;
      T p[4], y[CHUNK];
      for (int k = 0; k < 4; k++) {
        const tfc_tensor* t = j->parameters[k];
        p[k] = (T)tfc_to_double(t, parameter_place(&j->shape, t, which));
      }
      int failure = 0;
      if (!N(bounds_of)(p[0], p[1], p[2], p[3], &b))
        failure = TFC_INVALID_ARGUMENT;
      else if (!N(fill_truncated)(j->ctx, &b, &s, y, n))
        failure = TFC_INTERNAL;
      if (failure) __atomic_store_n(&j->failure, failure, __ATOMIC_RELAXED);
      if (failure || tfc_cancelled(j->ctx)) return;
      for (int64_t k = 0; k < n; k++) ((T*)j->y)[(number + k) * j->shape.n + which] = y[k];
      i += n;
    }
  }
}

#undef T
#undef PER
#undef EXP
#undef LOG
#undef SQRT
#undef FINITE
