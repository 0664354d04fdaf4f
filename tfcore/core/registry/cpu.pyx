"""The instruction sets that the processor and the system support, as they report them."""

cdef extern from *:
    """
    #if defined(__x86_64__)
    static int tfc_has_avx2(void) {
      __builtin_cpu_init();
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    }
    static int tfc_has_avx512(void) {
      return tfc_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
    }
    #else
    static int tfc_has_avx2(void) { return 0; }
    static int tfc_has_avx512(void) { return 0; }
    #endif
    """
    bint tfc_has_avx2()
    bint tfc_has_avx512()


def has_avx2():
    """Whether x86-64-v3 can be used: processors with AVX2, FMA and BMI2 have the rest of that level, too."""
    return tfc_has_avx2()


def has_avx512():
    """Whether AVX-512 F, BW, CD, DQ and VL (x86-64-v4) can be used."""
    return tfc_has_avx512()
