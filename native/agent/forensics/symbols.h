#pragma once
// Resolves addresses of another process to names, from its memory map and the symbol tables of the mapped
// files.
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace collbench::agent {

/// Replaces consecutive frames of one library that has no symbols by one text: "libcuda.so.580 (13 frames
/// without names)".
std::vector<std::string> fold_unnamed_frames(const std::vector<std::string>& names);

/// Returns one text per address: function and offset, such as "collbench::pass_barrier+0x24"; library and
/// offset if it has no symbol there ("libc.so.6+0x8f1a2"); the address if no file is mapped there. Frames
/// without symbols are merged by fold_unnamed_frames(). The process must be alive, for its memory map.
std::vector<std::string> symbolize(pid_t pid, const std::vector<std::uint64_t>& addresses);

/// Returns the stack of a process that waits in the handler of install_crash_dump(), as symbolize() does;
/// then lets the process die.
/// @param crash text that the process wrote after kStackPrefix, beginning with kStackCrash
std::vector<std::string> crash_stack(pid_t pid, const std::vector<std::uint64_t>& addresses,
                                     const std::string& crash);

}  // namespace collbench::agent
