#pragma once
// Time on a device's own clock, for engines whose operations run there after the host has queued them.
#include <cstdint>
#include <vector>

namespace collbench {

/// One per rank; used by the rank's thread. Marks cost time between operations: mark_ns() says how much.
class DeviceTimeline {
 public:
  virtual ~DeviceTimeline() = default;
  /// Queues a wait: nothing queued later starts before open(). Gives up by itself after some seconds, so that
  /// a dead host leaves no spinning device behind; take_marks_ns() tells.
  virtual void close() = 0;
  /// Lets the queue run; cheap, no system call.
  virtual void open() = 0;
  /// Queues a time stamp.
  virtual void mark() = 0;
  /// After all queued work is complete: ns from the first mark since close() to each mark, the first (0)
  /// included. @throws Error(kTimeout) when the wait gave up by itself
  virtual std::vector<std::int64_t> take_marks_ns() = 0;
  /// What one mark between two operations costs, ns, measured on this device.
  [[nodiscard]] virtual std::int64_t mark_ns() const = 0;
  /// Operations that may be queued behind a closed gate without filling a queue.
  [[nodiscard]] virtual std::uint32_t capacity() const = 0;
};

}  // namespace collbench
