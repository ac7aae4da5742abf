#include "engines/cpu/connections.h"

#include <cstring>
#include <string>

namespace collbench::cpu {
namespace {

constexpr int kSleepMs = 10;  // until a sleeper looks whether to stop

/// Whether data flow from one rank to another.
bool connected(int from, int to, int ranks) noexcept {
  if (from == to) return false;
  return ranks <= kFullMeshRanks || (from + 1) % ranks == to;
}

/// A rank's blob holds its handles for those that connect to it alone, by their rank: with many ranks that is
/// one, and every rank is sent the blobs of all.
ConnectHandle handle_for(const std::string& blob, int from, int me, int ranks) {
  ConnectHandle handle;
  std::size_t before = 0, all = 0;
  for (int p = 0; p < ranks; ++p) {
    if (!connected(p, from, ranks)) continue;
    ++all;
    if (p < me) ++before;
  }
  if (blob.size() != sizeof handle * all)
    throw Error(ErrorCode::kProtocol, "rank " + std::to_string(from) + " gave " +
                                          std::to_string(blob.size()) + " bytes of connect handles where " +
                                          std::to_string(sizeof handle * all) + " were due");
  std::memcpy(handle.data(), blob.data() + sizeof handle * before, sizeof handle);
  return handle;
}

/// A comm of maxComms is a connection each way, as a channel of NCCL takes it.
/// @throws Error(kUnavailable) more ranks than the device has connections for
void require_room(const DeviceProperties& device, int ranks) {
  const int needed = ranks <= kFullMeshRanks ? ranks - 1 : 1;
  if (device.max_comms == 0 || needed <= device.max_comms) return;
  throw Error(ErrorCode::kUnavailable, std::to_string(ranks) + " ranks need " + std::to_string(needed) +
                                           " connections each way of device " + device.name + ", which has " +
                                           std::to_string(device.max_comms) + " (maxComms); use at most " +
                                           std::to_string(device.max_comms + 1) + " ranks");
}

}  // namespace

Error not_connected(int peer) {
  return {ErrorCode::kInvalidArgument, "this rank is not connected to rank " + std::to_string(peer) +
                                           ": above " + std::to_string(kFullMeshRanks) +
                                           " ranks the cpu engine connects ring neighbours only"};
}

void Waiting::sleep() {
  poll(set_.data(), set_.size(), kSleepMs);
  stop_if_cancelled();
}

void Waiting::stop_if_cancelled() const {
  if (cancelled_ && cancelled_())
    throw Error(ErrorCode::kCancelled, "stopped while waiting for another rank's data");
}

std::vector<Peer> connect_peers(Bootstrap& bootstrap, Transport& transport,
                                const std::function<bool()>& cancelled) {
  const int me = bootstrap.rank();
  const int ranks = bootstrap.size();
  require_room(transport.devices().at(0), ranks);
  const auto n = static_cast<std::size_t>(ranks);
  // One listener per peer: whoever comes through it is known.
  std::vector<std::unique_ptr<ListenComm>> listeners(n);
  std::string mine;
  for (std::size_t p = 0; p < n; ++p) {
    if (!connected(static_cast<int>(p), me, ranks)) continue;
    listeners[p] = transport.listen(0);
    mine.append(reinterpret_cast<const char*>(listeners[p]->handle().data()), sizeof(ConnectHandle));
  }
  const std::vector<std::string> all = bootstrap.all_gather("connect handles", mine);
  std::vector<std::unique_ptr<Connecting>> attempts(n);
  std::size_t missing = 0;
  for (std::size_t p = 0; p < n; ++p) {
    const int other = static_cast<int>(p);
    if (listeners[p] != nullptr) ++missing;
    if (!connected(me, other, ranks)) continue;
    attempts[p] = transport.connect(0, handle_for(all.at(p), other, me, ranks));
    ++missing;
  }
  std::vector<Peer> peers(n);
  Waiting waiting(spins_for(ranks), cancelled);
  while (missing > 0) {
    // As NCCL does: plugins may block in accept until the other side has called connect.
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
  return peers;
}

}  // namespace collbench::cpu
