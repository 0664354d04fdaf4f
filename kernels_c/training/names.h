/* The optimizers that CPUs and GPUs have: C and CUDA include this list. */
#ifndef TFCORE_TRAINING_NAMES_H
#define TFCORE_TRAINING_NAMES_H

/* DENSE(op type), and SPARSE(op type, its dense op). */
#define TFC_OPTIMIZERS(DENSE, SPARSE)                                      \
  DENSE(ApplyGradientDescent)                                              \
  DENSE(ApplyMomentum)                                                     \
  SPARSE(SparseApplyMomentum, ApplyMomentum)                               \
  DENSE(ApplyAdagrad)                                                      \
  SPARSE(SparseApplyAdagrad, ApplyAdagrad)                                 \
  DENSE(ApplyAdagradV2)                                                    \
  SPARSE(SparseApplyAdagradV2, ApplyAdagradV2)                             \
  DENSE(ApplyAdadelta)                                                     \
  SPARSE(SparseApplyAdadelta, ApplyAdadelta)                               \
  DENSE(ApplyAdam)                                                         \
  DENSE(ApplyAdaMax)                                                       \
  DENSE(ApplyRMSProp)                                                      \
  SPARSE(SparseApplyRMSProp, ApplyRMSProp)                                 \
  DENSE(ApplyCenteredRMSProp)                                              \
  SPARSE(SparseApplyCenteredRMSProp, ApplyCenteredRMSProp)                 \
  DENSE(ApplyFtrl)                                                         \
  SPARSE(SparseApplyFtrl, ApplyFtrl)                                       \
  DENSE(ApplyFtrlV2)                                                       \
  SPARSE(SparseApplyFtrlV2, ApplyFtrlV2)                                   \
  DENSE(ApplyProximalAdagrad)                                              \
  SPARSE(SparseApplyProximalAdagrad, ApplyProximalAdagrad)                 \
  DENSE(ApplyProximalGradientDescent)                                      \
  SPARSE(SparseApplyProximalGradientDescent, ApplyProximalGradientDescent) \
  DENSE(ApplyAdagradDA)                                                    \
  SPARSE(SparseApplyAdagradDA, ApplyAdagradDA)                             \
  DENSE(ApplyAddSign)                                                      \
  DENSE(ApplyPowerSign)

#endif
