#pragma once
// NCCL_DEBUG, NCCL_DEBUG_SUBSYS and NCCL_DEBUG_FILE, read once per process as NCCL does, and log lines in
// NCCL's format.
#include <string>
#include <vector>

namespace collbench::nccl_fake {

inline constexpr unsigned kInit = 1, kColl = 2, kP2p = 4, kShm = 8, kNet = 16, kTuning = 32;

/// Writes an INFO line if NCCL_DEBUG allows it and one of `subsystems` is enabled.
__attribute__((format(printf, 3, 4))) void info(unsigned subsystems, int device, const char* format, ...);
/// Writes a WARN line; ncclGetLastError returns its text.
__attribute__((format(printf, 2, 3))) void warn(int device, const char* format, ...);
/// Text of the last WARN line; "" before the first.
const char* last_error();
/// Version from NCCL_FAKE_VERSION, or 22809.
int version();
std::string host_name();
/// Value of an environment variable; "" if not set.
std::string environment(const char* name);
std::vector<std::string> split_words(const std::string& text, char separator);

}  // namespace collbench::nccl_fake
