#pragma once
// Cards meet by LID: each listens on an abstract socket of that number. Whoever sends first connects and
// brings the memory of two rings along: one for its requests, one for the answers.
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

/// Memory of one connection.
struct Shared {
  Ring::Shared requests, answers;
  /// Whose engine sleeps until it gets a message on the socket.
  alignas(64) std::atomic<std::uint32_t> asker_sleeps{0};
  alignas(64) std::atomic<std::uint32_t> answerer_sleeps{0};
  /// 0: the answerer has not tried; 1: it can copy out of the asker's memory; 2: it cannot.
  std::atomic<std::uint32_t> can_pull{0};
};

/// One side of a connection.
struct Channel {
  std::uint16_t lid = 0;  // of the other side
  pid_t process = 0;
  bool is_self = false;
  bool is_lost = false;
  bool asks = false;  // this side sends the requests
  softcard::Fd socket;
  softcard::SharedMemory memory;
  Shared* shared = nullptr;
  Ring out, in;
  std::uint64_t moved = 0;  // bytes of the request in front that have been dealt with

  /// What is put from now on is seen, even by a card that sleeps.
  void wake() noexcept;
  void sleep(bool asleep) noexcept;
};

class Fabric {
 public:
  /// False with one line in `problem` when no LID is to be had.
  bool join(const std::string& name, std::string* problem);
  [[nodiscard]] std::uint16_t lid() const noexcept { return lid_; }

  /// The connection for requests to that card, made at the first call; nullptr: nobody there.
  Channel* to(std::uint16_t lid);
  /// Takes in who has connected.
  void accept();
  /// Marks connections whose other side is gone. @returns whether any is new
  bool find_lost();
  /// Drops lost connections: whoever gets their LID next is somebody else.
  void forget_lost();

  [[nodiscard]] std::map<std::uint16_t, std::unique_ptr<Channel>>& outgoing() noexcept { return outgoing_; }
  [[nodiscard]] std::vector<std::unique_ptr<Channel>>& incoming() noexcept { return incoming_; }

  /// Sleeps until a message of another card comes, or the time is over. Callers have told by
  /// announce_sleep() that they need messages, or do not want any.
  void wait(int timeout_us);
  void announce_sleep(bool asleep) noexcept;
  [[nodiscard]] bool is_silent() noexcept;

 private:
  [[nodiscard]] std::string name_of(std::uint16_t lid) const;
  /// Takes the hello of a connection, if it has come. @returns whether it waits no longer for it
  bool greet(std::unique_ptr<Channel>& channel);
  std::string fabric_;
  std::uint16_t lid_ = 0;
  softcard::Fd listener_, epoll_;
  std::map<std::uint16_t, std::unique_ptr<Channel>> outgoing_;
  std::vector<std::unique_ptr<Channel>> incoming_, greeting_;
};

}  // namespace collbench::softmlx5
