#pragma once
#include <vector>

#include "cuda/nvrtc_api.h"

namespace collbench::cuda {

/// Compiles CUDA source with NVRTC for GPUs of this compute capability (90 for 9.0) and returns the binary to
/// load.
/// @throws Error(kUnavailable) with the compiler's log
std::vector<char> compile(const NvrtcApi& nvrtc, const char* source, int capability);

}  // namespace collbench::cuda
