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

  /// Starts one thread per rank, and one that enforces the deadlines.
  /// @throws Error(kInvalidArgument) if not all ranks of the launch are local
  ThreadLaunch(const LaunchRequest& request, std::span<const EngineEntry> engines, Emit emit);
  /// Cancels ranks that are still measuring, and waits at most three seconds for all rank threads to end. A
  /// thread that does not end is left behind.
  ~ThreadLaunch();
  ThreadLaunch(const ThreadLaunch&) = delete;
  ThreadLaunch& operator=(const ThreadLaunch&) = delete;

  /// Makes the ranks measure one block: the samples of one cell and trial. The message `measured` follows.
  /// Does nothing if the launch is ending.
  /// @throws Error(kProtocol) if the ranks are still connecting or measuring
  void measure(const MeasureRequest& request);
  /// Ends the launch: cancels ranks that are measuring or connecting, and lets idle ranks end. The last
  /// message is `stopped`; `failed` after a failure or if a rank thread does not end.
  void stop();
  /// Ends the launch as failed; the last message is `failed`. An earlier failure, or an earlier stop(),
  /// decides the message instead.
  /// @param code error code for the message
  /// @param message reason, for users
  void abort(FailureKind kind, const std::string& code, const std::string& message);

 private:
  struct LaunchState;
  static void serve(const std::shared_ptr<LaunchState>& shared, int rank);
  static void watch(const std::shared_ptr<LaunchState>& shared);
  std::shared_ptr<LaunchState> shared_;  // Shared with all threads, which may outlive this object.
};

}  // namespace collbench::agent
