#pragma once
// Logging of native code goes to stderr, one line each, "collbench[rank 3] WARN text"; stdout belongs to
// protocols.
#include <string>

namespace collbench {

enum class LogLevel { kWarn, kInfo, kDebug };

/// Returns true if lines of this level are written. COLLBENCH_LOG sets the level (warn, info, debug; default
/// warn). Thread-safe.
bool log_enabled(LogLevel level) noexcept;
void log(LogLevel level, const std::string& text);
/// Sets the text, such as "rank 3", that begins all later log lines of this process.
void set_log_name(const std::string& name);
/// Function that gets every enabled log line in place of stderr, for example to write it through a plugin's
/// host program. `text` is the line without prefix, level and newline. Null = lines go to stderr.
using LogSink = void (*)(LogLevel level, const std::string& text);
void set_log_sink(LogSink sink) noexcept;

}  // namespace collbench
