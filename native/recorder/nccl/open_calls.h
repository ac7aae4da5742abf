#pragma once
// Calls whose kernels may still report. A call has a ticket, and its place is the ticket modulo the size: a
// place is used again after as many calls as there are places, and what comes later is counted as lost. Each
// place has a lock that is held for a few instructions.
#include <array>
#include <atomic>
#include <cstdint>

#include "recorder/entry.h"
#include "recorder/recorder.h"

namespace collbench::recorder {

class OpenCalls {
 public:
  explicit OpenCalls(Recorder& recorder) : recorder_(recorder) {}

  /// @returns its ticket
  std::uint64_t start(const Entry& call) noexcept;
  /// The call was enqueued: it is recorded.
  void stop(std::uint64_t ticket) noexcept;
  void kernel_start(std::uint64_t ticket, std::uint64_t device_ns) noexcept;
  void kernel_stop(std::uint64_t ticket, std::uint64_t device_ns) noexcept;
  /// Hands over the times of calls some of whose channels never ended.
  void sweep(int log, bool everything) noexcept;

 private:
  static constexpr std::size_t kPlaces = 8192;
  struct Place {
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
  class Held;
  void record_time(Place& place) noexcept;

  Recorder& recorder_;
  std::array<Place, kPlaces> places_;
  std::atomic<std::uint64_t> next_{1};
};

}  // namespace collbench::recorder
