#include "agent/forensics/forensics.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <cstdio>

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
    // From 1,000 s on %.3g would print an exponent.
    std::snprintf(text, sizeof text, ns < 100'000'000'000 ? "%.3g s" : "%.0f s",
                  static_cast<double>(ns) / 1e9);
  return text;
}

}  // namespace collbench::agent
