#pragma once
// Settings of engines that start Python workers. Their command line options are in
// suites/engines/torch/options.ts.
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.h"

namespace collbench::worker {

struct WorkerSettings {
  std::string python = "python3";    // "python": path, or a name to be found in PATH.
  std::vector<std::string> command;  // "command": the user's program and its arguments, as a JSON list.
  std::string backend;               // "backend": gloo, nccl; "" = the framework's backend for host memory.
  /// "workerThreads": number of threads that each worker uses for computations; 0 = an equal share of the
  /// CPUs.
  int threads = 0;
  std::vector<int> gpus;   // "gpus": "0,2", indexed by local rank; empty = in order.
  bool share_gpu = false;  // "shareGpu" 1: ranks may share a GPU, each as a host of its own.
  [[nodiscard]] bool on_gpus() const { return backend == "nccl"; }
};

/// Parses the settings of an engine with Python workers (torch, tensorflow, script).
/// @throws Error(kInvalidArgument) naming the setting, its value and the allowed values
WorkerSettings parse_settings(std::string_view engine, const EngineSettings& settings);

}  // namespace collbench::worker
