#include "workloads/replay/compute_time.h"

#include <time.h>

#include <algorithm>

#include "core/clock.h"
#include "core/spin.h"

namespace collbench::replay {
namespace {

/// Usual maximum of the delay after which a sleeping thread runs again, in ns. The thread wakes this much
/// earlier and polls for the rest.
constexpr std::int64_t kWakeNs = 80'000;
constexpr std::int64_t kLongestNapNs = 50'000'000;

void pass_on_device(std::int64_t ns, const std::function<void()>& cancelled) {
  const std::int64_t end = now_ns() + ns;
  for (std::int64_t left = ns; left > kWakeNs; left = end - now_ns()) {
    const std::int64_t nap = std::min(left - kWakeNs, kLongestNapNs);
    const timespec time{nap / 1'000'000'000, nap % 1'000'000'000};
    nanosleep(&time, nullptr);
    cancelled();
  }
  for (Spinner spinner(spins_for(2)); now_ns() < end; spinner.step()) {
  }
}

void burn(std::int64_t ns, const std::function<void()>& cancelled) {
  const std::int64_t end = thread_cpu_ns() + ns;
  std::int64_t look = now_ns() + kLongestNapNs;
  while (thread_cpu_ns() < end) {
    for (int n = 0; n < 64; ++n) cpu_relax();
    if (now_ns() < look) continue;
    cancelled();
    look = now_ns() + kLongestNapNs;
  }
}

}  // namespace

void compute(ComputeMode by, std::int64_t ns, const std::function<void()>& cancelled) {
  by == ComputeMode::kDevice ? pass_on_device(ns, cancelled) : burn(ns, cancelled);
}

}  // namespace collbench::replay
