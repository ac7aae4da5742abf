#include "engines/cpu/connections.h"

#include <algorithm>
#include <cstring>

#include "engines/cpu/numbering.h"

namespace collbench::cpu {
namespace {

constexpr int kSleepMs = 10;  // Longest sleep before the cancellation is checked.

/// Number of rank distances that are connected at a time: a rank makes and accepts so many connections at
/// the same time.
constexpr int kAtOnce = 16;

/// One round of making connections: those from each rank to the ranks that are `nearest` to `farthest`
/// numbers ahead, if peer_set needs them and `connected` does not have them yet.
struct Round {
  std::optional<PeerSet> connected;
  PeerSet peer_set;
  int nearest, farthest;
  int ranks;

  [[nodiscard]] bool adds(int from, int to) const noexcept {
    const int ahead = wrapped(to - from, ranks);
    return ahead >= nearest && ahead <= farthest && contains_peer(peer_set, from, to, ranks) &&
           !(connected && contains_peer(*connected, from, to, ranks));
  }
  /// Returns the largest number of connections that any rank accepts in this round.
  [[nodiscard]] std::size_t max_to_one() const noexcept {
    std::size_t most = 0;
    for (int to = 0; to < ranks; ++to) {
      std::size_t own = 0;
      for (int ahead = nearest; ahead <= farthest; ++ahead)
        own += adds(wrapped(to - ahead, ranks), to) ? 1 : 0;
      most = std::max(most, own);
    }
    return most;
  }
};

/// Returns the handle with which this rank (`me`) connects to rank `from`, taken from the text that `from`
/// sent to all ranks. The text has handles only for the ranks that connect to `from`, in the order of
/// distance, because every rank receives all texts.
/// @param due number of handles that a text must have
ConnectHandle handle_for(const std::string& blob, const Round& round, int from, int me, std::size_t due) {
  ConnectHandle handle;
  if (blob.size() != sizeof handle * due)
    throw Error(ErrorCode::kProtocol, "rank " + std::to_string(from) + " gave " +
                                          std::to_string(blob.size()) + " bytes of connect handles where " +
                                          std::to_string(sizeof handle * due) + " were due");
  std::size_t before = 0;
  for (int ahead = round.nearest; wrapped(from - ahead, round.ranks) != me; ++ahead)
    if (round.adds(wrapped(from - ahead, round.ranks), from)) ++before;
  std::memcpy(handle.data(), blob.data() + sizeof handle * before, sizeof handle);
  return handle;
}

void connect_round(std::vector<PeerConnections>& peers, int me, const Round& round, Transport& transport,
                   const ExchangeBlobs& exchange, const std::function<bool()>& cancelled) {
  const std::size_t due = round.max_to_one();
  if (due == 0) return;
  const std::size_t n = peers.size();
  // Each peer has its own listener, which identifies the peer.
  std::vector<std::unique_ptr<ListenComm>> listeners(n);
  std::string mine;
  for (int ahead = round.nearest; ahead <= round.farthest; ++ahead) {
    const int p = wrapped(me - ahead, round.ranks);
    if (!round.adds(p, me)) continue;
    auto& listener = listeners[static_cast<std::size_t>(p)] = transport.listen(0);
    mine.append(reinterpret_cast<const char*>(listener->handle().data()), sizeof(ConnectHandle));
  }
  mine.resize(sizeof(ConnectHandle) * due);
  const std::vector<std::string> all = exchange(mine);
  std::vector<std::unique_ptr<Connecting>> attempts(n);
  std::size_t missing = 0;
  for (std::size_t p = 0; p < n; ++p) {
    const int other = static_cast<int>(p);
    if (listeners[p] != nullptr) ++missing;
    if (!round.adds(me, other)) continue;
    attempts[p] = transport.connect(0, handle_for(all.at(p), round, other, me, due));
    ++missing;
  }
  TransportWait waiting(spins_for(round.ranks), cancelled);
  while (missing > 0) {
    // Connect and accept are polled alternately as in NCCL, because plugins may block in accept until the
    // other side has called connect.
    for (std::size_t p = 0; p < n; ++p)
      if (attempts[p] != nullptr && (peers[p].send = attempts[p]->poll()) != nullptr) {
        attempts[p].reset();
        --missing;
      }
    for (std::size_t p = 0; p < n; ++p)
      if (listeners[p] != nullptr && (peers[p].recv = listeners[p]->accept()) != nullptr) {
        listeners[p].reset();
        --missing;
      }
    waiting.step([&](std::vector<pollfd>& set) {
      for (std::size_t p = 0; p < n; ++p) {
        if (listeners[p] != nullptr) listeners[p]->add_to_poll(set);
        if (attempts[p] != nullptr) attempts[p]->add_to_poll(set);
      }
    });
  }
}

}  // namespace

Error not_connected(int peer) {
  return {ErrorCode::kInvalidArgument, "this rank is not connected to rank " + std::to_string(peer) +
                                           ": the cpu engine connects all ranks with all up to " +
                                           std::to_string(kMaxMeshRanks) + " ranks"};
}

void TransportWait::sleep() {
  poll(set_.data(), set_.size(), kSleepMs);
  stop_if_cancelled();
}

void TransportWait::stop_if_cancelled() const {
  if (cancelled_ && cancelled_())
    throw Error(ErrorCode::kCancelled, "stopped while waiting for another rank's data");
}

void connect_peers(std::vector<PeerConnections>& peers, int rank, std::optional<PeerSet> connected,
                   PeerSet peer_set, Transport& transport, const ExchangeBlobs& exchange,
                   const std::function<bool()>& cancelled) {
  const int ranks = static_cast<int>(peers.size());
  for (int first = 1; first < ranks; first += kAtOnce) {
    const Round round{connected, peer_set, first, std::min(first + kAtOnce, ranks) - 1, ranks};
    connect_round(peers, rank, round, transport, exchange, cancelled);
  }
}

}  // namespace collbench::cpu
