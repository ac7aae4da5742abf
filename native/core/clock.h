#pragma once
#include <time.h>

#include <cstdint>

namespace collbench {

/// Returns the time of CLOCK_MONOTONIC in nanoseconds. All processes of a machine share this clock, and it
/// never jumps.
inline std::int64_t now_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
}

}  // namespace collbench
