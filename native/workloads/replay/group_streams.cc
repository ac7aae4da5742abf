#include "workloads/replay/group_streams.h"

#include <algorithm>

namespace collbench::replay {
namespace {

/// Returns the seed for the test data of a group of ranks. Seeds differ by group, so that data of one group
/// are recognised as wrong in another. @param members ranks of the group
std::uint64_t seed_of(std::uint64_t seed, const std::vector<int>& members) {
  return seed + 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(members.front() + 1);
}

}  // namespace

GroupStreams::GroupStreams(Engine& engine, const Script& script, int rank, int ranks, std::uint64_t seed) {
  std::deque<std::vector<NumberedCall>> calls;
  for (std::size_t i = 0; i < script.calls.size(); ++i) {
    const GroupLayout& group = script.groups[i];
    const auto found = std::find_if(lanes_.begin(), lanes_.end(),
                                    [&](const GroupStream& lane) { return lane.group == group; });
    const auto lane = static_cast<std::size_t>(found - lanes_.begin());
    if (found == lanes_.end()) {
      lanes_.emplace_back().group = group;
      calls.emplace_back();
    }
    positions_.push_back({lane, calls[lane].size()});
    calls[lane].push_back({script.calls[i], i + 1});
  }
  // Groups connect through the buffers of all ranks, before calls use them.
  for (GroupStream& lane : lanes_) {
    lane.engine = &engine;
    if (lane.group.is_all()) continue;
    GroupBootstrap bootstrap(engine, lane.group, rank, ranks);
    lane.own = engine.for_group(bootstrap);
    lane.engine = lane.own.get();
  }
  const int threads = 1 + static_cast<int>(lanes_.size());
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    GroupStream& lane = lanes_[i];
    const GroupLayout& group = lane.group;
    if (group.is_all())
      lane.calls.emplace(*lane.engine, calls[i], rank, ranks, seed);
    else
      lane.calls.emplace(*lane.engine, calls[i], group.position_of(rank), group.size,
                         seed_of(seed, group.with(rank)));
    // If calls only queue, the device runs them while the host continues.
    if (engine.timeline() == nullptr)
      lane.call_queue.emplace(*lane.engine, lane.calls->all(), lane.engine->spins(threads));
  }
}

void GroupStreams::prepare(std::uint64_t iteration) {
  for (GroupStream& lane : lanes_) lane.calls->prepare(iteration);
}

Verification GroupStreams::verify(std::uint64_t iteration) {
  Verification all;
  for (GroupStream& lane : lanes_) all = merge_verifications(std::move(all), lane.calls->verify(iteration));
  return all;
}

bool GroupStreams::repeatable() const {
  return std::all_of(lanes_.begin(), lanes_.end(),
                     [](const GroupStream& lane) { return lane.calls->repeatable(); });
}

void GroupStreams::begin() {
  for (GroupStream& lane : lanes_)
    if (lane.call_queue) lane.call_queue->begin();
}

void GroupStreams::issue(std::size_t number) {
  const CallPosition& place = positions_[number];
  GroupStream& lane = lanes_[place.lane];
  if (lane.call_queue)
    lane.call_queue->issue();
  else
    lane.engine->enqueue(lane.calls->all()[place.number]);
}

void GroupStreams::wait() {
  for (GroupStream& lane : lanes_) lane.call_queue ? lane.call_queue->wait() : lane.engine->synchronize();
}

void GroupStreams::end() {
  for (GroupStream& lane : lanes_) lane.call_queue ? lane.call_queue->end() : lane.engine->synchronize();
}

std::optional<std::int64_t> GroupStreams::moving_ns() const {
  std::int64_t sum = 0;
  for (const GroupStream& lane : lanes_) {
    if (!lane.call_queue) return std::nullopt;
    sum += lane.call_queue->moving_ns();
  }
  return sum;
}

}  // namespace collbench::replay
