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
  /// Fills one call's send buffer with input (a pattern of rank and iteration), and its receive buffer with
  /// values that no result has. Both are in device memory; complete when it returns.
  virtual void prepare(const Pattern& pattern, int rank, std::uint64_t iteration, void* send, void* recv) = 0;
  /// Compares a receive buffer in device memory with the expected result, computed from the same pattern.
  virtual Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration,
                              const void* recv) = 0;
};

/// Returns an object that fills and checks buffers on the host and copies them whole. It is slow but needs no
/// kernels.
std::unique_ptr<TestData> make_host_data(Device& device);

/// Returns an object that fills and checks buffers on the GPU. If data is wrong, the host compares again to
/// find the wrong value. If the host finds none, the GPU's count is reported with a note.
std::unique_ptr<TestData> make_device_data(Device& device, const Kernels& kernels);

}  // namespace collbench::cuda
