#pragma once
// Devices of the fake and the context that is current in a thread.
#include <atomic>
#include <cstddef>
#include <vector>

#include "cuda/fake/driver/results.h"

namespace collbench::cuda_fake {

inline constexpr std::size_t kDeviceBytes = std::size_t{8} << 30;

/// A device and its primary context, which has no life of its own here.
struct Device {
  int ordinal = 0;   // as this process counts (CUDA_VISIBLE_DEVICES)
  int physical = 0;  // as the machine counts
  std::atomic<int> retained{0};
  std::atomic<int> error{kSuccess};  // sticky: what every later call on this device returns
  std::atomic<std::size_t> used_bytes{0};
};

/// Devices of this process; empty before cuInit.
const std::vector<Device*>& devices();
/// nullptr when there is no such device.
Device* device_at(int ordinal);

/// The device whose context is current in this thread. @return kInvalidContext, or the device's sticky error
int require_context(Device*& device);
/// As require_context(), whatever the device's sticky error is: for calls that tidy up.
int require_any_context(Device*& device);

}  // namespace collbench::cuda_fake
