#if defined(__AVX2__)
#include "collectives/pattern_kernels_body.h"

namespace collbench {
const PatternKernels& pattern_kernels_avx2() noexcept { return kKernels; }
}  // namespace collbench
#else
#include "collectives/pattern_kernels.h"

namespace collbench {
const PatternKernels& pattern_kernels_avx2() noexcept { return pattern_kernels_base(); }
}  // namespace collbench
#endif
