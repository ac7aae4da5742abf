#pragma once
// Input, poison and comparison of one rank's buffers: by kernels where NVRTC is there, else on the host and
// copied.
#include <cstdint>
#include <memory>
#include <string>

#include "engines/engine.h"
#include "engines/nccl/device.h"

namespace collbench::nccl {

class TestData {
 public:
  virtual ~TestData() = default;
  /// As prepare_buffers(), in device memory; complete when it returns.
  virtual void prepare(const Pattern& pattern, int rank, std::uint64_t iteration, const Call& call) = 0;
  virtual Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration,
                              const Call& call) = 0;
};

/// Copies whole buffers through host memory; slow, needs nothing.
std::unique_ptr<TestData> make_host_data(Device& device);

}  // namespace collbench::nccl
