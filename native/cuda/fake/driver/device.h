#pragma once
// Devices of the fake and the context that is current in a thread.
#include <atomic>
#include <cstddef>
#include <vector>

#include "cuda/fake/driver/results.h"

namespace collbench::cuda_fake {

inline constexpr std::size_t kDeviceBytes = std::size_t{8} << 30;

/// An emulated GPU together with its primary context.
struct FakeDevice {
  int ordinal = 0;   // number in this process (CUDA_VISIBLE_DEVICES)
  int physical = 0;  // number on the machine
  std::atomic<int> retained{0};
  std::atomic<int> error{kSuccess};  // sticky error: every later call on this device returns it
  std::atomic<std::size_t> used_bytes{0};
};

/// Returns the devices of this process; empty before cuInit.
const std::vector<FakeDevice*>& devices();
/// Returns the device with this number; null if there is none.
FakeDevice* device_at(int ordinal);

/// Sets `device` to the device whose context is current in this thread.
/// @returns 0, kInvalidContext if there is none or it was released, or the error that earlier work left on
/// the device (sticky error)
int require_context(FakeDevice*& device);
/// Sets `device` to the device whose context is current, even if earlier work has left an error on it. For
/// calls that free resources, which must work after an error.
/// @returns 0 or kInvalidContext
int require_any_context(FakeDevice*& device);

}  // namespace collbench::cuda_fake
