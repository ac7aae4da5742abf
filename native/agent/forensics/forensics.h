#pragma once
// Facts about a rank that can be learnt from outside its process, and their texts.
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/protocol/protocol.h"

namespace collbench::agent {

/// Returns the state letter from /proc/PID/stat (R, S, D, T, t, Z); '?' if there is no such process.
char process_state(pid_t pid);
/// Returns the kernel function in which the process sleeps (/proc/PID/wchan); "" if it runs or the kernel
/// does not tell.
std::string kernel_wait(pid_t pid);
/// Returns the name of a signal: "SIGKILL"; "signal 34" for one without a name.
std::string signal_name(int signal);
/// Describes a wait status: "was killed by SIGKILL" or "exited with code 7".
std::string describe_death(int wait_status);
/// Formats a duration: "10 s", "1.5 s", "250 ms".
std::string format_seconds(std::int64_t ns);

/// End of a rank, as far as it helps to find the rank that failed first.
struct RankEnd {
  bool died = false;           // True if the process died without reporting an error.
  std::string code;            // Code of the error that the rank reported; "" = none.
  std::int64_t raised_ns = 0;  // Time at which that error was raised, CLOCK_MONOTONIC.
};
/// Returns the rank whose end explains the others'; nullopt if none has ended. A death explains errors, and a
/// rank's own error explains a lost connection, which may be another rank's fault. A lost connection explains
/// a cancelled rank, which only obeyed. Of equal causes the earliest counts.
std::optional<std::size_t> first_cause(const std::vector<RankEnd>& ends);
/// Returns whether a rank ended for a reason of its own and not only because others did.
bool has_own_cause(const std::vector<RankEnd>& ends);

/// Returns the rank that most likely holds up the others; nullopt if none stands out. A dead rank comes
/// first, then one that is stopped or stuck in the kernel, then the only one with the least progress.
/// @param states state letters in the order of `ranks`
/// @param progress block and finished iterations of each rank
std::optional<std::size_t> likely_culprit(
    const std::vector<RankReport>& ranks, const std::string& states,
    const std::vector<std::pair<std::uint64_t, std::int64_t>>& progress);

/// Returns whether ranks still made progress at the deadline; then the block was too slow and nothing hangs.
/// True if all ranks live, none is stopped, and the last progress of any rank lies in the last quarter of the
/// deadline.
bool still_moving(const std::vector<RankReport>& ranks, const std::string& states, std::int64_t deadline_ns);

}  // namespace collbench::agent
