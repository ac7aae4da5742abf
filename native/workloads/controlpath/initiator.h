#pragma once
// One operation of a control path goes from the host's decision to start a kernel until it knows that a
// kernel saw the put completed. Its parts are taken apart by who has the turn.
#include <array>
#include <cstdint>

#include "measure/trial.h"
#include "transports/puts.h"

namespace collbench::controlpath {

enum class Path : std::uint8_t { kHost, kStream, kProxy, kTriggered, kKernel };
/// Who increments the counter of a triggered put: each thread of a block, one for its block, one for all.
enum class Granularity : std::uint8_t { kThread, kBlock, kKernel };
/// Who writes entries together: one thread, those of a warp, those of a block.
enum class Scope : std::uint8_t { kThread, kWarp, kBlock };

/// Parts of an operation, in the order in which they are told.
enum class Step : std::uint8_t {
  kPost,
  kLaunch,
  kCompute,
  kHandover,
  kTrigger,
  kRing,
  kCompletion,
  kStream,  // from the end of a kernel to the begin of the next: doorbell and completion by the stream
  kResume,
  kFinish,
  kSteps
};

/// Who plays the device: threads of the host, or a GPU.
enum class Device : std::uint8_t { kThreads, kGpu };

/// Parts of the last operation; written by whoever has the turn.
struct Account {
  std::array<std::int64_t, static_cast<std::size_t>(Step::kSteps)> step_ns{};
  std::int64_t total_ns = 0, launches = 0, wakeups = 0;
  std::int64_t clock_ns = 0;  // GPU: by how much its instants may be shifted against the host's
  PutCounters counted;

  [[nodiscard]] std::int64_t& operator[](Step step) noexcept {
    return step_ns[static_cast<std::size_t>(step)];
  }
  /// Adds the time since then, and sets it to now.
  void spend(Step step, std::int64_t& since);
  /// Steps that the path has, total, clock (of a GPU), doorbells, entries, completions, launches, wakeups.
  void take(Columns& columns, Path path, Device device) const;
};

class Initiator {
 public:
  virtual ~Initiator() = default;
  /// Before operations that are timed.
  virtual void prepare() {}
  /// One operation; `number` is what its kernel writes into the last 8 bytes of each put.
  virtual void operate(std::uint64_t number) = 0;
  /// Adds the parts of the last operation.
  virtual void take(Columns& columns) const = 0;
};

}  // namespace collbench::controlpath
