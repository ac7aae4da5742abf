#pragma once
// The clock of a GPU against the host's. Each thing that is known to lie between two instants of the host
// bounds how far the clocks are apart (Cristian 1989; bounds intersected as Marzullo 1984 does): answers of a
// kernel that is asked for its time, and each kernel of an operation.
#include <cstdint>

#include "engines/engine.h"
#include "workloads/controlpath/device/puts_device.h"

namespace collbench::controlpath {

class GpuClock {
 public:
  /// @param box as the host sees it @param device_box as kernels see it
  GpuClock(Engine& engine, Mailbox& box, Mailbox* device_box)
      : engine_(engine), box_(box), device_box_(device_box) {}

  /// Asks again, which forgets what was known: clocks part. The device has nothing else to do.
  void compare();
  /// What the device saw from `first` to `last` was after the host's `before` and not behind its `after`.
  void bound(std::int64_t before, std::uint64_t first, std::uint64_t last, std::int64_t after) noexcept;
  /// ns of CLOCK_MONOTONIC, off by no more than uncertainty_ns().
  [[nodiscard]] std::int64_t host_ns(std::uint64_t device_ns) const noexcept {
    return static_cast<std::int64_t>(device_ns) + least_ns_ + (most_ns_ - least_ns_) / 2;
  }
  [[nodiscard]] std::int64_t uncertainty_ns() const noexcept { return (most_ns_ - least_ns_ + 1) / 2; }

 private:
  Engine& engine_;
  Mailbox& box_;
  Mailbox* const device_box_;
  std::uint32_t pings_ = 0;
  std::int64_t least_ns_ = 0, most_ns_ = 0;  // of the host's clock minus the device's
};

}  // namespace collbench::controlpath
