/* Templates: code that stands once and is compiled for several element types.
 *
 * A template is a file named *_type.h. It is included once for each type:
 *
 *   #define T int8_t
 *   #include "kernels_c/pooling/pooling_type.h"
 *
 * T is one word; complex types need a typedef. The first comment of a template lists the other
 * macros that the including file must define. The template undefines these, T and its own macros at
 * its end. It may use
 *
 *   N(x)    x with the name of the type: N(pool_max) is pool_max_int8
 *
 * and for the types that have vectors (simd_types.h)
 *
 *   V       a vector of T: vb
 *   M       the mask that a comparison of two of them gives
 *   LANES   the number of elements of V
 *   OF(f)   the function f of V: OF(load) is vb_load
 */
#ifndef TFCORE_TEMPLATE_H
#define TFCORE_TEMPLATE_H

#define TFC_JOIN(A, B) TFC_JOIN_(A, B)
#define TFC_JOIN_(A, B) A##B
#define TFC_CALL(F, ARGUMENTS) F ARGUMENTS
#define TFC_FIRST(A, B, C) A
#define TFC_SECOND(A, B, C) B
#define TFC_THIRD(A, B, C) C

/* Types as parts of names. */
#define TFC_NAME_float float
#define TFC_NAME_double double
#define TFC_NAME_int8_t int8
#define TFC_NAME_uint8_t uint8
#define TFC_NAME_int16_t int16
#define TFC_NAME_uint16_t uint16
#define TFC_NAME_int32_t int32
#define TFC_NAME_uint32_t uint32
#define TFC_NAME_int64_t int64
#define TFC_NAME_uint64_t uint64
#define TFC_NAME_tfc_half half
#define TFC_NAME_tfc_bfloat16 bfloat16
#define TFC_NAME_complex64 complex64
#define TFC_NAME_complex128 complex128

#define TFC_VECTOR_OF(TYPE) TFC_CALL(TFC_FIRST, TFC_JOIN(TFC_VECTORS_, TYPE))

#define N(X) TFC_JOIN(X##_, TFC_JOIN(TFC_NAME_, T))
#define V TFC_VECTOR_OF(T)
#define M TFC_CALL(TFC_SECOND, TFC_JOIN(TFC_VECTORS_, T))
#define LANES TFC_CALL(TFC_THIRD, TFC_JOIN(TFC_VECTORS_, T))
#define OF(F) TFC_JOIN(V, _##F)

#endif /* TFCORE_TEMPLATE_H */
