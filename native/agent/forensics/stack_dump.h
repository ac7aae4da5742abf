#pragma once
#include <string_view>

namespace collbench::agent {

/// First word of each stack line that a rank writes to stderr on SIGUSR2. A hexadecimal address follows, or
/// kStackEnd.
inline constexpr std::string_view kStackPrefix = "collbench-stack ";
inline constexpr std::string_view kStackEnd = "end";
/// Replaces kStackEnd if the process is about to die. The id of the thread that waits for the agent follows.
inline constexpr std::string_view kStackCrash = "crash ";

/// Installs a SIGUSR2 handler that writes this process's return addresses to stderr and continues.
void install_stack_dump();

/// Installs handlers for fatal signals (SIGSEGV, SIGABRT, ...) that write the stack of the faulting thread.
/// The thread then waits until the agent has resolved the addresses (SIGUSR2 to that thread), and dies of the
/// signal. Does nothing in builds with a sanitizer.
void install_crash_dump();

}  // namespace collbench::agent
