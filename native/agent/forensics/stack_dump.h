#pragma once
#include <string_view>

namespace collbench::agent {

/// Each line a rank writes to stderr on SIGUSR2 starts with this; an address in hexadecimal follows, or
/// kStackEnd.
inline constexpr std::string_view kStackPrefix = "collbench-stack ";
inline constexpr std::string_view kStackEnd = "end";

/// From now on SIGUSR2 makes this process write its return addresses to stderr and go on as before.
void install_stack_dump();

}  // namespace collbench::agent
