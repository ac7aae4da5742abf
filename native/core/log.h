#pragma once
// Logging of native code goes to stderr, one line each, "collbench[rank 3] WARN text"; stdout belongs to protocols.
#include <string>

namespace collbench {

enum class LogLevel { kWarn, kInfo, kDebug };

/// Level from COLLBENCH_LOG (warn, info, debug; default warn). Thread-safe.
bool log_enabled(LogLevel level) noexcept;
void log(LogLevel level, const std::string& text);
/// Prefix of every further line of this process, e.g. "rank 3".
void set_log_name(const std::string& name);

}  // namespace collbench
