#pragma once
#include <signal.h>

#include <array>
#include <cstddef>

namespace collbench::plugin {

/// Saves the handlers of fatal signals when constructed and restores them when destroyed. Use it around
/// dlopen() and init of a plugin: libraries that plugins need then install handlers of their own (UCX; PSM
/// below libfabric, whose handler exits with code 1). Such a handler would hide the signal, the stack and the
/// last log lines of a plugin's crash.
class SignalHandlerGuard {
 public:
  SignalHandlerGuard() noexcept {
    for (std::size_t i = 0; i < kFatal.size(); ++i) sigaction(kFatal[i], nullptr, &saved_[i]);
  }
  ~SignalHandlerGuard() {
    for (std::size_t i = 0; i < kFatal.size(); ++i) sigaction(kFatal[i], &saved_[i], nullptr);
  }
  SignalHandlerGuard(const SignalHandlerGuard&) = delete;
  SignalHandlerGuard& operator=(const SignalHandlerGuard&) = delete;

 private:
  static constexpr std::array<int, 5> kFatal{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  std::array<struct sigaction, kFatal.size()> saved_{};
};

}  // namespace collbench::plugin
