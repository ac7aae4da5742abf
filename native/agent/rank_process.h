#pragma once
#include "agent/rank_session.h"

namespace collbench::agent {

/// Exit codes of a rank process after an orderly end. Any other end counts as a death.
inline constexpr int kRankStopped = 0;
inline constexpr int kRankReported = 3;  // The rank reported an error to the agent before it exited.

/// Main function of `collbench-agent rank RANK INDEX`: executes the messages that arrive over kControlFd
/// until a `stop` message, or until the socket is closed.
/// @param local_index index among the ranks of this machine
/// @returns kRankStopped, or kRankReported after an error
int run_rank(int rank, int local_index, std::span<const EngineEntry> engines);

}  // namespace collbench::agent
