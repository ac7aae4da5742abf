#pragma once
// NCCL_DEBUG, NCCL_DEBUG_SUBSYS and NCCL_DEBUG_FILE, read once per process as NCCL does, and log lines in
// NCCL's format.
#include <string>
#include <vector>

namespace collbench::nccl_fake {

inline constexpr unsigned kInit = 1, kColl = 2, kP2p = 4, kShm = 8, kNet = 16, kTuning = 32;

/// Writes an INFO line if NCCL_DEBUG is INFO and NCCL_DEBUG_SUBSYS enables one of `subsystems` (a bit mask).
__attribute__((format(printf, 3, 4))) void info(unsigned subsystems, int device, const char* format, ...);
/// Writes a WARN line and keeps its text for ncclGetLastError.
__attribute__((format(printf, 2, 3))) void warn(int device, const char* format, ...);
/// Returns the text of the last WARN line; "" if there was none.
const char* last_error();
/// Returns the NCCL version that the fake reports, in the number format of ncclGetVersion(): the value of
/// NCCL_FAKE_VERSION, or 22809.
int version();
std::string host_name();
/// Returns the value of an environment variable; "" if it is not set.
std::string environment(const char* name);
std::vector<std::string> split_words(const std::string& text, char separator);

}  // namespace collbench::nccl_fake
