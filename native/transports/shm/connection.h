#pragma once
// One end of a connection: the shared memory, and the socket that wakes a sleeping peer and shows its death.
#include <poll.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/clock.h"
#include "softcard/local_socket.h"
#include "softcard/shared_memory.h"
#include "transports/counters.h"
#include "transports/shm/wire.h"

namespace collbench::shm {

/// How messages of at least kSingleCopyBytes are copied.
enum class CopyMode : std::uint8_t { kSingleCopy, kTwoCopies };

/// Which of the two ends may sleep while it waits.
struct SleepPolicy {
  bool own = true;
  bool peer = true;
};

/// Registers a new connection with the transport and returns its counters.
using MakeCounters = std::function<std::shared_ptr<CommCounters>(bool sends, CopyMode copy_mode)>;

class ShmConnection {
 public:
  /// @param memory is mapped by the constructor
  /// @param line socket to the peer
  ShmConnection(std::unique_ptr<softcard::SharedMemory> memory, softcard::Fd line, pid_t peer,
                CopyMode copy_mode, SleepPolicy sleep_policy);
  [[nodiscard]] SharedChannel& channel() const noexcept { return *channel_; }
  [[nodiscard]] pid_t peer() const noexcept { return peer_; }
  [[nodiscard]] CopyMode copy_mode() const noexcept { return copy_mode_; }

  /// Call after publishing something that the peer may wait for. Does nothing if the peer never sleeps,
  /// because the exchange on `sleeps` takes as long as a small message.
  void wake(std::atomic<std::uint32_t>& sleeps) const {
    if (sleep_policy_.peer) send_wakeup(sleeps);
  }
  /// Call before poll(): tells the peer that this side will sleep and adds the socket that wakes it.
  /// @param sleeps the word of the end that goes to sleep
  /// @param ready true if the peer has already published; called after the peer is told, so that no wake-up
  /// is lost
  void add_to_poll(std::vector<pollfd>& set, std::atomic<std::uint32_t>& sleeps,
                   const std::function<bool()>& ready);
  /// Call after poll(): reads the wake-up messages from the socket.
  void clear_wakeup();

  /// True when it is time to check whether the peer still lives; not at every empty poll, to keep polling
  /// fast.
  bool is_check_due() noexcept;
  [[nodiscard]] bool has_peer_left() const;
  /// @throws Error(kConnectionLost)
  [[noreturn]] void throw_lost() const;

 private:
  void send_wakeup(std::atomic<std::uint32_t>& sleeps) const;

  std::unique_ptr<softcard::SharedMemory> memory_;
  softcard::Fd socket_;
  SharedChannel* channel_;
  pid_t peer_;
  CopyMode copy_mode_;
  SleepPolicy sleep_policy_;
  bool slept_ = false;
  std::uint32_t polls_ = 0;
  std::int64_t last_check_ns_ = now_ns();
};

}  // namespace collbench::shm
