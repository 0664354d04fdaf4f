/* WAV files of 16-bit samples, as encoders write them. */
#ifndef TFCORE_WAV_H
#define TFCORE_WAV_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { WAV_SAMPLE_BYTES = 2, WAV_HEADER_BYTES = 44 };

/* Whether the size of the file fits into its 32 bits; channels > 0. */
static inline bool wav_fits(int64_t frames, int64_t channels) {
  return frames <= (UINT32_MAX - WAV_HEADER_BYTES) / (channels * WAV_SAMPLE_BYTES);
}
static inline size_t wav_size(int64_t frames, int64_t channels) {
  return WAV_HEADER_BYTES + (size_t)(frames * channels * WAV_SAMPLE_BYTES);
}

static inline char* wav_put(char* to, uint32_t x, int bytes) {
  for (int i = 0; i < bytes; i++) *to++ = (char)(x >> 8 * i);
  return to;
}
static inline char* wav_put_text(char* to, const char* text) {
  size_t n = strlen(text);
  memcpy(to, text, n);
  return to + n;
}

/* Writes the header; returns the place of the first sample. */
static inline char* wav_put_header(char* to, int64_t frames, uint32_t channels, uint32_t rate) {
  const uint32_t data_bytes = (uint32_t)(frames * channels * WAV_SAMPLE_BYTES);
  to = wav_put_text(to, "RIFF");
  to = wav_put(to, WAV_HEADER_BYTES - 8 + data_bytes, 4);
  to = wav_put_text(to, "WAVEfmt ");
  to = wav_put(to, 16, 4); /* size of the format */
  to = wav_put(to, 1, 2);  /* PCM */
  to = wav_put(to, channels, 2);
  to = wav_put(to, rate, 4);
  to = wav_put(to, rate * channels * WAV_SAMPLE_BYTES, 4); /* bytes a second */
  to = wav_put(to, channels * WAV_SAMPLE_BYTES, 2);
  to = wav_put(to, 8 * WAV_SAMPLE_BYTES, 2);
  to = wav_put_text(to, "data");
  return wav_put(to, data_bytes, 4);
}

static inline int16_t wav_sample(float x) {
  const float scaled = roundf(x * 32768);
  if (scaled != scaled) return 0;
  return scaled >= INT16_MAX ? INT16_MAX : scaled <= INT16_MIN ? INT16_MIN : (int16_t)scaled;
}
static inline void wav_put_samples(char* to, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    wav_put(to + i * WAV_SAMPLE_BYTES, (uint16_t)wav_sample(x[i]), WAV_SAMPLE_BYTES);
}

#endif /* TFCORE_WAV_H */
