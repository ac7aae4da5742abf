#pragma once
#include <string>

#include "cuda/search.h"

namespace collbench::nccl {

/// Finds libnccl.so.2: in `wanted` (--nccl: a file, a folder that contains it, or its lib/), NCCL_HOME,
/// LD_LIBRARY_PATH, Python packages (nvidia/nccl/lib), CUDA folders, then with the loader. If `wanted` is
/// given but missing, nothing replaces it: path stays empty.
cuda::LibrarySearch find_nccl(const std::string& wanted);

}  // namespace collbench::nccl
