#pragma once
// Launch whose ranks are threads of this process. It runs the same session as a rank process and sends the
// same messages (protocol.h) and has the same deadlines. Threads cannot be killed: a rank that never returns
// stays, and the launch reports that.
#include <functional>
#include <memory>
#include <string>

#include "agent/protocol/protocol.h"

namespace collbench::agent {

class ThreadLaunch {
 public:
  /// Function that gets the messages `ready`, `measured`, and finally `stopped` or `failed`. It is called on
  /// threads of the launch. The last message comes at most three seconds after a call of stop() or abort(),
  /// also if a rank never returns.
  using Emit = std::function<void(const std::string& line)>;

  /// Starts one thread per rank, and one that enforces the deadlines. All ranks of the launch must be local.
  ThreadLaunch(const LaunchRequest& request, std::span<const EngineEntry> engines, Emit emit);
  /// Cancels running ranks and waits until they have ended, for at most three seconds.
  ~ThreadLaunch();
  ThreadLaunch(const ThreadLaunch&) = delete;
  ThreadLaunch& operator=(const ThreadLaunch&) = delete;

  /// Makes the ranks measure one block. @throws Error(kProtocol) if the ranks are not connected and idle
  void measure(const MeasureRequest& request);
  /// Ends the launch: idle ranks end, waiting ranks are cancelled. The last message is `stopped`.
  void stop();
  /// Ends the launch as failed, with this kind, code and message.
  void abort(FailureKind kind, const std::string& code, const std::string& message);

 private:
  struct LaunchState;
  static void serve(const std::shared_ptr<LaunchState>& shared, int rank);
  static void watch(const std::shared_ptr<LaunchState>& shared);
  std::shared_ptr<LaunchState> shared_;  // Shared with all threads, which may outlive this object.
};

}  // namespace collbench::agent
