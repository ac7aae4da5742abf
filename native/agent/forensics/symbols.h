#pragma once
// Addresses of another process to names, from its memory map and the symbol tables of the files mapped there.
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace collbench::agent {

/// Frames in a row of one library that has no names for them as one: "libcuda.so.580 (13 frames without
/// names)".
std::vector<std::string> folded(const std::vector<std::string>& names);

/// A text per address, but for those that are folded: "collbench::board_barrier+0x24", "libc.so.6+0x8f1a2"
/// when no symbol covers it, the bare address when nothing is mapped there. The process must not have ended
/// yet: a zombie has no map.
std::vector<std::string> symbolize(pid_t pid, const std::vector<std::uint64_t>& addresses);

/// The same of a process that waits for it in install_crash_dump(), which is let go.
/// @param crash what it wrote behind kStackPrefix, from kStackCrash on
std::vector<std::string> crash_stack(pid_t pid, const std::vector<std::uint64_t>& addresses,
                                     const std::string& crash);

}  // namespace collbench::agent
