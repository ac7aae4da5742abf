#pragma once
// Words of engines that start Python workers, checked. Their flags are in suites/engines/torch/flags.ts.
#include <string>
#include <string_view>
#include <vector>

#include "engines/engine.h"

namespace collbench::worker {

struct WorkerSettings {
  std::string python = "python3";    // "python": path, or a name to be found in PATH
  std::vector<std::string> command;  // "command": words of a program of its user's, as a JSON list
  std::string backend;               // "backend": gloo, nccl; "" = the framework's over host memory
  int threads = 0;         // "workerThreads": of each worker's computations; 0 = an equal share of the CPUs
  std::vector<int> gpus;   // "gpus": "0,2", by the place of a rank on its machine; empty = in order
  bool share_gpu = false;  // "shareGpu" 1: ranks may share a GPU, each as a host of its own
  [[nodiscard]] bool on_gpus() const { return backend == "nccl"; }
};

/// @throws Error(kInvalidArgument) naming the word, its value and what is allowed
WorkerSettings parse_settings(std::string_view engine, const Settings& settings);

}  // namespace collbench::worker
