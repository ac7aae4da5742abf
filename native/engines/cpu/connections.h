#pragma once
// Who this rank can reach, and how it waits.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/spin.h"
#include "engines/cpu/memory.h"
#include "engines/cpu/reach.h"
#include "engines/engine.h"
#include "transports/transport.h"

namespace collbench::cpu {

/// Longer ones go in pieces: net plugins count their bytes in an int.
inline constexpr std::size_t kLongestMessage = std::size_t{1} << 30;

/// Both directions to one other rank; either may be missing.
struct Peer {
  std::unique_ptr<SendComm> send;
  std::unique_ptr<RecvComm> recv;
};

/// For a peer that this rank has no connection to.
Error not_connected(int peer);

/// Everybody gives a blob, all as long, and gets all of them, by rank.
using ExchangeBlobs = std::function<std::vector<std::string>(const std::string& mine)>;

/// Connects this rank's peers as far as `reach` goes; those of `reached` are connected. Few at a time, so
/// that listeners and handshakes under way do not grow with the ranks. All ranks call it at the same time.
/// @param peers by rank; the own entry is empty  @param cancelled polled while waiting; true throws
/// Error(kCancelled)
void connect_peers(std::vector<Peer>& peers, int rank, std::optional<Reach> reached, Reach reach,
                   Transport& transport, const ExchangeBlobs& exchange,
                   const std::function<bool()>& cancelled);

/// One wait: spins where ranks have cores of their own; where they outnumber them it sleeps until something
/// comes, or gives the core away if only looking again can tell. Looks now and then whether to stop.
class Waiting {
 public:
  Waiting(std::uint32_t spins, const std::function<bool()>& cancelled) noexcept
      : spins_(spins), spinner_(spins), cancelled_(cancelled) {}
  /// After an empty look. @param add puts what may end the wait into a std::vector<pollfd>&
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
  /// Before the first sleep: a neighbour on the same core answers most often as soon as it has it.
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
