#include "transports/plugin/plugin_log.h"

#include <cstdarg>
#include <cstdio>
#include <mutex>

#include "core/clock.h"
#include "core/log.h"

namespace collbench::plugin {
namespace {

constexpr const char* kPrefix = "net plugin: ";

std::mutex warnings_mutex;
LogThrottle warnings;

}  // namespace

bool LogThrottle::take(std::int64_t now_ns, std::uint64_t& left_out) noexcept {
  if (taken_ >= kBurst && now_ns - last_ns_ < kEachNs) {
    ++left_out_;
    return false;
  }
  ++taken_;
  last_ns_ = now_ns;
  left_out = take_suppressed();
  return true;
}

std::uint64_t LogThrottle::take_suppressed() noexcept {
  const std::uint64_t rest = left_out_;
  left_out_ = 0;
  return rest;
}

void plugin_log(nccl::LogLevel level, unsigned long /*subsystems*/, const char* /*file*/, int /*line*/,
                const char* format, ...) {
  const LogLevel ours = level <= nccl::kLogWarn ? LogLevel::kWarn : LogLevel::kDebug;
  if (level == nccl::kLogTrace || format == nullptr || !log_enabled(ours)) return;
  std::uint64_t left_out = 0;
  if (ours == LogLevel::kWarn) {
    const std::lock_guard lock(warnings_mutex);
    if (!warnings.take(now_ns(), left_out)) return;
  }
  char text[1024];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const std::string before =
      left_out == 0 ? "" : "(" + std::to_string(left_out) + " warnings left out before this one) ";
  log(ours, kPrefix + before + text);
}

void log_warnings_left_out() {
  std::uint64_t rest = 0;
  {
    const std::lock_guard lock(warnings_mutex);
    rest = warnings.take_suppressed();
  }
  if (rest > 0) log(LogLevel::kWarn, kPrefix + std::to_string(rest) + " more warnings were left out");
}

std::string result_name(int result) {
  constexpr const char* kNames[] = {"ncclSuccess",       "ncclUnhandledCudaError", "ncclSystemError",
                                    "ncclInternalError", "ncclInvalidArgument",    "ncclInvalidUsage",
                                    "ncclRemoteError",   "ncclInProgress"};
  if (result >= 0 && result < 8) return kNames[result];
  return "ncclResult " + std::to_string(result) + ", which NCCL does not have";
}

}  // namespace collbench::plugin
