#pragma once
// Selects the calls that get device times. Device times cost a proxy operation per call and two stores per
// channel, so most calls have none. Timed are the first calls, then stretches of calls that move over the
// steps of a job. The choice depends on the number of the call, so that all ranks time the same ones.
//
// CUDA graphs break this choice: NCCL (2.26 to 2.30) counts work on host and device and waits for times by
// these counts. For a captured call without times the host counts only the capture, but the device counts
// each replay. Later times then never arrive, and ncclCommDestroy waits forever. So the first captured call
// decides: from it on every call of the process is timed, or none.
#include <atomic>
#include <cstdint>
#include <cstring>

namespace collbench::recorder {

class TimingSchedule {
 public:
  /// @param word "always" (all calls get device times), "never" (none) or "auto" (a selection); nullptr and
  /// any other word mean "auto"
  explicit TimingSchedule(const char* word) noexcept {
    if (word != nullptr && std::strcmp(word, "always") == 0) mode_ = kAlways;
    if (word != nullptr && std::strcmp(word, "never") == 0) mode_ = kNever;
  }
  /// True if NCCL is to report when the kernel of this call ran on the GPU (device times).
  /// @param call number among all calls of the process
  bool is_timed(std::uint64_t call) const noexcept {
    const Mode mode = mode_.load(std::memory_order_relaxed);
    if (mode != kAuto) return mode == kAlways;
    return call < kFirst || (call - kFirst) % kPeriod < kStretch;
  }

  /// Called when a call is captured in a CUDA graph. In mode "auto", the first such call decides for all
  /// later calls of the process whether they get device times.
  /// @param is_timed whether NCCL has already decided to time this call
  void note_captured(bool is_timed) noexcept {
    Mode mode = kAuto;
    mode_.compare_exchange_strong(mode, is_timed ? kAlways : kNever, std::memory_order_relaxed);
  }
  /// Makes all calls get device times, in mode "auto". The plugin calls this if the profiler interface does
  /// not report captures, as any call may then be captured.
  void note_unseen_captures() noexcept { note_captured(true); }

 private:
  enum Mode : std::uint8_t { kAuto, kAlways, kNever };
  static constexpr std::uint64_t kFirst = 512;
  static constexpr std::uint64_t kStretch = 128;
  /// Number of calls from the begin of one stretch of kStretch timed calls to the begin of the next; about
  /// one of 16 calls is timed. It is a prime number, so that in a job that repeats a step the stretches begin
  /// at changing positions of the step.
  static constexpr std::uint64_t kPeriod = 2053;
  std::atomic<Mode> mode_{kAuto};
};

}  // namespace collbench::recorder
