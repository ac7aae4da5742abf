#pragma once
// Log messages of plugins. They go to our log; repeated warnings beyond a limit are counted instead of
// written.
#include <cstdint>
#include <string>

#include "net_plugin/nccl_net.h"

namespace collbench::plugin {

/// Log function in the form that NCCL passes to plugins. Thread-safe.
void plugin_log(nccl::LogLevel level, unsigned long subsystems, const char* file, int line,
                const char* format, ...);

/// Rate limit for warnings: lets a burst through, then one per second.
class LogThrottle {
 public:
  static constexpr std::uint64_t kBurst = 20;
  static constexpr std::int64_t kEachNs = 1'000'000'000;

  /// @returns true if the warning is to be written
  /// @param left_out set to the number of warnings suppressed since the last written one
  bool take(std::int64_t now_ns, std::uint64_t& left_out) noexcept;
  /// Number of suppressed warnings that no written one has reported yet; resets it.
  std::uint64_t take_suppressed() noexcept;

 private:
  std::uint64_t taken_ = 0, left_out_ = 0;
  std::int64_t last_ns_ = 0;
};

/// Logs how many warnings were suppressed and not reported yet, if any. Called when a plugin ends.
void log_warnings_left_out();

/// Name of a result code: "ncclSystemError" for 2.
std::string result_name(int result);

}  // namespace collbench::plugin
