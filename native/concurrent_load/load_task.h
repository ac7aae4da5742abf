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

/// Work of one load thread. Created and destroyed on the rank's thread; all other calls come from the load
/// thread.
class LoadTask {
 public:
  virtual ~LoadTask() = default;
  /// Called once, before the first slice. Allocates memory that the load thread must touch first.
  virtual void prepare() {}
  /// Does some microseconds of work. @returns number of units (operations, bytes) completed; 0 = none yet
  virtual std::uint64_t slice() = 0;
  /// Called before a pause: completes all work under way. No slice() follows until the next start.
  virtual void pause() {}
  /// Makes a pause() that waits for other ranks give up, since they may have ended. Called from any thread.
  virtual void abandon() noexcept {}
  /// Bytes and messages given to a transport and received from it so far. Readable from any thread.
  struct TransferCounts {
    std::uint64_t bytes_sent = 0, bytes_received = 0, messages_sent = 0, messages_received = 0;
  };
  [[nodiscard]] virtual TransferCounts moved() const { return {}; }
};

/// Facts that a load needs to know about the rank it runs on.
struct LoadContext {
  int rank = 0, ranks = 1;
  std::optional<int> amount;  // Requested amount, 2 in "compute:2"; absent = the usual amount.
  std::vector<int> cores;     // Cores of this rank's share, its own core last; empty = not known.
  std::uint32_t spins = 0;    // Empty polls before a worker yields its core.
  std::string transport;      // Transport of the measured workload; `options` belong to it.
  const TransportOptions* options = nullptr;
  /// Exchanges a blob with all ranks: returns everybody's blobs, by rank.
  std::function<std::vector<std::string>(std::string_view key, const std::string& mine)> exchange;
  std::function<bool()> cancelled;
};

struct LoadKind {
  std::string_view name;
  /// Creates one task for each worker. All ranks call it together.
  /// @throws Error(kInvalidArgument) with the allowed amounts if the amount is impossible; whatever
  /// allocation and transports throw
  std::vector<std::unique_ptr<LoadTask>> (*create)(const LoadContext& context);
};

}  // namespace concurrent_load
}  // namespace collbench
