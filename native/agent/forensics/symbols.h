#pragma once
// Resolves addresses of another process to names, from its memory map and the symbol tables of the mapped
// files.
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace collbench::agent {

/// Replaces three or more consecutive frames of one library that has no symbols by one text: "libcuda.so.580
/// (13 frames without names)".
std::vector<std::string> fold_unnamed_frames(const std::vector<std::string>& names);

/// Returns one text per address: function and offset, such as "collbench::pass_barrier+0x24"; library and
/// offset if it has no symbol there ("libc.so.6+0x8f1a2"). For memory without a file it is the kernel's name
/// ("[vdso]") or the address. Frames without symbols are merged by fold_unnamed_frames(). The process must be
/// alive, for its memory map.
std::vector<std::string> symbolize(pid_t pid, const std::vector<std::uint64_t>& addresses);

/// Returns the stack of a process that waits in the handler of install_crash_dump(), as symbolize() does;
/// then lets the process die. A stack without frames becomes one text that says so.
/// @param crash text that the process wrote after kStackPrefix, beginning with kStackCrash
std::vector<std::string> crash_stack(pid_t pid, const std::vector<std::uint64_t>& addresses,
                                     const std::string& crash);

/// Begin of each line that a rank writes to stderr for a stack frame after SIGUSR2 or a fatal signal. A
/// hexadecimal address follows, or kStackEnd after the last frame.
inline constexpr std::string_view kStackPrefix = "collbench-stack ";
inline constexpr std::string_view kStackEnd = "end";
/// Written in place of kStackEnd if the process is about to die. The id of the thread that waits for the
/// agent follows.
inline constexpr std::string_view kStackCrash = "crash ";

/// Installs a SIGUSR2 handler that writes the stack of the interrupted thread to stderr, at most 45 return
/// addresses. The process then continues.
void install_stack_dump();

/// Installs handlers for fatal signals (SIGSEGV, SIGABRT, ...) that write the stack of the thread with the
/// fault to stderr. The thread then waits at most 2 s, until the agent has resolved the addresses and sends
/// SIGUSR2 to it. Then it dies of the fatal signal. Does nothing in builds with a sanitizer.
void install_crash_dump();

}  // namespace collbench::agent
