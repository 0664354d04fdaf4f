/* What the optimizers' kernels of all devices share: their arguments, attributes and checks. */
#ifndef TFCORE_TRAINING_OPS_H
#define TFCORE_TRAINING_OPS_H

#include "kernels_c/common/common.h"

/* Attributes. */
enum { USE_NESTEROV = 1, UPDATE_SLOTS = 2, MULTIPLY_BY_LR = 4 };
enum { MAX_SLOTS = 4, MAX_SCALARS = 6, MAX_ARGS = 11 };

typedef enum {
  GRADIENT_DESCENT,
  MOMENTUM,
  ADAGRAD,
  ADAGRAD_V2,
  ADADELTA,
  ADAM,
  ADA_MAX,
  RMSPROP,
  CENTERED_RMSPROP,
  FTRL,
  FTRL_V2,
  PROXIMAL_ADAGRAD,
  PROXIMAL_GRADIENT_DESCENT,
  ADAGRAD_DA,
  ADD_SIGN,
  POWER_SIGN,
  KERAS_MOMENTUM,
  ADAM_WITH_AMSGRAD,
  OPTIMIZERS
} optimizer;

/* The state of a kernel. */
typedef struct training_state {
  optimizer kind;
  int slots;               /* the first arguments: the variable and its slots */
  const char* const* args; /* of the dense op; the sparse one has indices after the gradient */
  unsigned flags;
  bool sparse;
  int grad; /* index of the gradient input; the indices follow it */
} training_state;

#pragma GCC visibility push(hidden)

/* Reads which optimizer this is, and its attributes. */
int tfc_training_read(tfc_construction* c, training_state* st);
/* The inputs that are scalars, in their order: their number, or minus the code of an error. */
int tfc_training_scalars(tfc_context* ctx, const training_state* st,
                         const tfc_tensor* scalars[MAX_SCALARS]);
/* Checks the values of these scalars for proximal AdaGrad and sparse FTRL, as TensorFlow does on
 * the CPU. */
int tfc_training_limits(tfc_context* ctx, const training_state* st, const double* values);
/* Checks the shapes of all tensors, but not the values of indices. */
int tfc_training_check(tfc_context* ctx, const training_state* st, tfc_tensor* const* slots);
/* The text of the error of a wrong index. */
void tfc_training_index_text(char* text, size_t size, int64_t row, int64_t offset);

#pragma GCC visibility pop

#endif /* TFCORE_TRAINING_OPS_H */
