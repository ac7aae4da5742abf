#pragma once
// Estimates the offset between a GPU's clock and the host's. Everything known to happen between two host
// instants bounds the offset (Cristian 1989; bounds are intersected as in Marzullo 1984). Sources are answers
// of a kernel that is asked for its time, and every kernel of an operation.
#include <cstdint>

#include "engines/engine.h"
#include "workloads/controlpath/device/puts_device.h"

namespace collbench::controlpath {

class GpuClock {
 public:
  /// @param box memory for pings at its host address @param device_box the same memory at its address for
  /// kernels
  GpuClock(Engine& engine, Mailbox& box, Mailbox* device_box)
      : engine_(engine), box_(box), device_box_(device_box) {}

  /// Measures the offset between the device's clock and the host's. Earlier bounds are discarded, because the
  /// clocks drift apart. The device must be idle.
  void compare();
  /// Adds a fact that limits the offset: the device times `first` to `last` lie between the host times
  /// `before` and `after`. If it contradicts the earlier bounds, because the clocks drifted, it replaces
  /// them.
  void bound(std::int64_t before, std::uint64_t first, std::uint64_t last, std::int64_t after) noexcept;
  /// Returns the CLOCK_MONOTONIC time in ns for a time of the device's clock; its error is at most
  /// uncertainty_ns().
  [[nodiscard]] std::int64_t host_ns(std::uint64_t device_ns) const noexcept {
    return static_cast<std::int64_t>(device_ns) + min_ns_ + (max_ns_ - min_ns_) / 2;
  }
  [[nodiscard]] std::int64_t uncertainty_ns() const noexcept { return (max_ns_ - min_ns_ + 1) / 2; }

 private:
  Engine& engine_;
  Mailbox& box_;
  Mailbox* const device_box_;
  std::uint32_t pings_ = 0;
  std::int64_t min_ns_ = 0, max_ns_ = 0;  // Bounds of the host's clock minus the device's.
};

}  // namespace collbench::controlpath
