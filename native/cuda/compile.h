#pragma once
#include <vector>

#include "cuda/nvrtc_api.h"

namespace collbench::cuda {

/// Compiles our kernels in `source` for GPUs of this capability (90 for 9.0) and returns the image.
/// @throws Error(kUnavailable) with the compiler's log
std::vector<char> compile(const NvrtcApi& nvrtc, const char* source, int capability);

}  // namespace collbench::cuda
