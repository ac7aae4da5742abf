#pragma once
// Facts about a rank that can be learnt from outside its process, and their texts.
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/protocol/protocol.h"

namespace collbench::agent {

/// Returns the process state, a letter from /proc/PID/stat (R, S, D, T, t, Z); '?' if there is no such
/// process.
char process_state(pid_t pid);
/// Returns the name of the kernel function in which the process sleeps (/proc/PID/wchan); "" if it is running
/// or the kernel does not report it.
std::string kernel_wait(pid_t pid);
/// Returns the name of a signal: "SIGKILL"; "signal 34" if it has no name.
std::string signal_name(int signal);
/// Returns what a wait status means, as text: "was killed by SIGKILL" or "exited with code 7".
std::string describe_death(int wait_status);
/// Returns a duration as text: "10 s", "1.5 s", "250 ms".
std::string format_seconds(std::int64_t ns);

/// The end of one rank. first_cause() compares the ends of all ranks, to find the failure that caused the
/// others.
struct RankEnd {
  bool died = false;           // True if the process died without reporting an error.
  std::string code;            // Code of the error that the rank reported; "" = none.
  std::int64_t raised_ns = 0;  // Time at which that error was raised, CLOCK_MONOTONIC.
};
/// Returns the index of the rank whose end caused the ends of the others; nullopt if no rank has ended. The
/// cause is the first in this order: a process that died; an error of the rank itself; a lost connection,
/// which may be the fault of another rank; a rank that was cancelled. Among equal causes it is the earliest.
std::optional<std::size_t> first_cause(const std::vector<RankEnd>& ends);
/// Returns true if at least one rank died or reported an error other than "cancelled" (which a rank reports
/// because another one has ended).
bool has_own_cause(const std::vector<RankEnd>& ends);

/// Returns the index of the rank for which the others most likely wait; nullopt if none stands out. A dead
/// rank counts first, then a rank that is stopped or blocked in the kernel, then the only rank with the least
/// progress.
/// @param states process states (letters as in process_state()) in the order of `ranks`
/// @param progress number of the block and of finished iterations of each rank
std::optional<std::size_t> likely_culprit(
    const std::vector<RankReport>& ranks, const std::string& states,
    const std::vector<std::pair<std::uint64_t, std::int64_t>>& progress);

/// Address of NCCL's RAS service (which reports the state of a running job), used if the environment variable
/// NCCL_RAS_ADDR is not set.
inline constexpr const char* kRasAddress = "localhost:28028";

/// Asks NCCL's RAS service for the state of the job, with the commands "CLIENT PROTOCOL 2", "TIMEOUT" and
/// "STATUS".
/// @param address host:port or [address]:port
/// @param limit_ns maximum time for connection and answer, in ns
/// @returns at most 60 lines of at most 300 bytes; empty if no RAS service answers
std::vector<std::string> ask_ras(const std::string& address, std::int64_t limit_ns);

}  // namespace collbench::agent
