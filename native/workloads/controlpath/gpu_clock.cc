#include "workloads/controlpath/gpu_clock.h"

#include <limits>

#include "core/clock.h"
#include "core/spin.h"
#include "workloads/controlpath/gpu_kernels.h"

namespace collbench::controlpath {
namespace {

constexpr std::uint32_t kExchanges = 32;
/// Two points closer than this say nothing about how fast the clocks part.
constexpr std::int64_t kRateSpanNs = 20'000'000;

}  // namespace

void GpuClock::compare() {
  const ClockArgs args{pings_ + 1, kExchanges, device_box_};
  engine_.launch(clock_kernel(), &args, 1);
  last_.half_trip_ns = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t n = 0; n < kExchanges; ++n) {
    ++pings_;
    const std::int64_t asked = now_ns();
    ibgda::store_word(&box_.ping, pings_);
    std::uint32_t looks = 0;
    while (ibgda::load_word(&box_.pong) != pings_) {
      cpu_relax();
      if (++looks % 4096 == 0) engine_.stop_if_cancelled();
    }
    const std::int64_t answered = now_ns();
    const auto device_ns = static_cast<std::int64_t>(ibgda::load_word(&box_.pong_ns));
    const std::int64_t half_trip_ns = (answered - asked + 1) / 2;
    if (half_trip_ns < last_.half_trip_ns)
      last_ = {device_ns, asked + half_trip_ns - device_ns, half_trip_ns};
  }
  engine_.synchronize();
  if (!has_first_) first_ = last_;
  has_first_ = true;
}

std::int64_t GpuClock::host_ns(std::uint64_t device_ns) const noexcept {
  const auto at = static_cast<std::int64_t>(device_ns);
  const std::int64_t span_ns = last_.device_ns - first_.device_ns;
  const double rate = span_ns < kRateSpanNs ? 0.0
                                            : static_cast<double>(last_.offset_ns - first_.offset_ns) /
                                                  static_cast<double>(span_ns);
  return at + last_.offset_ns + static_cast<std::int64_t>(rate * static_cast<double>(at - last_.device_ns));
}

}  // namespace collbench::controlpath
