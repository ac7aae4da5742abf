#include "agent/forensics/forensics.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>

#include "core/error.h"
#include "metrics/inventory.h"

namespace collbench::agent {

char process_state(pid_t pid) {
  const std::string text = metrics::read_small_file("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = text.rfind(')');  // The process name may contain any character, also ')'.
  return name_end == std::string::npos || name_end + 2 >= text.size() ? '?' : text[name_end + 2];
}

std::string kernel_wait(pid_t pid) {
  const std::string text = metrics::read_small_file("/proc/" + std::to_string(pid) + "/wchan");
  return text == "0" ? "" : text;
}

std::string signal_name(int signal) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
  if (const char* name = sigabbrev_np(signal); name != nullptr) return std::string("SIG") + name;
#else
  struct Named {
    int signal;
    const char* name;
  };
  for (const Named& one : {Named{SIGKILL, "SIGKILL"}, Named{SIGSEGV, "SIGSEGV"}, Named{SIGTERM, "SIGTERM"},
                           Named{SIGABRT, "SIGABRT"}, Named{SIGBUS, "SIGBUS"}, Named{SIGFPE, "SIGFPE"},
                           Named{SIGILL, "SIGILL"}, Named{SIGINT, "SIGINT"}, Named{SIGHUP, "SIGHUP"}})
    if (one.signal == signal) return one.name;
#endif
  return "signal " + std::to_string(signal);
}

std::string describe_death(int wait_status) {
  if (WIFSIGNALED(wait_status)) return "was killed by " + signal_name(WTERMSIG(wait_status));
  return "exited with code " + std::to_string(WEXITSTATUS(wait_status));
}

std::string format_seconds(std::int64_t ns) {
  char text[32];
  if (ns < 1'000'000'000)
    std::snprintf(text, sizeof text, "%lld ms", static_cast<long long>(ns / 1'000'000));
  else
    std::snprintf(text, sizeof text, "%.3g s", static_cast<double>(ns) / 1e9);
  return text;
}

std::optional<std::size_t> first_cause(const std::vector<RankEnd>& ends) {
  const auto explains = [](const RankEnd& end) {
    if (end.died) return 4;
    if (end.code.empty()) return 0;
    if (end.code == error_code_name(ErrorCode::kCancelled)) return 1;
    return end.code == error_code_name(ErrorCode::kConnectionLost) ? 2 : 3;
  };
  const auto first = std::min_element(ends.begin(), ends.end(), [&](const RankEnd& a, const RankEnd& b) {
    const int more = explains(a) - explains(b);
    return more != 0 ? more > 0 : a.raised_ns < b.raised_ns;
  });
  if (first == ends.end() || explains(*first) == 0) return std::nullopt;
  return static_cast<std::size_t>(first - ends.begin());
}

bool has_own_cause(const std::vector<RankEnd>& ends) {
  return std::any_of(ends.begin(), ends.end(), [](const RankEnd& end) {
    return end.died || (!end.code.empty() && end.code != error_code_name(ErrorCode::kCancelled));
  });
}

std::optional<std::size_t> likely_culprit(
    const std::vector<RankReport>& ranks, const std::string& states,
    const std::vector<std::pair<std::uint64_t, std::int64_t>>& progress) {
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (!ranks[i].alive) return i;
  for (const char stuck : {'T', 't', 'D'})
    if (const std::size_t i = states.find(stuck); i != std::string::npos) return i;
  const auto last = std::min_element(progress.begin(), progress.end());
  if (ranks.size() < 2 || std::count(progress.begin(), progress.end(), *last) > 1) return std::nullopt;
  return static_cast<std::size_t>(last - progress.begin());
}

}  // namespace collbench::agent
