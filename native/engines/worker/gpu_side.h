#pragma once
// NCCL inside of a worker: what the framework's own libnccl is told by its environment, and what it says in
// its log.
#include <cstdint>
#include <map>
#include <string>

#include "engines/engine.h"
#include "engines/nccl/environment.h"
#include "engines/nccl/log.h"
#include "engines/worker/settings.h"

namespace collbench::worker {

class GpuSide {
 public:
  GpuSide(const EngineOptions& options, const WorkerSettings& settings);
  /// Into the log of the rank, for whoever looks there for causes.
  ~GpuSide();
  GpuSide(const GpuSide&) = delete;
  GpuSide& operator=(const GpuSide&) = delete;
  /// To become kChildLibraryLog of the worker.
  [[nodiscard]] int log_fd() const { return log_.fd(); }
  /// Variables of the transport, as engine nccl sets them. @param version of the framework's NCCL: "2.28.9"
  const nccl::Environment& choose_environment(const std::string& version);
  /// After the communicator was made. @throws Error(kUnavailable) NCCL took another network
  void check();
  /// Connections by way (nccl::LogFindings::paths).
  [[nodiscard]] std::map<std::string, std::uint64_t> paths() const;
  /// Adds name, medium and what moves the bytes.
  void describe(const std::string& gpu, const std::string& version, DeviceProperties& device) const;
  void add_facts(Settings& facts) const;

 private:
  const EngineOptions options_;
  nccl::NcclSettings settings_;
  mutable nccl::LogCapture log_;
  nccl::Environment environment_;
};

}  // namespace collbench::worker
