#pragma once
// Calls whose kernels may still report times. Each call has a ticket, which holds its place in the order of
// calls and the number of its record. Its slot is that place modulo the number of slots. So a slot is reused
// after as many calls as there are slots. What an old call reports later is counted as lost for its own
// record. The lock of a slot is held for a few instructions.
#include <array>
#include <atomic>
#include <cstdint>

#include "recorder/entry.h"
#include "recorder/recorder.h"

namespace collbench::recorder {

/// The most recent NCCL calls of all communicators of this process. Their kernels may still report when they
/// ran on the GPU.
class OpenCalls {
 public:
  explicit OpenCalls(Recorder& recorder) : recorder_(recorder) {}

  /// Stores a call that has just begun, for at least the next 8,191 calls. Its `log` must not be -1.
  /// @returns its ticket, with which the other functions name it
  std::uint64_t start(const RecordEntry& call) noexcept;
  /// Ends a call, now: queues it for the record file. NCCL reports the end when the call is enqueued on the
  /// stream; its kernel may run later. If a later call has taken the slot, the call is counted as lost.
  void stop(std::uint64_t ticket) noexcept;
  /// Reports that the call's kernel has started on one channel. Does nothing if a later call has taken the
  /// slot.
  /// @param device_ns the GPU's clock
  void kernel_start(std::uint64_t ticket, std::uint64_t device_ns) noexcept;
  /// Reports that the call's kernel has ended on one channel. When it has ended on all channels, the call's
  /// device time is queued. If a later call has taken the slot, each channel's time is counted as lost.
  void kernel_stop(std::uint64_t ticket, std::uint64_t device_ns) noexcept;
  /// Queues the device times of those calls of one communicator whose latest reported ends are not yet in a
  /// queued time. Calls without a reported end are skipped.
  /// @param log number of the communicator's record
  /// @param everything true: all such calls; false: only those that have reported no end for a second
  void sweep(int log, bool everything) noexcept;

 private:
  static constexpr std::size_t kSlots = 8192;
  struct CallSlot {
    std::atomic<bool> is_taken{false};
    std::uint64_t ticket = 0;
    RecordEntry call;
    std::uint64_t device_start_ns = 0;  // Earliest reported start of the call's kernel, on the GPU's clock.
    std::uint64_t device_stop_ns = 0;   // Latest reported end, on the GPU's clock.
    std::int64_t seen_ns = 0;           // CLOCK_MONOTONIC time at which the last end was reported.
    int starts = 0;                     // Number of channels that have reported a start.
    int stops = 0;                      // Number of channels that have reported an end.
    int recorded_stops = 0;             // Value of `stops` when a device time was queued last.
  };
  class SlotLock;
  CallSlot& slot_of(std::uint64_t ticket) noexcept;
  void record_time(CallSlot& place) noexcept;

  Recorder& recorder_;
  std::array<CallSlot, kSlots> slots_;
  std::atomic<std::uint64_t> next_{1};
};

}  // namespace collbench::recorder
