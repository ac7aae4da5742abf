#pragma once
// Resolves addresses of another process to names, from its memory map and the symbol tables of the mapped
// files.
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace collbench::agent {

/// Merges consecutive frames of one library without symbols into one: "libcuda.so.580 (13 frames without
/// names)".
std::vector<std::string> fold_unnamed_frames(const std::vector<std::string>& names);

/// Returns one text per address, with unnamed frames merged: "collbench::pass_barrier+0x24";
/// "libc.so.6+0x8f1a2" if no symbol covers it; the bare address if nothing is mapped there. The process must
/// not have ended, because a zombie has no map.
std::vector<std::string> symbolize(pid_t pid, const std::vector<std::uint64_t>& addresses);

/// Resolves the stack of a process that waits in install_crash_dump(), then lets it die.
/// @param crash text that the process wrote after kStackPrefix, from kStackCrash on
std::vector<std::string> crash_stack(pid_t pid, const std::vector<std::uint64_t>& addresses,
                                     const std::string& crash);

}  // namespace collbench::agent
