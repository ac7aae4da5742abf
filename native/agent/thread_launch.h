#pragma once
// Launch whose ranks are threads of this process. It runs the same session as a rank process and sends the
// same messages (protocol.h). Threads cannot be killed: a rank that never returns stays, and the launch
// reports that.
#include <functional>
#include <memory>
#include <string>

#include "agent/protocol/protocol.h"

namespace collbench::agent {

class ThreadLaunch {
 public:
  /// Called from rank threads with `ready`, `measured` and finally `stopped` or `failed`.
  using Emit = std::function<void(const std::string& line)>;

  /// Starts one thread per rank; all ranks of the launch are local.
  ThreadLaunch(const LaunchRequest& request, std::span<const EngineEntry> engines, Emit emit);
  /// Aborts running ranks and waits for them, at most two seconds.
  ~ThreadLaunch();
  ThreadLaunch(const ThreadLaunch&) = delete;
  ThreadLaunch& operator=(const ThreadLaunch&) = delete;

  /// Measures one block. @throws Error(kProtocol) unless the ranks are connected and idle
  void measure(const MeasureRequest& request);
  /// Ends the launch: idle ranks leave, waiting ones are cancelled. `stopped` is sent last.
  void stop();
  /// Ends the launch as failed. `failed` is sent when all ranks have left their waits.
  void abort(FailureKind kind, const std::string& code, const std::string& message);

 private:
  struct Shared;
  static void serve(const std::shared_ptr<Shared>& shared, int rank);
  std::shared_ptr<Shared> shared_;  // Shared with every rank thread, which may outlive this object.
};

}  // namespace collbench::agent
