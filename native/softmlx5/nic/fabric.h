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

#include "softcard/local_socket.h"
#include "softcard/shared_memory.h"
#include "softmlx5/nic/ring.h"

namespace collbench::softmlx5 {

/// Shared memory of one connection.
struct SharedRings {
  FrameRing::SharedRings requests, answers;
  /// True while the engine of that side sleeps until a message arrives on the socket.
  alignas(64) std::atomic<std::uint32_t> requester_sleeps{0};
  alignas(64) std::atomic<std::uint32_t> answerer_sleeps{0};
  /// 0: the answering side has not tried; 1: it can copy from the requester's memory; 2: it cannot.
  std::atomic<std::uint32_t> can_pull{0};
};

/// One side of a connection.
struct CardConnection {
  std::uint16_t lid = 0;  // LID of the other side
  pid_t process = 0;
  bool is_self = false;
  bool is_lost = false;
  bool is_requester = false;  // true: this side sends the requests
  softcard::Fd socket;
  softcard::SharedMemory memory;
  SharedRings* shared = nullptr;
  FrameRing out, in;
  std::uint64_t moved = 0;  // bytes of the front request that are done

  /// Wakes the other side if it sleeps, so that it sees what is written next.
  void wake() noexcept;
  void sleep(bool asleep) noexcept;
};

class Fabric {
 public:
  /// False with one line in `problem` if no LID is free.
  bool join(const std::string& name, std::string* problem);
  [[nodiscard]] std::uint16_t lid() const noexcept { return lid_; }

  /// Connection for requests to that card, made at the first call; nullptr if no card has that LID.
  CardConnection* to(std::uint16_t lid);
  /// Accepts new connections.
  void accept();
  /// Marks connections whose other side has ended. @returns true if there is a new one
  bool mark_lost();
  /// Drops lost connections, because another process may get their LID next.
  void drop_lost();

  [[nodiscard]] std::map<std::uint16_t, std::unique_ptr<CardConnection>>& outgoing() noexcept {
    return outgoing_;
  }
  [[nodiscard]] std::vector<std::unique_ptr<CardConnection>>& incoming() noexcept { return incoming_; }

  /// Sleeps until a message from another card arrives or the timeout ends. Callers announce the sleep with
  /// announce_sleep() first, unless they need no messages.
  void wait(int timeout_us);
  void announce_sleep(bool asleep) noexcept;
  [[nodiscard]] bool is_silent() noexcept;

 private:
  [[nodiscard]] std::string name_of(std::uint16_t lid) const;
  /// Reads the hello of a new connection. @returns true when it needs no more waiting: received or lost
  bool take_hello(std::unique_ptr<CardConnection>& channel);
  std::string fabric_;
  std::uint16_t lid_ = 0;
  softcard::Fd listener_, epoll_;
  std::map<std::uint16_t, std::unique_ptr<CardConnection>> outgoing_;
  std::vector<std::unique_ptr<CardConnection>> incoming_, unidentified_;
};

}  // namespace collbench::softmlx5
