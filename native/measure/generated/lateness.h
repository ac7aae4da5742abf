// Generated from results/schema/block.ts by orchestration/contract/generate.ts. Do not edit.
#pragma once
#include <cstdint>

namespace collbench {

inline constexpr std::int64_t kLatenessDivisor = 500;

}  // namespace collbench
