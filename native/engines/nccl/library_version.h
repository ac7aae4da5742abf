#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace collbench::nccl {

/// CUDA major version that this libnccl was built for: from "NCCL version 2.28.9+cuda13.0" inside the file,
/// else from a path that names it ("nvidia/cu13", "nccl-cu12", "cuda-12.4"); nothing when neither says.
std::optional<int> cuda_major_of(const std::string& library_path);

/// "580.159.04" out of the text of /proc/driver/nvidia/version; "" when there is none in it.
std::string driver_release_in(std::string_view text);

}  // namespace collbench::nccl
