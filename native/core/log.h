#pragma once
// Logging of native code goes to stderr, one line each, "collbench[rank 3] WARN text"; stdout belongs to
// protocols.
#include <string>

namespace collbench {

enum class LogLevel { kWarn, kInfo, kDebug };

/// Level from COLLBENCH_LOG (warn, info, debug; default warn). Thread-safe.
bool log_enabled(LogLevel level) noexcept;
void log(LogLevel level, const std::string& text);
/// Prefix of every further line of this process, e.g. "rank 3".
void set_log_name(const std::string& name);
/// Hands every enabled line to `sink` instead of stderr (a plugin logs through its host); nullptr = stderr
/// again.
using LogSink = void (*)(LogLevel level, const std::string& text);
void set_log_sink(LogSink sink) noexcept;

}  // namespace collbench
