#pragma once
// Finds out where worker processes of engines (Python, a user's program) are when a deadline has passed.
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace collbench::agent {

/// Returns whether the process has its own handler for this signal; sending it to a process without one could
/// kill it.
bool has_signal_handler(pid_t pid, int signal);

/// Asks the process and its descendants for their stacks (Python's faulthandler), if they have a handler.
void ask_worker_stacks(pid_t worker);

/// Returns the innermost frames of the last stack in a Python program's output: "train.py:14 in step". Empty
/// if there is none.
std::vector<std::string> last_python_stack(const std::string& output);

/// Returns whether a line of output belongs to a Python stack.
bool is_stack_line(const std::string& line);

/// Returns the only rank whose stack does not wait for other ranks while all others do; nullopt if a rank has
/// no stack.
std::optional<std::size_t> only_rank_not_waiting(const std::vector<std::vector<std::string>>& stacks);

}  // namespace collbench::agent
