#pragma once
// What compiling against NCCL's device API takes on a node: nvcc, its host compiler, and the headers of the
// very libnccl in use.
#include <string>

namespace collbench::nccl {

struct Toolchain {
  std::string nvcc;     // path of the program
  std::string include;  // folder of nccl.h and nccl_device.h
};

struct ToolchainLook {
  Toolchain found;      // complete when why_not is empty
  std::string why_not;  // sentences that name each missing piece and where it comes from
};

/// nvcc: $CUDA_HOME/bin, $CUDA_PATH/bin, PATH, /usr/local/cuda/bin, the CUDA packages beside a Python package
/// of NCCL. Headers: beside the library (../include, ../../include), $NCCL_HOME, $CUDA_HOME, $CUDA_PATH,
/// /usr/local/cuda, /usr/include; of these the first whose NCCL_VERSION_CODE is the library's, because
/// structures differ from release to release. Runs nothing.
/// @param nccl_version ncclGetVersion()
ToolchainLook find_toolchain(const std::string& nccl_path, int nccl_version);

}  // namespace collbench::nccl
