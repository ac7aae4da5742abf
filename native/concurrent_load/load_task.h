#pragma once
// Concurrent load: computations, copies or network traffic that runs while a workload is measured. A LoadKind
// creates the tasks, workers.h runs them. Neither the trial loop nor an engine names a kind of load.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace collbench {

struct TransportOptions;

namespace concurrent_load {

/// The work of one thread of a concurrent load. It is created and destroyed on the rank's thread; all other
/// functions are called on the load's thread, unless noted otherwise.
class LoadTask {
 public:
  virtual ~LoadTask() = default;
  /// Called once before the first slice(). Allocates memory that the load's thread must touch first, so that
  /// it is near that thread's core.
  virtual void prepare() {}
  /// Does some microseconds of work. @returns how much was completed in units of the kind (operations,
  /// bytes); 0 = nothing yet
  virtual std::uint64_t slice() = 0;
  /// Completes all work in progress, because the load pauses (between two blocks, for example). No slice() is
  /// called until the load is started again.
  virtual void pause() {}
  /// Ends a pause() that waits for other ranks, because these may have ended. May be called from any thread.
  virtual void abandon() noexcept {}
  /// Bytes and messages that the load has sent and received over a transport so far. May be read from any
  /// thread.
  struct TransferCounts {
    std::uint64_t bytes_sent = 0, bytes_received = 0, messages_sent = 0, messages_received = 0;
  };
  [[nodiscard]] virtual TransferCounts moved() const { return {}; }
};

/// Facts that a concurrent load needs: its rank, cores, requested amount and transport. Two functions
/// exchange texts with other ranks and ask whether cancellation was requested.
struct LoadContext {
  int rank = 0, ranks = 1;
  std::optional<int> amount;  // Requested amount, 2 in "compute:2"; absent = the usual amount.
  std::vector<int> cores;     // Cores of this rank's share, its own core last; empty = not known.
  std::uint32_t spins = 0;    // Empty polls before a worker yields its core.
  std::string transport;      // Transport of the measured workload; `options` belong to it.
  const TransportOptions* options = nullptr;
  /// Exchanges a text among all ranks; returns the texts of all ranks, by rank. `key` names the exchange in
  /// error messages.
  std::function<std::vector<std::string>(std::string_view key, const std::string& mine)> exchange;
  std::function<bool()> cancelled;
};

struct LoadKind {
  std::string_view name;
  /// Creates the load of this kind for one rank, as one task per thread. All ranks must call it together.
  /// @throws Error(kInvalidArgument) with the allowed amounts if the requested amount is impossible; errors
  /// of memory allocation and transports
  std::vector<std::unique_ptr<LoadTask>> (*create)(const LoadContext& context);
};

}  // namespace concurrent_load
}  // namespace collbench
