#pragma once
// Who this rank can reach, and how it waits.
#include <functional>
#include <memory>
#include <vector>

#include "core/error.h"
#include "core/spin.h"
#include "engines/cpu/memory.h"
#include "engines/engine.h"
#include "transports/transport.h"

namespace collbench::cpu {

/// Up to here every rank connects to every other; above, to its ring neighbours only.
inline constexpr int kFullMeshRanks = 16;

/// Both directions to one other rank; either may be missing.
struct Peer {
  std::unique_ptr<SendComm> send;
  std::unique_ptr<RecvComm> recv;
};

/// By rank; the own entry is empty. All ranks call it at the same time.
/// @param cancelled polled while waiting; true throws Error(kCancelled)
std::vector<Peer> connect_peers(Bootstrap& bootstrap, Transport& transport,
                                const std::function<bool()>& cancelled);

/// One wait: spins, gives the core away when ranks outnumber cores, and looks now and then whether to stop.
class Waiting {
 public:
  Waiting(std::uint32_t spins, const std::function<bool()>& cancelled) noexcept
      : spinner_(spins), cancelled_(cancelled) {}
  void step() {
    spinner_.step();
    if ((++polls_ & 0xFFU) == 0 && cancelled_ && cancelled_()) stop();
  }
  void progressed(std::uint32_t spins) noexcept { spinner_ = Spinner(spins); }

 private:
  [[noreturn]] static void stop();
  Spinner spinner_;
  const std::function<bool()>& cancelled_;
  std::uint32_t polls_ = 0;
};

}  // namespace collbench::cpu
