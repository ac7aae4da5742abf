#pragma once
// One launch whose ranks are threads of this process: the same session as in a rank process, told about in
// the same messages (protocol.h), but nothing can be killed here. A rank that never returns stays; its launch
// says so.
#include <functional>
#include <memory>
#include <string>

#include "agent/protocol/protocol.h"

namespace collbench::agent {

class ThreadLaunch {
 public:
  /// Called from rank threads with `ready`, `measured` and, as the last message, `stopped` or `failed`.
  using Emit = std::function<void(const std::string& line)>;

  /// Starts one thread per rank; all ranks of the launch are local.
  ThreadLaunch(const LaunchRequest& request, std::span<const EngineEntry> engines, Emit emit);
  /// Aborts what still runs and waits for it, but not longer than two seconds.
  ~ThreadLaunch();
  ThreadLaunch(const ThreadLaunch&) = delete;
  ThreadLaunch& operator=(const ThreadLaunch&) = delete;

  /// @throws Error(kProtocol) unless the ranks are connected and idle
  void measure(const MeasureRequest& request);
  /// Ends the launch: idle ranks leave, waiting ones are cancelled. `stopped` follows.
  void stop();
  /// Ends it as failed: `failed` follows once all ranks have left their waits.
  void abort(FailureKind kind, const std::string& code, const std::string& message);

 private:
  struct Shared;
  static void serve(const std::shared_ptr<Shared>& shared, int rank);
  std::shared_ptr<Shared> shared_;  // also held by every thread
};

}  // namespace collbench::agent
