#include "engines/nvshmem/tuner.h"

#include <algorithm>

namespace collbench::nvshmem {
namespace {

constexpr int kRounds = 3;
constexpr std::size_t kBytesPerTrial = std::size_t{256} << 20;
constexpr std::size_t kMaxAtOnce = 20, kMinAtOnce = 2;

}  // namespace

LaunchPlan fastest(const std::vector<LaunchPlan>& plans, std::size_t bytes, const TunerContext& bench) {
  if (plans.size() < 2) return plans.front();
  const std::size_t operations =
      std::clamp(kBytesPerTrial / std::max<std::size_t>(bytes, 1), kMinAtOnce, kMaxAtOnce);
  std::vector<float> best(plans.size());
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (round == 0) {  // A kernel's first launch loads it, which would block behind a closed gate.
        bench.queue(plans[i]);
        bench.device.drain();
      }
      bench.timeline.close();
      bench.timeline.mark();
      for (std::size_t n = 0; n < operations; ++n) bench.queue(plans[i]);
      bench.timeline.mark();
      bench.timeline.open();
      bench.device.drain();
      const auto ns = static_cast<float>(bench.timeline.take_marks_ns().back());
      best[i] = round == 0 ? ns : std::min(best[i], ns);
    }
  // A rank that opens its gate first also waits for the others, so the time of the last rank counts.
  bench.min_of_ranks(best);
  return plans[static_cast<std::size_t>(std::min_element(best.begin(), best.end()) - best.begin())];
}

}  // namespace collbench::nvshmem
