#pragma once
// Settings of this engine, parsed and checked from EngineOptions::settings. Their command line options are in
// suites/engines/nccl/options.ts.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engines/engine.h"

namespace collbench::gpu {

struct CudaSettings {
  std::vector<int> gpus;    // "gpus": "0,2"; empty = all of this machine, in order.
  bool share_gpu = false;   // "shareGpu" 1: ranks may share a GPU.
  bool host_check = false;  // "hostCheck" 1: fill and compare on the host.
  // Settings of transport p2p; "" or 0 = the default of plan.cc.
  std::string
      algorithm;  // "algo": one-shot, two-shot, loads, staged (allreduce); packets, direct (all others).
  std::uint32_t blocks = 0, threads = 0;  // "blocks", "threads".
  std::size_t piece_bytes = 0;            // "packet": piece size of staged.
  [[nodiscard]] bool names_stores() const {
    return !algorithm.empty() || blocks != 0 || threads != 0 || piece_bytes != 0;
  }
};

/// Parses the settings of the cuda engine.
/// @throws Error(kInvalidArgument) naming the setting, its value and the allowed values
CudaSettings parse_settings(const EngineSettings& settings);

}  // namespace collbench::gpu
