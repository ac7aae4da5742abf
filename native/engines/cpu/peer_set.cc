#include "engines/cpu/peer_set.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/error.h"
#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

bool is_one_bit(int number) noexcept { return number > 0 && is_power_of_two(number); }

/// Returns true if ranks at this distance exchange data in Bruck's algorithm or in trees. These are the
/// powers of two. If the number of ranks is even, one less than the largest power of two below this number is
/// such a distance, too, because the second of the double binary trees shifts its numbers by one.
bool is_log_distance(int distance, int ranks) noexcept {
  const auto top = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks - 1)));
  return is_one_bit(distance) || (ranks % 2 == 0 && distance == top - 1);
}

/// Returns true if two ranks exchange data in algorithms for a power of two ranks, after the other ranks have
/// given their data away (FoldedRanks).
bool exchange(int from, int to, int ranks) noexcept {
  const int one = FoldedRanks(from, ranks).own, other = FoldedRanks(to, ranks).own;
  return one >= 0 && other >= 0 && is_one_bit(one ^ other);
}

/// Returns the largest number of peers that any rank sends to with this set.
int connections(PeerSet peer_set, int ranks) noexcept {
  if (peer_set == PeerSet::kRing) return 1;
  if (peer_set == PeerSet::kAll) return ranks - 1;
  int most = 0;
  for (int from = 0; from < ranks; ++from) {
    int own = 0;
    for (int to = 0; to < ranks; ++to) own += contains_peer(peer_set, from, to, ranks) ? 1 : 0;
    most = std::max(most, own);
  }
  return most;
}

}  // namespace

bool contains_peer(PeerSet peer_set, int from, int to, int ranks) noexcept {
  const int ahead = wrapped(to - from, ranks);
  if (ahead == 0) return false;
  switch (peer_set) {
    case PeerSet::kRing:
      return ahead == 1;
    case PeerSet::kNear:
      return is_log_distance(ahead, ranks) || is_log_distance(ranks - ahead, ranks) ||
             exchange(from, to, ranks);
    case PeerSet::kAll:
      break;
  }
  return true;
}

PeerSet peer_set_of(const AlgorithmRow& row, const Operation& operation) noexcept {
  const bool moves_on = operation.kind == CollectiveKind::kSendrecv && row.algorithm == Algorithm::kDirect;
  return moves_on ? PeerSet::kRing : row.peer_set;
}

PeerSet widest_peer_set(const DeviceProperties& device, int ranks) {
  const auto has = [&](PeerSet peer_set) {
    return device.max_comms == 0 || connections(peer_set, ranks) <= device.max_comms;
  };
  if (ranks <= kMaxMeshRanks && has(PeerSet::kAll)) return PeerSet::kAll;
  const PeerSet least = ranks <= kFullMeshRanks ? PeerSet::kAll : PeerSet::kRing;
  if (least == PeerSet::kRing && has(PeerSet::kNear)) return PeerSet::kNear;
  if (has(least)) return least;
  // A comm in maxComms is one connection in each direction, as NCCL counts.
  throw Error(ErrorCode::kUnavailable, std::to_string(ranks) + " ranks need " +
                                           std::to_string(connections(least, ranks)) +
                                           " connections each way of device " + device.name + ", which has " +
                                           std::to_string(device.max_comms) + " (maxComms); use at most " +
                                           std::to_string(device.max_comms + 1) + " ranks");
}

}  // namespace collbench::cpu
