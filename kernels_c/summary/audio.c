/* AudioSummary, AudioSummaryV2: the first sounds of a batch as WAV files with 16 bits a sample.
 *
 *   Audio{float sample_rate = 1; int64 num_channels = 2; int64 length_frames = 3;
 *         bytes encoded_audio_string = 4; string content_type = 5}
 */
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/wav.h"
#include "kernels_c/summary/summary.h"

TFC_ONE_LEVEL;

enum { AUDIO_RATE = 1, AUDIO_CHANNELS = 2, AUDIO_FRAMES = 3, AUDIO_ENCODED = 4, AUDIO_TYPE = 5 };

typedef struct audio_state {
  int64_t most;
  double rate; /* of AudioSummary; negative: an input */
} audio_state;

static int create(tfc_construction* c, bool has_rate, void** state) {
  audio_state* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  s->rate = -1;
  int code = c->api->attr_int(c, "max_outputs", &s->most);
  if (!code && has_rate) code = c->api->attr_float(c, "sample_rate", &s->rate);
  if (code)
    free(s);
  else
    *state = s;
  return code;
}
static int create_with_rate(tfc_construction* c, void** state) {
  return create(c, true, state);
}
static int create_without_rate(tfc_construction* c, void** state) {
  return create(c, false, state);
}

/* ---- Kernels. */

static int read_rate(tfc_context* ctx, float* rate) {
  const audio_state* s = ctx->state;
  *rate = (float)s->rate;
  if (s->rate < 0 && ctx->n_inputs > 2) {
    const tfc_tensor* t = ctx->inputs[2];
    if (t->n != 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "sample_rate must be a scalar, not of shape %s",
                       tfc_shape_text(t).text);
    *rate = *(const float*)t->data;
  }
  if (!(*rate > 0)) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "sample_rate must be > 0");
  if (*rate >= 4294967040.0f)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "sample_rate must be in (0, 2^32), got: %g",
                     (double)*rate);
  return TFC_OK;
}

static int check_audio(tfc_context* ctx, int64_t frames, int64_t channels) {
  if (channels == 0 || channels > UINT16_MAX)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_channels must be in (0, 2^16), got: %lld",
                     (long long)channels);
  if (frames == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_frames must be positive.");
  if (!wav_fits(frames, channels))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Provided channels and frames cannot be encoded as a WAV.");
  return TFC_OK;
}

static void add_audio(text_buffer* value, const float* x, int64_t frames, int64_t channels,
                      float rate) {
  static const char type[] = "audio/wav";
  text_buffer audio = {0}, file = {0};
  const long whole_rate = lrintf(rate);
  file.data = malloc(wav_size(frames, channels));
  if (!file.data) {
    value->failed = true;
    return;
  }
  file.size = wav_size(frames, channels);
  wav_put_samples(
      wav_put_header(file.data, frames, (uint32_t)channels, (uint32_t)TFC_MAX(whole_rate, 1)), x,
      frames * channels);
  summary_add_float(&audio, AUDIO_RATE, rate);
  wire_add_int(&audio, AUDIO_CHANNELS, channels);
  wire_add_int(&audio, AUDIO_FRAMES, frames);
  summary_add_message(&audio, AUDIO_ENCODED, &file);
  wire_add_bytes(&audio, AUDIO_TYPE, type, strlen(type));
  summary_add_message(value, VALUE_AUDIO, &audio);
}

static int audio_summary(tfc_context* ctx) {
  const audio_state* s = ctx->state;
  const tfc_tensor *tag = ctx->inputs[0], *sounds = ctx->inputs[1];
  float rate;
  if (tag->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Tag must be a scalar, not of shape %s",
                     tfc_shape_text(tag).text);
  if (sounds->rank < 2 || sounds->rank > 3)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Tensor must be 3-D or 2-D, got: %s",
                     tfc_shape_text(sounds).text);
  TFC_TRY(read_rate(ctx, &rate));
  const int64_t frames = sounds->dims[1], channels = sounds->rank == 2 ? 1 : sounds->dims[2];
  const int64_t n = TFC_MIN(s->most, sounds->dims[0]);
  if (n > 0) TFC_TRY(check_audio(ctx, frames, channels));
  text_buffer summary = {0};
  for (int64_t i = 0; i < n && !summary.failed; i++) {
    if (tfc_cancelled(ctx)) {
      text_free(&summary);
      return TFC_CANCELLED;
    }
    text_buffer value = {0};
    summary_add_numbered_tag(&value, summary_strings(tag), "/audio", s->most, i);
    add_audio(&value, (const float*)sounds->data + i * frames * channels, frames, channels, rate);
    summary_add_message(&summary, SUMMARY_VALUE, &value);
  }
  return summary_finish(ctx, &summary);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("AudioSummary", "", audio_summary, TFC_STATE(create_with_rate)),
    TFC_ROW("AudioSummaryV2", "", audio_summary, TFC_STATE(create_without_rate)),
};
TFC_REGISTER_KERNELS(kernels);
