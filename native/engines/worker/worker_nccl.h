#pragma once
// NCCL inside a worker: the environment for the framework's own libnccl, and its log.
#include <cstdint>
#include <map>
#include <string>

#include "engines/engine.h"
#include "engines/nccl/environment.h"
#include "engines/nccl/log.h"
#include "engines/worker/settings.h"

namespace collbench::worker {

class WorkerNccl {
 public:
  WorkerNccl(const EngineOptions& options, const WorkerSettings& settings);
  /// Appends NCCL's log to the rank's log, because causes of failures are searched there.
  ~WorkerNccl();
  WorkerNccl(const WorkerNccl&) = delete;
  WorkerNccl& operator=(const WorkerNccl&) = delete;
  /// Returns the file descriptor of NCCL's log; the worker gets it as descriptor kChildLibraryLog.
  [[nodiscard]] int log_fd() const { return log_.fd(); }
  /// Returns the environment variables with which the worker's NCCL uses the requested transport.
  /// @param version version of the framework's own NCCL: "2.28.9"; "" = unknown
  const nccl::Environment& choose_environment(const std::string& version);
  /// Checks in NCCL's log that it uses the requested network. Call it after the communicator was created.
  /// @throws Error(kUnavailable) if NCCL uses another network
  void check();
  /// Returns the number of NCCL's connections by path (nccl::LogFindings::paths).
  [[nodiscard]] std::map<std::string, std::uint64_t> paths() const;
  /// Writes GPU name, medium, NCCL's version and network into `device`.
  /// @param gpu name of the GPU @param version version of NCCL: "2.28.9"
  void describe(const std::string& gpu, const std::string& version, DeviceProperties& device) const;
  void add_facts(EngineSettings& facts) const;

 private:
  const EngineOptions options_;
  nccl::NcclSettings settings_;
  mutable nccl::LogCapture log_;
  nccl::Environment environment_;
};

}  // namespace collbench::worker
