#pragma once
// An operation of a control path starts when the host decides to launch a kernel. It ends when the host knows
// that a kernel saw the put completed. Its time is split into steps by who acts.
#include <array>
#include <cstdint>

#include "measure/trial.h"
#include "transports/puts.h"

namespace collbench::controlpath {

/// Part of the system that starts the puts after a kernel has written their data. kHost: the host's thread,
/// when the kernel has ended. kStream: the device's stream rings for entries that the host wrote. kProxy: a
/// host thread that the kernel wakes. kTriggered: the kernel counts, and full counters ring for entries that
/// the host wrote. kKernel: the kernel writes the entries and rings.
enum class Path : std::uint8_t { kHost, kStream, kProxy, kTriggered, kKernel };
/// Threads of a kernel that increment the counter of triggered puts: every thread of the block for each put,
/// one thread for each put, or one thread once for all puts of the kernel.
enum class Granularity : std::uint8_t { kThread, kBlock, kKernel };
/// Threads of a kernel that write queue entries together: one thread, a warp (32), or all threads of a block.
enum class Scope : std::uint8_t { kThread, kWarp, kBlock };

/// Steps into which the time of an operation is divided: entries are written (post), a kernel starts (launch)
/// and writes the data (compute), the host or proxy is told (handover), counters are incremented (trigger),
/// doorbells rung, completions awaited, the next kernel starts (resume), the host wakes (finish). On
/// Path::kStream of a GPU, the step kStream replaces ring, completion and resume. kSteps is the number of
/// steps.
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

/// Device that runs the kernels: threads of the host that imitate a device, or a GPU.
enum class DeviceKind : std::uint8_t { kThreads, kGpu };

/// Durations in ns of the steps of the last operation, and counts of its kernel launches, host wake-ups,
/// queue entries, doorbells and completions. The thread that executes a step writes its time.
struct StepTimes {
  std::array<std::int64_t, static_cast<std::size_t>(OperationStep::kSteps)> step_ns{};
  std::int64_t total_ns = 0, launches = 0, wakeups = 0;
  std::int64_t clock_ns = 0;  // GPU: largest error, in ns, of its times when converted to the host's clock.
  PutCounters counted;

  [[nodiscard]] std::int64_t& operator[](OperationStep step) noexcept {
    return step_ns[static_cast<std::size_t>(step)];
  }
  /// Adds the time from `since` until now to the step, then sets `since` to now.
  void add_time(OperationStep step, std::int64_t& since);
  /// Appends one value per name to `columns`: the steps that this path has on this device, total, clock (GPU
  /// only), doorbells, entries, completions, launches and wakeups.
  void take(OperationColumns& columns, Path path, DeviceKind device) const;
};

class Initiator {
 public:
  virtual ~Initiator() = default;
  /// Called when test data are prepared: before the first operation of a block, and before operations that
  /// are verified. A GPU compares its clock with the host's here.
  virtual void prepare() {}
  /// Runs one operation until the host knows that its puts are complete. The kernel writes `number` into the
  /// last 8 bytes of each put, by which the target recognises the operation.
  virtual void operate(std::uint64_t number) = 0;
  /// Adds the durations and counts of the last operation to `columns`.
  virtual void take(OperationColumns& columns) const = 0;
};

}  // namespace collbench::controlpath
