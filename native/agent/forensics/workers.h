#pragma once
// Finds out where worker processes of engines (Python, a user's program) are when a deadline has passed.
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace collbench::agent {

/// Returns true if the process has installed a handler for this signal. A process without a handler might be
/// killed by the signal.
bool has_signal_handler(pid_t pid, int signal);

/// Sends SIGUSR2 to the process and its descendants, so that Python's faulthandler writes their stacks.
/// Processes without a handler for SIGUSR2 are left alone, because the signal would kill them.
void ask_worker_stacks(pid_t worker);

/// Returns the innermost frames, at most 8, of the last stack in the output of a Python program, with whole
/// paths: "/home/a/train.py:14 in step". Empty if there is no stack.
std::vector<std::string> last_python_stack(const std::string& output);

/// Returns true if a line of output is part of a Python stack.
bool is_stack_line(const std::string& line);

/// Returns the index of the only rank whose stack is not in a wait for other ranks, while the stacks of all
/// others are. nullopt if there is no such rank, a rank has no stack, or there are fewer than two ranks.
/// @param stacks for each rank its frames, innermost first, as last_python_stack() returns them
std::optional<std::size_t> only_rank_not_waiting(const std::vector<std::vector<std::string>>& stacks);

}  // namespace collbench::agent
