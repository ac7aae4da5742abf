#pragma once
// Words of engines that start Python workers, checked. Their flags are in suites/engines/torch/flags.ts.
#include <string>
#include <string_view>

#include "engines/engine.h"

namespace collbench::worker {

struct WorkerSettings {
  std::string python = "python3";  // "python": path, or a name to be found in PATH
  std::string backend;             // "backend": gloo, nccl; "" = by the transport and the GPUs
  int threads = 0;  // "workerThreads": of each worker's computations; 0 = an equal share of the CPUs
};

/// @throws Error(kInvalidArgument) naming the word, its value and what is allowed
WorkerSettings parse_settings(std::string_view engine, const Settings& settings);

}  // namespace collbench::worker
