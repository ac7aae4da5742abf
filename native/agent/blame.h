#pragma once
// Finds the rank that caused a launch to fail, among the ranks of this agent. orchestration/failures/blame.ts
// compares the agents.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/protocol/protocol.h"

namespace collbench::agent {

/// The end of one rank. first_cause() compares the ends of all ranks, to find the failure that caused the
/// others.
struct RankEnd {
  bool died = false;           // True if the process died without reporting an error.
  std::string code;            // Code of the error that the rank reported; "" = none.
  std::int64_t raised_ns = 0;  // Time at which that error was raised, CLOCK_MONOTONIC.
};
/// Returns true for the code of an error that another rank may have caused, such as connection_lost or
/// cancelled. False for all other codes and for unknown ones.
bool is_consequence(const std::string& code);
/// Returns the index of the rank whose end caused the ends of the others; nullopt if no rank has died or
/// reported an error. The cause is the first in this order: a process that died; an error of the rank itself;
/// a lost connection, which may be the fault of another rank; a rank that was cancelled. Among equal causes
/// it is the one with the lowest raised_ns.
std::optional<std::size_t> first_cause(const std::vector<RankEnd>& ends);
/// Returns true if at least one rank died or reported an error other than "cancelled" (which a rank reports
/// because another one has ended).
bool has_own_cause(const std::vector<RankEnd>& ends);

/// Returns the index of the rank for which the others most likely wait. The first that exists, in this order:
/// a dead rank; a rank that is stopped or blocked in the kernel; the only rank with the least progress.
/// nullopt if several ranks have the least progress, or there is only one rank.
/// @param states process states (letters as in process_state()) in the order of `ranks`
/// @param progress for each rank: number of its block, and number of operations that it has finished there
/// (while connecting: number of its bootstrap exchanges)
std::optional<std::size_t> likely_culprit(
    const std::vector<RankReport>& ranks, const std::string& states,
    const std::vector<std::pair<std::uint64_t, std::int64_t>>& progress);

}  // namespace collbench::agent
