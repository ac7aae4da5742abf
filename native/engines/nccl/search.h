#pragma once
#include <string>

#include "cuda/search.h"

namespace collbench::nccl {

/// libnccl.so.2: `wanted` (--nccl: a file, or a folder that has it, or its lib/), NCCL_HOME, LD_LIBRARY_PATH,
/// Python packages (nvidia/nccl/lib), CUDA folders, then the loader. A `wanted` that is not there is not
/// replaced by another: path stays empty.
cuda::Found find_nccl(const std::string& wanted);

}  // namespace collbench::nccl
