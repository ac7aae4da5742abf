#pragma once
// What plugins say: their messages go to our log, warnings of a flood are counted instead of written.
#include <cstdint>
#include <string>

#include "net_plugin/nccl_net.h"

namespace collbench::plugin {

/// As NCCL hands it to plugins. Thread-safe.
void plugin_log(nccl::LogLevel level, unsigned long subsystems, const char* file, int line,
                const char* format, ...);

/// Lets through a burst, then one a second, which says how many were left out before it.
class Throttle {
 public:
  static constexpr std::uint64_t kBurst = 20;
  static constexpr std::int64_t kEachNs = 1'000'000'000;

  /// @returns whether it is to be written. @param left_out those since the last one that was
  bool take(std::int64_t now_ns, std::uint64_t& left_out) noexcept;
  /// Those that nobody has heard of yet; none afterwards.
  std::uint64_t take_rest() noexcept;

 private:
  std::uint64_t taken_ = 0, left_out_ = 0;
  std::int64_t last_ns_ = 0;
};

/// Writes how many warnings were left out and not told yet, if any: at the end of a plugin.
void log_warnings_left_out();

/// "ncclSystemError" of 2.
std::string result_name(int result);

}  // namespace collbench::plugin
