#pragma once
// Times measured on a device's own clock, for engines whose operations run there after the host has queued
// them.
#include <cstdint>
#include <vector>

namespace collbench {

/// Time stamps of one rank's device queue, used by the rank's thread. A mark costs time between operations:
/// see mark_ns().
class DeviceTimeline {
 public:
  virtual ~DeviceTimeline() = default;
  /// Queues a wait (the gate): later operations do not start before open(). The wait ends by itself after
  /// some seconds, so that a dead host leaves no spinning device; take_marks_ns() reports that.
  virtual void close() = 0;
  /// Opens the gate. Cheap: no system call.
  virtual void open() = 0;
  /// Queues a time stamp.
  virtual void mark() = 0;
  /// Returns the time of each mark since close() in ns after the first mark, whose own 0 is included. Called
  /// after all queued work is complete.
  /// @throws Error(kTimeout) if the gate opened by itself
  virtual std::vector<std::int64_t> take_marks_ns() = 0;
  /// Time that one mark adds between two operations, ns, measured on this device.
  [[nodiscard]] virtual std::int64_t mark_ns() const = 0;
  /// Number of operations that fit in the queue behind a closed gate.
  [[nodiscard]] virtual std::uint32_t capacity() const = 0;
};

}  // namespace collbench
