#include "workloads/controlpath/gpu_clock.h"

#include <algorithm>
#include <limits>

#include "core/clock.h"
#include "core/spin.h"
#include "workloads/controlpath/gpu_kernels.h"

namespace collbench::controlpath {
namespace {

constexpr std::uint32_t kExchanges = 32;
}  // namespace

void GpuClock::compare() {
  const ClockArgs args{pings_ + 1, kExchanges, device_box_};
  engine_.launch(clock_kernel(), &args, 1);
  min_ns_ = std::numeric_limits<std::int64_t>::min();
  max_ns_ = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t n = 0; n < kExchanges; ++n) {
    ++pings_;
    const std::int64_t asked = now_ns();
    ibgda::store_word(&box_.ping, pings_);
    std::uint32_t looks = 0;
    for (Spinner spinner(spins_for(4)); ibgda::load_word(&box_.pong) != pings_; spinner.step())
      if (++looks % 4096 == 0) engine_.stop_if_cancelled();
    const std::int64_t answered = now_ns();
    const std::uint64_t device_ns = ibgda::load_word(&box_.pong_ns);
    bound(asked, device_ns, device_ns, answered);
  }
  engine_.synchronize();
}

void GpuClock::bound(std::int64_t before, std::uint64_t first, std::uint64_t last,
                     std::int64_t after) noexcept {
  const std::int64_t least = before - static_cast<std::int64_t>(first);
  const std::int64_t most = after - static_cast<std::int64_t>(last);
  min_ns_ = std::max(min_ns_, least);
  max_ns_ = std::min(max_ns_, most);
  // The clocks have drifted apart since the comparison, so only the latest bounds count.
  if (min_ns_ > max_ns_) {
    min_ns_ = least;
    max_ns_ = most;
  }
}

}  // namespace collbench::controlpath
