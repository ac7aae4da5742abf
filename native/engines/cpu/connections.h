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

/// Bytes of the longest single message; longer ones are split, because net plugins count bytes in an int.
inline constexpr std::size_t kLongestMessage = std::size_t{1} << 30;

/// Connections to one other rank, one for each direction; either may be missing.
struct PeerConnections {
  std::unique_ptr<SendComm> send;
  std::unique_ptr<RecvComm> recv;
};

/// Creates the error for a peer that this rank has no connection to.
Error not_connected(int peer);

/// Exchanges blobs of equal length among all ranks; returns all of them, by rank.
using ExchangeBlobs = std::function<std::vector<std::string>(const std::string& mine)>;

/// Connects this rank to the peers in `peer_set`, except those in `connected`. Only a few connections are
/// made at a time, so that open handshakes do not grow with the number of ranks. All ranks call it at the
/// same time.
/// @param peers by rank; the own entry stays empty
/// @param cancelled polled while waiting; true throws Error(kCancelled)
void connect_peers(std::vector<PeerConnections>& peers, int rank, std::optional<PeerSet> connected,
                   PeerSet peer_set, Transport& transport, const ExchangeBlobs& exchange,
                   const std::function<bool()>& cancelled);

/// One wait of a rank. If ranks have their own cores it spins. Otherwise it sleeps until data arrive, or
/// yields the core if only polling can tell. It regularly checks for cancellation.
class TransportWait {
 public:
  TransportWait(std::uint32_t spins, const std::function<bool()>& cancelled) noexcept
      : spins_(spins), spinner_(spins), cancelled_(cancelled) {}
  /// Called after an empty poll.
  /// @param add appends the descriptors that may end the wait to a std::vector<pollfd>&
  template <class Add>
  void step(Add add) {
    if (spins_ == 0 && ++looks_ > kLooks) {
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
  /// Empty polls before the first sleep: a neighbour on the same core often answers as soon as it gets the
  /// core.
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
