#include "engines/nvshmem/tuner.h"

#include <algorithm>

namespace collbench::nvshmem {
namespace {

constexpr int kRounds = 3;
constexpr std::size_t kBytesPerTrial = std::size_t{256} << 20;
constexpr std::size_t kMostAtOnce = 20, kLeastAtOnce = 2;

}  // namespace

Plan fastest(const std::vector<Plan>& plans, std::size_t bytes, const Bench& bench) {
  if (plans.size() < 2) return plans.front();
  const std::size_t operations =
      std::clamp(kBytesPerTrial / std::max<std::size_t>(bytes, 1), kLeastAtOnce, kMostAtOnce);
  std::vector<float> best(plans.size());
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t i = 0; i < plans.size(); ++i) {
      if (round == 0) {  // a kernel's first launch loads it, which a closed gate would not let happen
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
  // Who opens its gate first also waits for the others; the last one's time is the operation's.
  bench.least_of_ranks(best);
  return plans[static_cast<std::size_t>(std::min_element(best.begin(), best.end()) - best.begin())];
}

}  // namespace collbench::nvshmem
