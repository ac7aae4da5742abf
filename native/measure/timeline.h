#pragma once
// Times measured on a device's own clock, for engines whose operations run there after the host has queued
// them.
#include <cstdint>
#include <vector>

namespace collbench {

/// Time stamps in the queue (stream) of one rank's device, used by the rank's thread. A time stamp adds some
/// time between operations: mark_ns().
class DeviceTimeline {
 public:
  virtual ~DeviceTimeline() = default;
  /// Queues a wait on the device (the gate): later operations do not start until open(). If the host dies,
  /// the wait ends by itself after some seconds, so that the device does not poll for ever. take_marks_ns()
  /// reports that case.
  virtual void close() = 0;
  /// Ends the device's wait that close() has queued. Needs no system call, so it takes effect immediately.
  virtual void open() = 0;
  /// Queues the recording of a time stamp (mark) on the device, between the operations before and after it.
  virtual void mark() = 0;
  /// Returns the time of each mark since close(), in ns after the first mark; the first value is 0. All
  /// queued work must be complete.
  /// @throws Error(kTimeout) if the gate opened by itself
  virtual std::vector<std::int64_t> take_marks_ns() = 0;
  /// Returns the time in ns that one mark adds between two operations, measured on this device.
  [[nodiscard]] virtual std::int64_t mark_ns() const = 0;
  /// Returns the number of operations that can be queued while the device waits because of close().
  [[nodiscard]] virtual std::uint32_t capacity() const = 0;
};

}  // namespace collbench
