#pragma once
// Input, poison and comparison of one rank's buffers: by kernels if NVRTC is available, otherwise on the host
// with copies.
#include <cstdint>
#include <memory>

#include "collectives/pattern.h"
#include "cuda/device.h"

namespace collbench::cuda {

class Kernels;

class TestData {
 public:
  virtual ~TestData() = default;
  /// Like prepare_buffers(), for device memory; complete on return.
  virtual void prepare(const Pattern& pattern, int rank, std::uint64_t iteration, void* send, void* recv) = 0;
  /// Like collbench::verify(), for device memory.
  virtual Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration,
                              const void* recv) = 0;
};

/// Copies whole buffers through host memory: slow, but works without kernels.
std::unique_ptr<TestData> make_host_data(Device& device);

/// Fills and compares on the GPU. If data is wrong the host compares again, to find the wrong value.
std::unique_ptr<TestData> make_device_data(Device& device, const Kernels& kernels);

}  // namespace collbench::cuda
