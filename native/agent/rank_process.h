#pragma once
#include "agent/rank_session.h"

namespace collbench::agent {

/// Exit codes of a rank process; everything else is a death to be explained.
inline constexpr int kRankStopped = 0;
inline constexpr int kRankReported = 3;  // it told the agent what went wrong, then left

/// Body of `collbench-agent rank RANK INDEX`: obeys the lines on kControlFd until stop or its end.
int run_rank(int rank, int board_index, std::span<const EngineEntry> engines);

}  // namespace collbench::agent
