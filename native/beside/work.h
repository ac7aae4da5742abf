#pragma once
// What works beside a workload while it is measured: computations, copies, other traffic. A kind makes the
// work of its workers; workers.h runs it. Neither the trial loop nor an engine names a kind.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench {

struct TransportOptions;

namespace beside {

/// The work of one thread. Made and destroyed on the rank's thread, all else is called on its own.
class Work {
 public:
  virtual ~Work() = default;
  /// Once, before the first slice: memory that the thread should touch first.
  virtual void prepare() {}
  /// Some microseconds of work. @returns units of it that are complete (operations, bytes); 0 = nothing is
  /// yet
  virtual std::uint64_t slice() = 0;
  /// No slice follows until the next start: all that was begun is complete when it returns.
  virtual void pause() {}
  /// From any thread: a pause() that waits for other ranks gives up, since they may be gone.
  virtual void abandon() noexcept {}
  /// Bytes and messages given to a transport so far, and received; from any thread.
  struct Moved {
    std::uint64_t bytes_sent = 0, bytes_received = 0, messages_sent = 0, messages_received = 0;
  };
  [[nodiscard]] virtual Moved moved() const { return {}; }
};

/// Where it works.
struct Context {
  int rank = 0, ranks = 1;
  std::optional<int> amount;  // as asked for: "compute:2"; absent = what is usual
  std::vector<int> cores;     // of this rank's share, its own core last; empty = not known
  std::uint32_t spins = 0;    // empty looks before a worker gives its core away
  std::string transport;      // of the workload, with its options
  const TransportOptions* options = nullptr;
  /// Everybody gives a blob and gets all of them, by rank.
  std::function<std::vector<std::string>(std::string_view key, const std::string& mine)> exchange;
  std::function<bool()> cancelled;
};

struct Kind {
  std::string_view name;
  /// One for each worker. All ranks call it together.
  /// @throws Error(kInvalidArgument) an amount that cannot be, with what is allowed; what memory and
  /// transports throw
  std::vector<std::unique_ptr<Work>> (*create)(const Context& context);
};

}  // namespace beside
}  // namespace collbench
