#pragma once
// One end of a connection: the shared memory, and the socket that wakes a sleeping peer and shows its death.
#include <poll.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/clock.h"
#include "core/local_socket.h"
#include "core/shared_memory.h"
#include "transports/counters.h"
#include "transports/shm/wire.h"

namespace collbench::shm {

/// Way in which a message of at least kSingleCopyBytes gets from sender to receiver: one copy by the kernel
/// between the two processes, or two copies through the shared memory.
enum class CopyMode : std::uint8_t { kSingleCopy, kTwoCopies };

/// Says for each end of a connection whether it may sleep in poll() while it waits. An end that never sleeps
/// needs no wake-ups.
struct SleepPolicy {
  bool own = true;
  bool peer = true;
};

/// Function of the transport that records a new connection and returns the counters for its comm. `sends` is
/// true for the sending end.
using MakeCounters = std::function<std::shared_ptr<CommCounters>(bool sends, CopyMode copy_mode)>;

class ShmConnection {
 public:
  /// @param memory memory shared by both ends; the constructor maps it
  /// @param line local socket to the peer, for wake-ups and to see that the peer has ended
  /// @param peer process id of the peer
  /// @throws Error(kUnavailable) if the memory cannot be mapped
  ShmConnection(std::unique_ptr<ipc::SharedMemory> memory, FileDescriptor line, pid_t peer,
                CopyMode copy_mode, SleepPolicy sleep_policy);
  [[nodiscard]] SharedChannel& channel() const noexcept { return *channel_; }
  [[nodiscard]] pid_t peer() const noexcept { return peer_; }
  [[nodiscard]] CopyMode copy_mode() const noexcept { return copy_mode_; }

  /// Wakes the peer if it sleeps. Call after writing something to the shared memory that the peer may wait
  /// for. Does nothing if the peer never sleeps, because the atomic exchange on `sleeps` costs as much time
  /// as sending a small message.
  /// @param sleeps word in shared memory that the peer sets before it sleeps
  void wake(std::atomic<std::uint32_t>& sleeps) const {
    if (sleep_policy_.peer) send_wakeup(sleeps);
  }
  /// Prepares this end to sleep in poll(), which the caller calls next. Sets `sleeps`, so that the peer will
  /// wake this end, and adds the socket through which the peer does so. If this end's SleepPolicy says that
  /// it never sleeps, poll() returns at once instead.
  /// @param sleeps word of this end in the shared memory
  /// @param ready returns true if the awaited data has already arrived. It is called after `sleeps` is set,
  /// so that no wake-up is lost; if true, poll() returns at once
  void add_to_poll(std::vector<pollfd>& set, std::atomic<std::uint32_t>& sleeps,
                   const std::function<bool()>& ready);
  /// Reads the wake-up messages from the socket; the caller calls this after poll(). Does nothing if
  /// add_to_poll() has not prepared a sleep since the last call.
  void clear_wakeup();

  /// True if has_peer_left() should be called now. Counts calls, and is true only at every 256th one and at
  /// most every 20 ms. Reason: that check is a system call which would slow down polling.
  bool is_check_due() noexcept;
  /// True if the peer has closed its end or its process has ended.
  [[nodiscard]] bool has_peer_left() const;
  /// Throws Error(kConnectionLost) naming the peer's process.
  [[noreturn]] void throw_lost() const;

 private:
  void send_wakeup(std::atomic<std::uint32_t>& sleeps) const;

  std::unique_ptr<ipc::SharedMemory> memory_;
  FileDescriptor socket_;
  SharedChannel* channel_;
  pid_t peer_;
  CopyMode copy_mode_;
  SleepPolicy sleep_policy_;
  bool slept_ = false;
  std::uint32_t polls_ = 0;
  std::int64_t last_check_ns_ = now_ns();
};

}  // namespace collbench::shm
