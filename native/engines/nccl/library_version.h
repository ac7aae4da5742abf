#pragma once
#include <optional>
#include <string>

namespace collbench::nccl {

/// Returns the CUDA major version for which a libnccl was built. It comes from the text "NCCL version
/// 2.28.9+cuda13.0" in the file, or from the path ("nvidia/cu13", "nccl-cu12", "cuda-12.4"). nullopt if both
/// have no version.
std::optional<int> cuda_major_of(const std::string& library_path);

}  // namespace collbench::nccl
