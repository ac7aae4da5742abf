#pragma once
// Words of this engine in EngineOptions::settings, checked. Their command line flags are in
// suites/engines/nccl/flags.ts.
#include <vector>

#include "engines/engine.h"

namespace collbench::gpu {

struct CudaSettings {
  std::vector<int> gpus;    // "gpus": "0,2"; empty = all of this machine, in order
  bool share_gpu = false;   // "shareGpu" 1: ranks may share a GPU
  bool host_check = false;  // "hostCheck" 1: fill and compare on the host
};

/// @throws Error(kInvalidArgument) naming the word, its value and what is allowed
CudaSettings parse_settings(const Settings& settings);

}  // namespace collbench::gpu
