#pragma once
// An operation of a control path starts when the host decides to launch a kernel. It ends when the host knows
// that a kernel saw the put completed. Its time is split into steps by who acts.
#include <array>
#include <cstdint>

#include "measure/trial.h"
#include "transports/puts.h"

namespace collbench::controlpath {

enum class Path : std::uint8_t { kHost, kStream, kProxy, kTriggered, kKernel };
/// Threads that increment the counter of a triggered put: each thread of a block, one thread per block, or
/// one for all.
enum class Granularity : std::uint8_t { kThread, kBlock, kKernel };
/// Threads that write queue entries together: one thread, a warp, or a block.
enum class Scope : std::uint8_t { kThread, kWarp, kBlock };

/// Steps of an operation, in the order of reporting.
enum class OperationStep : std::uint8_t {
  kPost,
  kLaunch,
  kCompute,
  kHandover,
  kTrigger,
  kRing,
  kCompletion,
  kStream,  // Time from the end of a kernel to the start of the next: doorbell and completion by the stream.
  kResume,
  kFinish,
  kSteps
};

/// Player of the device: host threads or a GPU.
enum class DeviceKind : std::uint8_t { kThreads, kGpu };

/// Times of the last operation's steps; written by whoever acts.
struct StepTimes {
  std::array<std::int64_t, static_cast<std::size_t>(OperationStep::kSteps)> step_ns{};
  std::int64_t total_ns = 0, launches = 0, wakeups = 0;
  std::int64_t clock_ns = 0;  // GPU: largest error of its times on the host's clock.
  PutCounters counted;

  [[nodiscard]] std::int64_t& operator[](OperationStep step) noexcept {
    return step_ns[static_cast<std::size_t>(step)];
  }
  /// Adds the time since `since` to the step and sets `since` to now.
  void add_time(OperationStep step, std::int64_t& since);
  /// Adds the steps that the path has, then total, clock (GPU only), doorbells, entries, completions,
  /// launches and wakeups.
  void take(OperationColumns& columns, Path path, DeviceKind device) const;
};

class Initiator {
 public:
  virtual ~Initiator() = default;
  /// Called before timed operations.
  virtual void prepare() {}
  /// Runs one operation. The kernel writes `number` into the last 8 bytes of each put.
  virtual void operate(std::uint64_t number) = 0;
  /// Adds the times of the last operation's steps.
  virtual void take(OperationColumns& columns) const = 0;
};

}  // namespace collbench::controlpath
