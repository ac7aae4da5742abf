#pragma once
// One end of a connection: the shared memory, the socket that tells of the other's death and wakes sleepers,
// and what went over it.
#include <poll.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/clock.h"
#include "softcard/local_socket.h"
#include "softcard/shared_memory.h"
#include "transports/shm/wire.h"

namespace collbench::shm {

/// Written by the one thread that uses the comm, read by any.
struct Tally {
  std::atomic<std::uint64_t> bytes{0};
  std::atomic<std::uint64_t> messages{0};
  std::atomic<std::uint64_t> flagged{0};
  void add(std::uint64_t n) noexcept {
    bytes.store(bytes.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    messages.store(messages.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  void add_flagged() noexcept {
    flagged.store(flagged.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

/// How the messages of a connection from kSingleCopyBytes on travel.
enum class Way : std::uint8_t { kSingleCopy, kTwoCopies };

/// Who of the two may sleep while it waits.
struct Sleepers {
  bool own = true;
  bool peer = true;
};

/// Tells the transport of a new connection; gives its tally.
using MakeTally = std::function<std::shared_ptr<Tally>(bool sends, Way way)>;

class End {
 public:
  /// @param memory mapped here
  End(std::unique_ptr<softcard::SharedMemory> memory, softcard::Fd line, pid_t peer, Way way,
      Sleepers sleepers);
  [[nodiscard]] Channel& channel() const noexcept { return *channel_; }
  [[nodiscard]] pid_t peer() const noexcept { return peer_; }
  [[nodiscard]] Way way() const noexcept { return way_; }

  /// After publishing something that the other may wait for. Nothing where it never sleeps: changing the word
  /// waits until what was published has left this core, which takes as long as a small message.
  void wake(std::atomic<std::uint32_t>& sleeps) const {
    if (sleepers_.peer) ring(sleeps);
  }
  /// Before sleeping until the other publishes something. @param ready whether it has, asked after telling it
  void add_to_poll(std::vector<pollfd>& set, std::atomic<std::uint32_t>& sleeps,
                   const std::function<bool()>& ready);
  /// After a sleep: takes what woke.
  void awake();

  /// True when it is time to ask whether the other is still there: not at every empty look.
  bool due() noexcept;
  [[nodiscard]] bool is_alone() const;
  /// @throws Error(kConnectionLost)
  [[noreturn]] void lost() const;

 private:
  void ring(std::atomic<std::uint32_t>& sleeps) const;

  std::unique_ptr<softcard::SharedMemory> memory_;
  softcard::Fd line_;
  Channel* channel_;
  pid_t peer_;
  Way way_;
  Sleepers sleepers_;
  bool slept_ = false;
  std::uint32_t looks_ = 0;
  std::int64_t last_look_ns_ = now_ns();
};

}  // namespace collbench::shm
