// Rank processes that the agent has started on this machine (rank_slots.h).
#include "core/error.h"
#include "metrics/sources/openers.h"

namespace collbench::metrics {
namespace {

class RankSource : public Source {
 public:
  explicit RankSource(std::shared_ptr<RankSlots> slots) : slots_(std::move(slots)) {
    for (const int rank : slots_->ranks()) {
      add_counter("rank" + std::to_string(rank) + ".cpuNs", "ns");
      add_gauge("rank" + std::to_string(rank) + ".residentBytes", "bytes");
    }
  }
  void read(double* values) override { slots_->read(values); }

 private:
  std::shared_ptr<RankSlots> slots_;
};

}  // namespace

std::unique_ptr<Source> open_ranks(const SourceContext& context) {
  if (context.ranks == nullptr || context.ranks->ranks().empty())
    throw Error(ErrorCode::kUnavailable, "no rank processes are started from here");
  return std::make_unique<RankSource>(context.ranks);
}

}  // namespace collbench::metrics
