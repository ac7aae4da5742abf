#pragma once
#include <signal.h>

#include <array>
#include <cstddef>

namespace collbench::plugin {

/// The handlers of fatal signals as they were when this was made, put back at its end. Libraries below
/// plugins install theirs as they are loaded: UCX does, and PSM below libfabric, whose handler ends the
/// process with exit code 1. A crash of the plugin would lose its signal, its stack and its last words to
/// them.
class KeptHandlers {
 public:
  KeptHandlers() noexcept {
    for (std::size_t i = 0; i < kFatal.size(); ++i) sigaction(kFatal[i], nullptr, &kept_[i]);
  }
  ~KeptHandlers() {
    for (std::size_t i = 0; i < kFatal.size(); ++i) sigaction(kFatal[i], &kept_[i], nullptr);
  }
  KeptHandlers(const KeptHandlers&) = delete;
  KeptHandlers& operator=(const KeptHandlers&) = delete;

 private:
  static constexpr std::array<int, 5> kFatal{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  std::array<struct sigaction, kFatal.size()> kept_{};
};

}  // namespace collbench::plugin
