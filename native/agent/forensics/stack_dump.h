#pragma once
#include <string_view>

namespace collbench::agent {

/// Each line a rank writes to stderr on SIGUSR2 starts with this; an address in hexadecimal follows, or
/// kStackEnd.
inline constexpr std::string_view kStackPrefix = "collbench-stack ";
inline constexpr std::string_view kStackEnd = "end";
/// In place of kStackEnd where the process is about to die; the thread that waits to be let go follows.
inline constexpr std::string_view kStackCrash = "crash ";

/// From now on SIGUSR2 makes this process write its return addresses to stderr and go on as before.
void install_stack_dump();

/// From now on a fatal signal (SIGSEGV, SIGABRT, ...) makes this process write the same of the thread that
/// got it, and wait until the agent has named the addresses (SIGUSR2 to that thread) before it dies of that
/// signal. Left to sanitizers where this is built with one.
void install_crash_dump();

}  // namespace collbench::agent
