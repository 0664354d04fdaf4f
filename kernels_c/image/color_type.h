/* Colours of BLOCK pixels, one array for each channel, in place: loops that compilers turn into
 * vectors. T: float or double. */

static inline T N(larger)(T a, T b) {
  return a > b ? a : b;
}
static inline T N(smaller)(T a, T b) {
  return a < b ? a : b;
}

/* Hue in [0, 6), where `range`, the difference between the largest and smallest channel, is not 0.
 */
static inline T N(hue)(T r, T g, T b, T v, T range) {
  T scale = 1 / range;
  T h = r == v ? (g - b) * scale : g == v ? (b - r) * scale + 2 : (r - g) * scale + 4;
  h = range > 0 ? h : 0;
  return h < 0 ? h + 6 : h;
}

static void N(rgb_to_hsv)(T* x, T* y, T* z) {
  for (int i = 0; i < BLOCK; i++) {
    T r = x[i], g = y[i], b = z[i];
    T v = N(larger)(N(larger)(r, g), b), range = v - N(smaller)(N(smaller)(r, g), b);
    x[i] = N(hue)(r, g, b, v, range) / 6;
    y[i] = v > 0 ? range / v : 0;
    z[i] = v;
  }
}

/* How much of the largest channel's lead over the smallest one a channel has. */
static inline T N(share)(T x) {
  return N(smaller)(N(larger)(x, 0), 1);
}

static void N(hsv_to_rgb)(T* x, T* y, T* z) {
  for (int i = 0; i < BLOCK; i++) {
    T h = 6 * x[i], s = y[i], v = z[i];
    T d3 = h - 3, d2 = h - 2, d4 = h - 4;
    d3 = d3 < 0 ? -d3 : d3;
    d2 = d2 < 0 ? -d2 : d2;
    d4 = d4 < 0 ? -d4 : d4;
    x[i] = (1 - s + s * N(share)(d3 - 1)) * v;
    y[i] = (1 - s + s * N(share)(2 - d2)) * v;
    z[i] = (1 - s + s * N(share)(2 - d4)) * v;
  }
}

/* Splits n pixels into channels; the rest of the block is black. */
static void N(split)(const T* from, T* x, T* y, T* z, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    x[i] = from[3 * i];
    y[i] = from[3 * i + 1];
    z[i] = from[3 * i + 2];
  }
  for (int64_t i = n; i < BLOCK; i++) x[i] = y[i] = z[i] = 0;
}
static void N(join)(const T* x, const T* y, const T* z, T* to, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    to[3 * i] = x[i];
    to[3 * i + 1] = y[i];
    to[3 * i + 2] = z[i];
  }
}

#undef T
