#if defined(__AVX512F__)
#include "engines/cpu/kernels_body.h"

namespace collbench::cpu {
const Kernels& kernels_avx512() noexcept { return kKernels; }
}  // namespace collbench::cpu
#else
#include "engines/cpu/kernels.h"

namespace collbench::cpu {
const Kernels& kernels_avx512() noexcept { return kernels_base(); }
}  // namespace collbench::cpu
#endif
