#pragma once
// Which calls get device times. They cost a proxy operation a call and two stores a channel, so most are left
// out: the first ones are timed, then stretches of calls that wander over the steps of a job. By number of
// the call, not by time, so that all ranks time the same ones.
//
// With CUDA graphs that cannot be: NCCL (2.26 to 2.30) counts work on the host and on the device, and waits
// for times by these counts. Of a captured call that is not timed the host counts the capture, the device
// each replay. From then on no time comes any more, and ncclCommDestroy waits for it without end. So the
// first captured call decides: from it on every call of the process is timed, or none.
#include <atomic>
#include <cstdint>
#include <cstring>

namespace collbench::recorder {

class WhenTimed {
 public:
  /// "always", "never" or "auto" (also nullptr).
  explicit WhenTimed(const char* word) noexcept {
    if (word != nullptr && std::strcmp(word, "always") == 0) mode_ = kAlways;
    if (word != nullptr && std::strcmp(word, "never") == 0) mode_ = kNever;
  }
  bool is_timed(std::uint64_t call) const noexcept {
    const Mode mode = mode_.load(std::memory_order_relaxed);
    if (mode != kAuto) return mode == kAlways;
    return call < kFirst || (call - kFirst) % kPeriod < kStretch;
  }

  /// @param is_timed what NCCL has read for this call already
  void note_captured(bool is_timed) noexcept {
    Mode mode = kAuto;
    mode_.compare_exchange_strong(mode, is_timed ? kAlways : kNever, std::memory_order_relaxed);
  }
  /// Where captures cannot be seen.
  void note_unseen_captures() noexcept { note_captured(true); }

 private:
  enum Mode : std::uint8_t { kAuto, kAlways, kNever };
  static constexpr std::uint64_t kFirst = 512;
  static constexpr std::uint64_t kStretch = 128;
  /// A prime, so that stretches begin at every place of a step in turn; one call of 16.
  static constexpr std::uint64_t kPeriod = 2053;
  std::atomic<Mode> mode_{kAuto};
};

}  // namespace collbench::recorder
