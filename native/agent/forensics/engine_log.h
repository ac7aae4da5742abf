#pragma once
// What libraries of an engine (NCCL) log in a rank. The agent holds the file, so that it can be read whatever
// becomes of the rank.
#include <cstddef>
#include <string>
#include <vector>

#include "agent/line_channel.h"

namespace collbench::agent {

/// Most bytes of one rank's log that are handed on: its beginning tells how things were set up, its end how
/// they ended.
inline constexpr std::size_t kLogHead = std::size_t{128} << 10;
inline constexpr std::size_t kLogTail = std::size_t{384} << 10;

/// A file without a name, in memory. @throws Error(kInternal) when the kernel gives none
UniqueFd make_engine_log();

/// Its text, whole or without a middle that is replaced by a line saying how much is left out; only whole
/// lines stand beside the gap.
std::string read_engine_log(int fd, std::size_t head = kLogHead, std::size_t tail = kLogTail);

/// Its last lines, oldest first.
std::vector<std::string> engine_log_tail(int fd, std::size_t lines);

}  // namespace collbench::agent
