#include "engines/cpu/reach.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/error.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

bool is_one_bit(int number) noexcept { return number > 0 && is_power_of_two(number); }

/// Steps of a power of two, as Bruck's exchanges and the edges of trees have, wherever the root is. The
/// second of two trees of an even number of ranks is moved on by one, but for its root.
bool is_log_distance(int distance, int ranks) noexcept {
  const auto top = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks - 1)));
  return is_one_bit(distance) || (ranks % 2 == 0 && distance == top - 1);
}

/// Exchanges of those who remain once the ranks beyond a power of two have folded.
bool exchange(int from, int to, int ranks) noexcept {
  const int one = Core(from, ranks).own, other = Core(to, ranks).own;
  return one >= 0 && other >= 0 && is_one_bit(one ^ other);
}

/// Of the rank that has most.
int connections(Reach reach, int ranks) noexcept {
  if (reach == Reach::kRing) return 1;
  if (reach == Reach::kAll) return ranks - 1;
  int most = 0;
  for (int from = 0; from < ranks; ++from) {
    int own = 0;
    for (int to = 0; to < ranks; ++to) own += reaches(reach, from, to, ranks) ? 1 : 0;
    most = std::max(most, own);
  }
  return most;
}

}  // namespace

bool reaches(Reach reach, int from, int to, int ranks) noexcept {
  const int ahead = wrapped(to - from, ranks);
  if (ahead == 0) return false;
  switch (reach) {
    case Reach::kRing:
      return ahead == 1;
    case Reach::kNear:
      return is_log_distance(ahead, ranks) || is_log_distance(ranks - ahead, ranks) ||
             exchange(from, to, ranks);
    case Reach::kAll:
      break;
  }
  return true;
}

Reach reach_of(const AlgorithmRow& row, const Operation& operation) noexcept {
  const bool moves_on = operation.kind == CollectiveKind::kSendrecv && row.algorithm == Algorithm::kDirect;
  return moves_on ? Reach::kRing : row.reach;
}

Reach widest_reach(const DeviceProperties& device, int ranks) {
  const auto has = [&](Reach reach) {
    return device.max_comms == 0 || connections(reach, ranks) <= device.max_comms;
  };
  if (ranks <= kMostMeshRanks && has(Reach::kAll)) return Reach::kAll;
  const Reach least = ranks <= kFullMeshRanks ? Reach::kAll : Reach::kRing;
  if (least == Reach::kRing && has(Reach::kNear)) return Reach::kNear;
  if (has(least)) return least;
  // A comm of maxComms is a connection each way, as a channel of NCCL takes it.
  throw Error(ErrorCode::kUnavailable, std::to_string(ranks) + " ranks need " +
                                           std::to_string(connections(least, ranks)) +
                                           " connections each way of device " + device.name + ", which has " +
                                           std::to_string(device.max_comms) + " (maxComms); use at most " +
                                           std::to_string(device.max_comms + 1) + " ranks");
}

}  // namespace collbench::cpu
