#pragma once
#include "agent/rank_session.h"

namespace collbench::agent {

/// Exit codes of a rank process; every other end counts as a death.
inline constexpr int kRankStopped = 0;
inline constexpr int kRankReported = 3;  // The rank reported an error to the agent before it exited.

/// Main function of `collbench-agent rank RANK INDEX`: obeys the lines on kControlFd until stop or until the
/// socket closes.
int run_rank(int rank, int local_index, std::span<const EngineEntry> engines);

}  // namespace collbench::agent
