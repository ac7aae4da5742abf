#include "collectives/pattern_kernels_body.h"

namespace collbench {

const PatternKernels& pattern_kernels_base() noexcept { return kKernels; }

Isa best_isa() noexcept {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return Isa::kAvx512;
  // Every processor with AVX2 also converts half precision; F16C came a generation earlier.
  if (__builtin_cpu_supports("avx2")) return Isa::kAvx2;
#endif
  return Isa::kBase;
}

}  // namespace collbench
