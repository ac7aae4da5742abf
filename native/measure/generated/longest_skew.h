// Generated from results/schema/skews.ts by orchestration/contract/generate.ts. Do not edit.
#pragma once
#include <cstdint>

namespace collbench {

inline constexpr std::int64_t kLongestSkewNs = 100'000'000;

}  // namespace collbench
