#pragma once
// The three doubles, opened as the engine opens the vendors' libraries.
#include <cstddef>
#include <cstdint>
#include <string>

#include "engines/nccl/cuda_api.h"
#include "engines/nccl/double/cuda_double.h"
#include "engines/nccl/nccl_api.h"
#include "engines/nccl/nvrtc_api.h"

namespace double_test {

using collbench::nccl::CudaApi;
using collbench::nccl::NcclApi;
using collbench::nccl::NcclComm;
using collbench::nccl::NcclConfig;
using collbench::nccl::NcclUniqueId;
using collbench::nccl::NvrtcApi;

/// Every function of the tables but NCCL's device API is there, or the test program ends.
struct Library {
  CudaApi cuda;
  NcclApi nccl;
  NvrtcApi nvrtc;
  CudaDoubleLive (*live)() = nullptr;
};
/// Opened and cuInit called once per process.
const Library& library();

/// Numbers of the vendors' headers that tests ask for.
inline constexpr int kInvalidValue = 1, kInvalidContext = 201, kInvalidHandle = 400, kNotReady = 600,
                     kIllegalAddress = 700;
inline constexpr int kCudaError = 1, kInternalError = 3, kInvalidArgument = 4, kInvalidUsage = 5,
                     kRemoteError = 6, kInProgress = 7;
inline constexpr int kInt32 = 2, kFloat32 = 7, kFloat64 = 8;
inline constexpr int kSum = 0, kProd = 1, kMax = 2, kMin = 3, kAvg = 4;

/// Sets a variable for as long as it lives; ranks must start after it.
class Variable {
 public:
  Variable(const char* name, const std::string& value);
  ~Variable();
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

}  // namespace double_test
