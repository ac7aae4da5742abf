#pragma once
#include <optional>
#include <string>

namespace collbench::nccl {

/// Returns the CUDA major version that a libnccl was built for. It is read from "NCCL version
/// 2.28.9+cuda13.0" inside the file, or from its path ("nvidia/cu13", "nccl-cu12", "cuda-12.4"). nullopt if
/// neither tells.
std::optional<int> cuda_major_of(const std::string& library_path);

}  // namespace collbench::nccl
