#include "workloads/replay/lanes.h"

#include <algorithm>

namespace collbench::replay {
namespace {

/// Two groups never hold the same data.
std::uint64_t seed_of(std::uint64_t seed, const std::vector<int>& members) {
  return seed + 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(members.front() + 1);
}

}  // namespace

Lanes::Lanes(Engine& engine, const Script& script, int rank, int ranks, std::uint64_t seed) {
  std::deque<std::vector<Numbered>> calls;
  for (std::size_t i = 0; i < script.calls.size(); ++i) {
    const Group& group = script.groups[i];
    const auto found =
        std::find_if(lanes_.begin(), lanes_.end(), [&](const Lane& lane) { return lane.group == group; });
    const auto lane = static_cast<std::size_t>(found - lanes_.begin());
    if (found == lanes_.end()) {
      lanes_.emplace_back().group = group;
      calls.emplace_back();
    }
    places_.push_back({lane, calls[lane].size()});
    calls[lane].push_back({script.calls[i], i + 1});
  }
  // Through the buffers of all ranks, before any call has its place in them.
  for (Lane& lane : lanes_) {
    lane.engine = &engine;
    if (lane.group.is_all()) continue;
    GroupBootstrap bootstrap(engine, lane.group, rank, ranks);
    lane.own = engine.for_group(bootstrap);
    lane.engine = lane.own.get();
  }
  const int threads = 1 + static_cast<int>(lanes_.size());
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    Lane& lane = lanes_[i];
    const Group& group = lane.group;
    if (group.is_all())
      lane.calls.emplace(*lane.engine, calls[i], rank, ranks, seed);
    else
      lane.calls.emplace(*lane.engine, calls[i], group.position_of(rank), group.size,
                         seed_of(seed, group.with(rank)));
    // Where calls only queue, the device runs them beside what the host does.
    if (engine.timeline() == nullptr)
      lane.mover.emplace(*lane.engine, lane.calls->all(), lane.engine->spins(threads));
  }
}

void Lanes::prepare(std::uint64_t iteration) {
  for (Lane& lane : lanes_) lane.calls->prepare(iteration);
}

Verification Lanes::verify(std::uint64_t iteration) {
  Verification all;
  for (Lane& lane : lanes_) all = joined(std::move(all), lane.calls->verify(iteration));
  return all;
}

bool Lanes::repeatable() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.calls->repeatable(); });
}

void Lanes::begin() {
  for (Lane& lane : lanes_)
    if (lane.mover) lane.mover->begin();
}

void Lanes::issue(std::size_t number) {
  const Place& place = places_[number];
  Lane& lane = lanes_[place.lane];
  if (lane.mover)
    lane.mover->issue();
  else
    lane.engine->enqueue(lane.calls->all()[place.number]);
}

void Lanes::wait() {
  for (Lane& lane : lanes_) lane.mover ? lane.mover->wait() : lane.engine->synchronize();
}

void Lanes::end() {
  for (Lane& lane : lanes_) lane.mover ? lane.mover->end() : lane.engine->synchronize();
}

std::optional<std::int64_t> Lanes::moving_ns() const {
  std::int64_t sum = 0;
  for (const Lane& lane : lanes_) {
    if (!lane.mover) return std::nullopt;
    sum += lane.mover->moving_ns();
  }
  return sum;
}

}  // namespace collbench::replay
