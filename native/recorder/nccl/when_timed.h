#pragma once
// Which calls get device times. They cost a proxy operation a call and two stores a channel, so most are left
// out: the first ones are timed, then stretches of calls that wander over the steps of a job. By number of
// the call, not by time, so that all ranks time the same ones. Captured calls are always timed, as replays
// are seen only by their device times.
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace collbench::recorder {

class WhenTimed {
 public:
  /// "always", "never" or "auto" (also nullptr).
  explicit WhenTimed(const char* word) noexcept {
    if (word != nullptr && std::strcmp(word, "always") == 0) mode_ = kAlways;
    if (word != nullptr && std::strcmp(word, "never") == 0) mode_ = kNever;
  }
  static WhenTimed of_environment() noexcept { return WhenTimed(std::getenv("COLLBENCH_RECORD_TIMES")); }

  bool is_timed(std::uint64_t call, bool is_captured) const noexcept {
    if (mode_ != kAuto) return mode_ == kAlways;
    return is_captured || call < kFirst || (call - kFirst) % kPeriod < kStretch;
  }

 private:
  enum Mode { kAuto, kAlways, kNever };
  static constexpr std::uint64_t kFirst = 512;
  static constexpr std::uint64_t kStretch = 128;
  /// A prime, so that stretches begin at every place of a step in turn; one call of 16.
  static constexpr std::uint64_t kPeriod = 2053;
  Mode mode_ = kAuto;
};

}  // namespace collbench::recorder
