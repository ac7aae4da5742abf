#include "engines/nccl/device_api/build.h"

#include "cuda/nvcc/build.h"

namespace collbench::nccl {

std::string build_device_api(const DeviceApiBuild& build) {
  cuda::NvccBuild wanted;
  wanted.what = "the kernels on NCCL's device API";
  wanted.name = "device-api";
  wanted.nvcc = build.tools.nvcc;
  wanted.source = build.source;
  wanted.capability = build.capability;
  wanted.key = {std::to_string(build.nccl_version), build.tools.include};
  // Declaring it as a system folder would hide it from the C++ library's own headers.
  if (build.tools.include != "/usr/include") wanted.options = {"-isystem", build.tools.include};
  wanted.cancelled = build.cancelled;
  return cuda::build_with_nvcc(wanted);
}

}  // namespace collbench::nccl
