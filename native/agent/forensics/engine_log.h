#pragma once
// Log that engine libraries (NCCL) of a rank write. The agent holds the file, so it can be read even if the
// rank dies.
#include <cstddef>
#include <string>
#include <vector>

#include "agent/line_channel.h"

namespace collbench::agent {

/// Number of bytes from the beginning and from the end of a rank's engine log that are sent to the
/// controller. The beginning shows how connections were made, the end shows how they failed.
inline constexpr std::size_t kLogHead = std::size_t{128} << 10;
inline constexpr std::size_t kLogTail = std::size_t{384} << 10;

/// Returns the descriptor of a new in-memory file for an engine's log. @throws Error(kInternal) if it cannot
/// be created
FileDescriptor make_engine_log();

/// Returns the text of the log. If it is longer than head + tail bytes, the middle is replaced by one line
/// with the number of bytes left out. The lines before and after it are whole.
std::string read_engine_log(int fd, std::size_t head = kLogHead, std::size_t tail = kLogTail);

/// Returns the last `lines` lines of a rank's engine log (such as NCCL's log), oldest first. Empty lines are
/// left out, and only the last 16 KiB are read.
std::vector<std::string> engine_log_tail(int fd, std::size_t lines);

}  // namespace collbench::agent
