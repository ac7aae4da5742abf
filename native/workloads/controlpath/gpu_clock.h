#pragma once
// The clock of a GPU against the host's, by asking a kernel for its time and taking the answer that came back
// soonest (Cristian 1989).
#include <cstdint>

#include "engines/engine.h"
#include "workloads/controlpath/device/puts_device.h"

namespace collbench::controlpath {

class GpuClock {
 public:
  /// @param box as the host sees it @param device_box as kernels see it
  GpuClock(Engine& engine, Mailbox& box, Mailbox* device_box)
      : engine_(engine), box_(box), device_box_(device_box) {}

  /// Asks again. The device has nothing else to do.
  void compare();
  /// ns of CLOCK_MONOTONIC, off by no more than uncertainty_ns().
  [[nodiscard]] std::int64_t host_ns(std::uint64_t device_ns) const noexcept;
  [[nodiscard]] std::int64_t uncertainty_ns() const noexcept { return last_.half_trip_ns; }

 private:
  struct Point {
    std::int64_t device_ns = 0, offset_ns = 0;  // host's minus device's
    std::int64_t half_trip_ns = 0;
  };
  Engine& engine_;
  Mailbox& box_;
  Mailbox* const device_box_;
  std::uint32_t pings_ = 0;
  bool has_first_ = false;
  Point first_, last_;
};

}  // namespace collbench::controlpath
