#pragma once
// Processes in which engines work (Python, a user's program): where they are when a deadline has passed.
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace collbench::agent {

/// Whether the process has a handler of its own for this signal: to others it may be sent no more.
bool catches(pid_t pid, int signal);

/// Asks the process and those below it for their stacks, where they answer (Python's faulthandler).
void ask_worker_stacks(pid_t worker);

/// The innermost frames of the last stack in the output of a Python program, "train.py:14 in step"; empty
/// where there is none.
std::vector<std::string> last_python_stack(const std::string& output);

/// Whether a line of the output belongs to such a stack.
bool is_stack_line(const std::string& line);

/// The only one that waits for no other rank while all others do, by their stacks; nullopt where one has
/// none.
std::optional<std::size_t> lone_absentee(const std::vector<std::vector<std::string>>& stacks);

}  // namespace collbench::agent
