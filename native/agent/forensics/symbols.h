#pragma once
// Addresses of another process to names, from its memory map and the symbol tables of the files mapped there.
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace collbench::agent {

/// One text per address: "collbench::board_barrier+0x24", "libc.so.6+0x8f1a2" when no
/// symbol covers it, the bare address when nothing is mapped there. The process must not have ended yet: a
/// zombie has no map.
std::vector<std::string> symbolize(pid_t pid, const std::vector<std::uint64_t>& addresses);

}  // namespace collbench::agent
