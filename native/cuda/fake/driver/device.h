#pragma once
// Devices of the fake and the context that is current in a thread.
#include <atomic>
#include <cstddef>
#include <vector>

#include "cuda/fake/driver/results.h"

namespace collbench::cuda_fake {

inline constexpr char kDeviceName[] = "collbench fake GPU (host memory)";

/// A device and its primary context, which has no life of its own here.
struct Device {
  int ordinal = 0;   // as this process counts (CUDA_VISIBLE_DEVICES)
  int physical = 0;  // as the machine counts
  std::atomic<int> retained{0};
  std::atomic<int> error{kSuccess};  // sticky: what every later call on this device returns
  std::atomic<std::size_t> used_bytes{0};
};

/// Devices of this process; empty before cuInit. A child of fork has none until its own cuInit, which fails
/// as the driver's does.
const std::vector<Device*>& devices();
/// Bytes each device says it has: CUDA_FAKE_MEMORY or 8 GiB.
std::size_t device_memory_bytes();

/// The device whose context is current in this thread.
/// @return kNotInitialized, kInvalidContext, kContextIsDestroyed, or the device's sticky error
int require_context(Device*& device);
/// As require_context(), whatever the device's sticky error is: for calls that tidy up.
int require_any_context(Device*& device);
int live_contexts();

}  // namespace collbench::cuda_fake
