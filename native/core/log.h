#pragma once
// Logging of native code goes to stderr, one line each, "collbench[rank 3] WARN text"; stdout belongs to
// protocols.
#include <string>

namespace collbench {

enum class LogLevel { kWarn, kInfo, kDebug };

/// Returns whether lines of this level are written. COLLBENCH_LOG sets the level (warn, info, debug; default
/// warn). Thread-safe.
bool log_enabled(LogLevel level) noexcept;
void log(LogLevel level, const std::string& text);
/// Sets the prefix of all later lines of this process, e.g. "rank 3".
void set_log_name(const std::string& name);
/// Receives every enabled line in place of stderr (a plugin logs through its host program). nullptr restores
/// stderr.
using LogSink = void (*)(LogLevel level, const std::string& text);
void set_log_sink(LogSink sink) noexcept;

}  // namespace collbench
