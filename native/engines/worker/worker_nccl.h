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
  /// Copies the log into the rank's log, where causes of failures are looked for.
  ~WorkerNccl();
  WorkerNccl(const WorkerNccl&) = delete;
  WorkerNccl& operator=(const WorkerNccl&) = delete;
  /// Descriptor that becomes kChildLibraryLog of the worker.
  [[nodiscard]] int log_fd() const { return log_.fd(); }
  /// Chooses variables for the transport, as the nccl engine does.
  /// @param version of the framework's NCCL: "2.28.9"
  const nccl::Environment& choose_environment(const std::string& version);
  /// Checks the network, after the communicator was created.
  /// @throws Error(kUnavailable) if NCCL uses another network
  void check();
  /// Returns the number of connections by path (nccl::LogFindings::paths).
  [[nodiscard]] std::map<std::string, std::uint64_t> paths() const;
  /// Adds name, medium and network to the device's description.
  void describe(const std::string& gpu, const std::string& version, DeviceProperties& device) const;
  void add_facts(EngineSettings& facts) const;

 private:
  const EngineOptions options_;
  nccl::NcclSettings settings_;
  mutable nccl::LogCapture log_;
  nccl::Environment environment_;
};

}  // namespace collbench::worker
