#pragma once
// Input, poison and comparison of one rank's buffers: by kernels where NVRTC is there, else on the host and
// copied.
#include <cstdint>
#include <memory>

#include "collectives/pattern.h"
#include "cuda/device.h"

namespace collbench::cuda {

class Kernels;

class TestData {
 public:
  virtual ~TestData() = default;
  /// As prepare_buffers(), in device memory; complete when it returns.
  virtual void prepare(const Pattern& pattern, int rank, std::uint64_t iteration, void* send, void* recv) = 0;
  /// As collbench::verify(), of device memory.
  virtual Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration,
                              const void* recv) = 0;
};

/// Copies whole buffers through host memory; slow, needs nothing.
std::unique_ptr<TestData> make_host_data(Device& device);

/// Fills and compares on the GPU. The host compares again what is found wrong, because it knows the wrong
/// value.
std::unique_ptr<TestData> make_device_data(Device& device, const Kernels& kernels);

}  // namespace collbench::cuda
