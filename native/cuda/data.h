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
  /// Like collbench::prepare_buffers(), but for device memory. Complete when it returns.
  virtual void prepare(const Pattern& pattern, int rank, std::uint64_t iteration, void* send, void* recv) = 0;
  /// Like collbench::verify(), but for device memory.
  virtual Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration,
                              const void* recv) = 0;
};

/// Returns a TestData that fills and compares on the host and copies whole buffers. It is slow but needs no
/// kernels.
std::unique_ptr<TestData> make_host_data(Device& device);

/// Returns a TestData that fills and compares on the GPU. If data is wrong, the host compares again to find
/// the wrong value.
std::unique_ptr<TestData> make_device_data(Device& device, const Kernels& kernels);

}  // namespace collbench::cuda
