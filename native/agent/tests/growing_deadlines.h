#pragma once

namespace collbench::agent {

/// Deadlines for a block in which one rank hangs or is slow, tried in turn. On a busy machine other ranks
/// miss the first ones, and the agent is right to name them.
inline constexpr int kGrowingDeadlinesMs[] = {1000, 4000, 16'000, 64'000};

}  // namespace collbench::agent
