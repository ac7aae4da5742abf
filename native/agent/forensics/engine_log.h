#pragma once
// Log that engine libraries (NCCL) of a rank write. The agent holds the file, so it can be read even if the
// rank dies.
#include <cstddef>
#include <string>
#include <vector>

#include "agent/line_channel.h"

namespace collbench::agent {

/// Largest parts of a rank's log that are sent on, in bytes. The beginning shows how connections were made,
/// the end shows how they failed.
inline constexpr std::size_t kLogHead = std::size_t{128} << 10;
inline constexpr std::size_t kLogTail = std::size_t{384} << 10;

/// Creates an unnamed file in memory. @throws Error(kInternal) if the kernel refuses
UniqueFd make_engine_log();

/// Returns the log's text. If it is longer than head + tail, one line with the number of left-out bytes
/// replaces the middle; the lines next to the gap are whole.
std::string read_engine_log(int fd, std::size_t head = kLogHead, std::size_t tail = kLogTail);

/// Returns the last `lines` lines of the log, oldest first.
std::vector<std::string> engine_log_tail(int fd, std::size_t lines);

}  // namespace collbench::agent
