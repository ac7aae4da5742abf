#include "collectives/pattern_kernels_body.h"

namespace collbench {
const PatternKernels& pattern_kernels_base() noexcept { return kKernels; }
}  // namespace collbench
