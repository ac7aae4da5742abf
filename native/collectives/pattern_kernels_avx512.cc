#if defined(__AVX512F__)
#include "collectives/pattern_kernels_body.h"

namespace collbench {
const PatternKernels& pattern_kernels_avx512() noexcept { return kKernels; }
}  // namespace collbench
#else
#include "collectives/pattern_kernels.h"

namespace collbench {
const PatternKernels& pattern_kernels_avx512() noexcept { return pattern_kernels_base(); }
}  // namespace collbench
#endif
