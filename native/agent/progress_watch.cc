#include "agent/progress_watch.h"

#include <algorithm>

namespace collbench::agent {
namespace {

// Shorter than the time that the controller waits longer than the agent (marginMs in
// orchestration/deadlines.ts).
constexpr std::int64_t kLongestIntervalNs = 5'000'000'000;
constexpr std::int64_t kShortestIntervalNs = 1'000'000;
constexpr std::int64_t kLooksPerDeadline = 8;

std::int64_t next_look_ns(std::int64_t now_ns, std::int64_t deadline_ns) noexcept {
  return now_ns + std::clamp(deadline_ns / kLooksPerDeadline, kShortestIntervalNs, kLongestIntervalNs);
}

}  // namespace

ProgressWatch::ProgressWatch(std::int64_t start_ns, std::int64_t deadline_ns) noexcept
    : deadline_ns_(deadline_ns), progress_ns_(start_ns), due_ns_(next_look_ns(start_ns, deadline_ns)) {}

ProgressWatch::Finding ProgressWatch::look(const std::vector<RankReport>& ranks,
                                           std::int64_t now_ns) noexcept {
  const std::int64_t before_ns = progress_ns_;
  std::int64_t operations = 0;
  for (const RankReport& rank : ranks) {
    operations += rank.iterations_done;
    progress_ns_ = std::max(progress_ns_, now_ns - rank.idle_ns);
  }
  // The ranks do not record when an operation ends, because reading the clock would lengthen it.
  if (operations != operations_) progress_ns_ = now_ns;
  operations_ = operations;
  due_ns_ = std::min(progress_ns_ + deadline_ns_, next_look_ns(now_ns, deadline_ns_));
  if (now_ns >= progress_ns_ + deadline_ns_) return Finding::kHang;
  return progress_ns_ > before_ns ? Finding::kProgress : Finding::kNothingNew;
}

}  // namespace collbench::agent
