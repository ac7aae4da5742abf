#pragma once
// Connections between cards, found by LID: each card listens on an abstract socket named after its LID. The
// first sender connects and sends the memory of two rings: one for its requests, one for the answers.
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/local_socket.h"
#include "core/shared_memory.h"
#include "emulated/softmlx5/nic/ring.h"

namespace collbench::softmlx5 {

/// Shared memory of two connected emulated adapters: one ring for requests, one for answers.
struct SharedRings {
  FrameRing::SharedRings requests, answers;
  /// 1 while the requesting card's thread sleeps; then the peer must send a message on the socket to wake it.
  /// `answerer_sleeps` is the same for the answering card.
  alignas(64) std::atomic<std::uint32_t> requester_sleeps{0};
  alignas(64) std::atomic<std::uint32_t> answerer_sleeps{0};
  /// State of the question whether the answering card can copy from the requester's memory directly. 0: not
  /// tried yet; 1: it can; 2: it cannot.
  std::atomic<std::uint32_t> can_pull{0};
};

/// This process's end of a connection between two emulated adapters (cards).
struct CardConnection {
  std::uint16_t lid = 0;  // LID of the other side
  pid_t process = 0;
  bool is_self = false;
  bool is_lost = false;
  bool is_requester = false;  // true: this side sends the requests
  FileDescriptor socket;
  ipc::SharedMemory memory;
  SharedRings* shared = nullptr;
  FrameRing out, in;
  std::uint64_t moved = 0;  // bytes of the oldest unread request that have been copied
  /// Link model: time at which the oldest unread frame has passed this card's port, in ns of CLOCK_MONOTONIC;
  /// 0 = the port is not reserved for it yet.
  std::int64_t arrives_ns = 0;

  /// Wakes the peer's card if it sleeps. Call after writing to a ring, so that the peer reads it.
  void wake() noexcept;
  /// Announces to the peer that this card's thread sleeps (true), or is awake (false).
  void sleep(bool asleep) noexcept;
};

/// This adapter's LID and its connections to the other emulated adapters of the fabric, i.e. of processes
/// with the same SOFTMLX5_FABRIC.
class Fabric {
 public:
  /// Takes a free LID in the fabric with this name.
  /// @param problem receives one line if none is free
  /// @returns false if none is free
  bool join(const std::string& name, std::string* problem);
  [[nodiscard]] std::uint16_t lid() const noexcept { return lid_; }

  /// Returns the connection for requests to the card with this LID; the first call makes it. nullptr if no
  /// card has the LID, the connection is lost or cannot be made.
  CardConnection* to(std::uint16_t lid);
  /// Accepts connections that other cards have made to this one.
  void accept();
  /// Marks connections as lost (is_lost) whose peer's process has ended.
  /// @returns true if at least one was newly marked
  bool mark_lost();
  /// Removes connections that are marked as lost, because another process may get their LID next.
  void drop_lost();

  [[nodiscard]] std::map<std::uint16_t, std::unique_ptr<CardConnection>>& outgoing() noexcept {
    return outgoing_;
  }
  [[nodiscard]] std::vector<std::unique_ptr<CardConnection>>& incoming() noexcept { return incoming_; }

  /// Sleeps until a message arrives on a socket, or for `timeout_us` microseconds. Call announce_sleep()
  /// before: otherwise other cards send no message when they write to a ring.
  void wait(int timeout_us);
  /// Announces to all connected cards that this card's thread sleeps (true), or is awake (false).
  void announce_sleep(bool asleep) noexcept;
  /// True if no connection has an unread message for this adapter.
  [[nodiscard]] bool is_silent() noexcept;

 private:
  [[nodiscard]] std::string name_of(std::uint16_t lid) const;
  /// Reads the first message of a new connection, which contains the peer's LID and memory.
  /// @returns true if the connection needs no more waiting: the message was received, or it is invalid, or
  /// the peer has disconnected
  bool take_hello(std::unique_ptr<CardConnection>& channel);
  std::string fabric_;
  std::uint16_t lid_ = 0;
  FileDescriptor listener_, epoll_;
  std::map<std::uint16_t, std::unique_ptr<CardConnection>> outgoing_;
  std::vector<std::unique_ptr<CardConnection>> incoming_, unidentified_;
};

}  // namespace collbench::softmlx5
