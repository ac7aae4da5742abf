#pragma once
// Calls whose kernels may still report times. Each call has a ticket; its slot is the ticket modulo the
// number of slots. So a slot is reused after as many calls as there are slots, and later times for the old
// call count as lost. The lock of a slot is held for a few instructions.
#include <array>
#include <atomic>
#include <cstdint>

#include "recorder/entry.h"
#include "recorder/recorder.h"

namespace collbench::recorder {

class OpenCalls {
 public:
  explicit OpenCalls(Recorder& recorder) : recorder_(recorder) {}

  /// Starts a call. @returns its ticket
  std::uint64_t start(const Entry& call) noexcept;
  /// Records the call, which has been enqueued.
  void stop(std::uint64_t ticket) noexcept;
  void kernel_start(std::uint64_t ticket, std::uint64_t device_ns) noexcept;
  void kernel_stop(std::uint64_t ticket, std::uint64_t device_ns) noexcept;
  /// Delivers the times of calls of which some channels never ended. @param everything also of calls that are
  /// still fresh
  void sweep(int log, bool everything) noexcept;

 private:
  static constexpr std::size_t kSlots = 8192;
  struct CallSlot {
    std::atomic<bool> is_taken{false};
    std::uint64_t ticket = 0;
    Entry call;
    std::uint64_t device_start_ns = 0;
    std::uint64_t device_stop_ns = 0;
    std::int64_t seen_ns = 0;
    int starts = 0;
    int stops = 0;
    int recorded_stops = 0;
  };
  class SlotLock;
  void record_time(CallSlot& place) noexcept;

  Recorder& recorder_;
  std::array<CallSlot, kSlots> slots_;
  std::atomic<std::uint64_t> next_{1};
};

}  // namespace collbench::recorder
