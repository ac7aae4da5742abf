#pragma once
#include <optional>
#include <string>

namespace collbench::nccl {

/// CUDA major version that this libnccl was built for: from "NCCL version 2.28.9+cuda13.0" inside the file,
/// else from a path that names it ("nvidia/cu13", "nccl-cu12", "cuda-12.4"); nothing when neither says.
std::optional<int> cuda_major_of(const std::string& library_path);

}  // namespace collbench::nccl
