#pragma once
// Connections of a rank to its peers, and how the rank waits for them.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/spin.h"
#include "engines/cpu/memory.h"
#include "engines/cpu/peer_set.h"
#include "engines/engine.h"
#include "transports/transport.h"

namespace collbench::cpu {

/// Connections of this rank to one other rank, one for each direction; each is null if it was not made.
struct PeerConnections {
  std::unique_ptr<SendComm> send;
  std::unique_ptr<RecvComm> recv;
};

/// Returns the error for an operation that needs a connection to `peer` which does not exist.
Error not_connected(int peer);

/// Exchanges blobs of equal length among all ranks; returns all of them, by rank.
using ExchangeBlobs = std::function<std::vector<std::string>(const std::string& mine)>;

/// Connects this rank to the peers in `peer_set`, except those in `connected`, which have connections already
/// (nullopt = no peer has). Only a few connections are made at a time, so that the number of open handshakes
/// does not grow with the number of ranks. All ranks must call it together.
/// @param peers receives the connections, indexed by rank; this rank's own entry stays empty
/// @param exchange exchanges the addresses of the ranks' listeners
/// @param cancelled polled while waiting; true throws Error(kCancelled)
void connect_peers(std::vector<PeerConnections>& peers, int rank, std::optional<PeerSet> connected,
                   PeerSet peer_set, Transport& transport, const ExchangeBlobs& exchange,
                   const std::function<bool()>& cancelled);

/// Step of a loop in which a rank waits for a transfer. With `spins` above 0 the rank polls and at times
/// yields its core. With 0, which means that ranks share cores, it sleeps until data arrive, at most 10 ms:
/// after some polls, or when another program had the core for long. If the transport cannot wake a sleeping
/// thread, the rank yields its core instead. Each step may check for cancellation.
class TransportWait {
 public:
  TransportWait(std::uint32_t spins, const std::function<bool()>& cancelled) noexcept
      : spins_(spins), spinner_(spins), cancelled_(cancelled) {}
  /// Waits for a short time. Called by the rank after each poll of its transfers that completed none.
  /// @param add function that appends to a std::vector<pollfd>& the descriptors that become ready when a
  /// transfer can continue
  template <class Add>
  void step(Add add) {
    if (spins_ == 0 && (spinner_.sleeps() || ++looks_ > kLooks)) {
      set_.clear();
      add(set_);
      if (!set_.empty()) return sleep();
    }
    spinner_.step();
    if ((++polls_ & 0xFFU) == 0) stop_if_cancelled();
  }
  void progressed() noexcept {
    spinner_ = Spinner(spins_);
    looks_ = 0;
  }

 private:
  /// Number of polls that find nothing before the first sleep. A neighbour that shares the core often answers
  /// as soon as this rank yields it, so sleeping at once would waste time.
  static constexpr std::uint32_t kLooks = 4;

  void sleep();
  void stop_if_cancelled() const;

  const std::uint32_t spins_;
  Spinner spinner_;
  const std::function<bool()>& cancelled_;
  std::uint32_t polls_ = 0;
  std::uint32_t looks_ = 0;
  std::vector<pollfd> set_;
};

}  // namespace collbench::cpu
