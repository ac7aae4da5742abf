#pragma once
#include <optional>
#include <string>

#include "cuda/search.h"

namespace collbench::nccl {

/// Looks for libnccl.so.2, in this order: `wanted`, NCCL_HOME, LD_LIBRARY_PATH, Python packages
/// (nvidia/nccl/lib), CUDA folders, the loader's own search. If `wanted` is not empty, only that place
/// counts, and the result's path is empty if the library is not there.
/// @param wanted option --nccl: a file, or a folder that has the library in it or in its lib/; "" = not given
cuda::LibrarySearch find_nccl(const std::string& wanted);

/// Returns the CUDA major version for which a libnccl was built. It comes from the text "NCCL version
/// 2.28.9+cuda13.0" in the file, or from the path ("nvidia/cu13", "nccl-cu12", "cuda-12.4"). nullopt if both
/// have no version.
std::optional<int> cuda_major_of(const std::string& library_path);

}  // namespace collbench::nccl
