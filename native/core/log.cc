#include "core/log.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string_view>

namespace collbench {
namespace {

LogLevel level_from_environment() noexcept {
  const char* value = std::getenv("COLLBENCH_LOG");
  const std::string_view text = value == nullptr ? "" : value;
  if (text == "debug") return LogLevel::kDebug;
  if (text == "info") return LogLevel::kInfo;
  return LogLevel::kWarn;
}

struct Log {
  LogLevel level = level_from_environment();
  std::mutex mutex;
  std::string name;
  std::atomic<LogSink> sink{nullptr};
};
Log& instance() {
  static Log log;
  return log;
}

}  // namespace

bool log_enabled(LogLevel level) noexcept { return level <= instance().level; }

void log(LogLevel level, const std::string& text) {
  if (!log_enabled(level)) return;
  static constexpr const char* kNames[] = {"WARN", "INFO", "DEBUG"};
  Log& state = instance();
  if (const LogSink sink = state.sink.load()) return sink(level, text);
  const std::lock_guard lock(state.mutex);
  std::string line = "collbench";
  if (!state.name.empty()) line += "[" + state.name + "]";
  line += std::string(" ") + kNames[static_cast<int>(level)] + " " + text + "\n";
  // One write per line keeps lines of several ranks apart. A closed stderr is not treated as an error.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

void set_log_name(const std::string& name) {
  const std::lock_guard lock(instance().mutex);
  instance().name = name;
}

void set_log_sink(LogSink sink) noexcept { instance().sink.store(sink); }

}  // namespace collbench
