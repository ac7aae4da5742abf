#pragma once
// Log messages of plugins. They go to our log; repeated warnings beyond a limit are counted instead of
// written.
#include <cstdint>
#include <string>

#include "net_plugin/nccl_net.h"

namespace collbench::plugin {

/// Writes a plugin's message to our log: warnings and messages about versions as warnings with a rate limit
/// (LogThrottle), traces not at all, others as debug lines. The signature is the one of the log function that
/// NCCL passes to plugins. Thread-safe.
void plugin_log(nccl::LogLevel level, unsigned long subsystems, const char* file, int line,
                const char* format, ...);

/// Rate limit for warnings: the first kBurst are written, after that one per kEachNs. Not thread-safe.
class LogThrottle {
 public:
  static constexpr std::uint64_t kBurst = 20;
  static constexpr std::int64_t kEachNs = 1'000'000'000;

  /// Decides whether one warning is written to the log or suppressed by the rate limit.
  /// @param now_ns current time of CLOCK_MONOTONIC
  /// @returns true if it is to be written
  /// @param left_out if true is returned, set to the number of warnings that were suppressed since the last
  /// written one
  bool take(std::int64_t now_ns, std::uint64_t& left_out) noexcept;
  /// Returns the number of suppressed warnings that take() has not reported yet, and resets it to 0.
  std::uint64_t take_suppressed() noexcept;

 private:
  std::uint64_t taken_ = 0, left_out_ = 0;
  std::int64_t last_ns_ = 0;
};

/// Logs how many warnings of plugins were suppressed by the rate limit and not reported yet, if any. Called
/// when a plugin is closed.
void log_warnings_left_out();

/// Returns the name of a result code of NCCL: "ncclSystemError" for 2.
std::string result_name(int result);

}  // namespace collbench::plugin
