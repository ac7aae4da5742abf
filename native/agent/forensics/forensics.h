#pragma once
// What can be learnt about a rank from outside, and how it is said.
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/protocol/protocol.h"

namespace collbench::agent {

/// State letter of /proc/PID/stat (R, S, D, T, t, Z); '?' when there is no such process.
char process_state(pid_t pid);
/// /proc/PID/wchan: the kernel function it sleeps in; "" when running or not told.
std::string kernel_wait(pid_t pid);
/// "SIGKILL", "SIGSEGV"; "signal 34" for those without a name.
std::string signal_name(int signal);
/// "was killed by SIGKILL" or "exited with code 7", from a wait status.
std::string death_in_words(int wait_status);
/// "10 s", "1.5 s", "250 ms".
std::string seconds_in_words(std::int64_t ns);

/// How a rank ended, as far as it matters for who began.
struct RankEnd {
  bool died = false;           // without a word
  std::string code;            // of the error it reported; "" = none
  std::int64_t raised_ns = 0;  // when that error came up
};
/// The rank whose end explains the others': a death before an error of its own, that before a lost
/// connection, which may be another rank's doing, and that before a cancelled rank, which was only told to
/// stop; of equals the earliest. nullopt when none has ended.
std::optional<std::size_t> first_cause(const std::vector<RankEnd>& ends);
/// Whether one of them ended for a reason of its own, not only because others did.
bool names_cause(const std::vector<RankEnd>& ends);

/// The rank that most likely holds up the others: one that is dead, else one that is stopped or stuck in the
/// kernel, else the only one that has come least far; nullopt when none stands out.
/// @param states state letters in the order of `ranks`
/// @param progress how far each rank has come, e.g. block and finished iterations
std::optional<std::size_t> likely_culprit(
    const std::vector<RankReport>& ranks, const std::string& states,
    const std::vector<std::pair<std::uint64_t, std::int64_t>>& progress);

/// Whether ranks still made progress at the deadline: then the block was too slow and nobody hangs. True when
/// all live, none is stopped, and the last step of any of them lies in the last quarter of the deadline.
bool still_moving(const std::vector<RankReport>& ranks, const std::string& states, std::int64_t deadline_ns);

}  // namespace collbench::agent
