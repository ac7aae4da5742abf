#pragma once
#include <string_view>

namespace collbench::agent {

/// Begin of each line that a rank writes to stderr for a stack frame after SIGUSR2. A hexadecimal address
/// follows, or kStackEnd after the last frame.
inline constexpr std::string_view kStackPrefix = "collbench-stack ";
inline constexpr std::string_view kStackEnd = "end";
/// Written in place of kStackEnd if the process is about to die. The id of the thread that waits for the
/// agent follows.
inline constexpr std::string_view kStackCrash = "crash ";

/// Installs a SIGUSR2 handler that writes the stack (return addresses) of this process to stderr; the process
/// then continues.
void install_stack_dump();

/// Installs handlers for fatal signals (SIGSEGV, SIGABRT, ...) that write the stack of the thread with the
/// fault to stderr. The thread then waits until the agent has resolved the addresses and sends SIGUSR2 to it;
/// then it dies of the fatal signal. Does nothing in builds with a sanitizer.
void install_crash_dump();

}  // namespace collbench::agent
