#pragma once
// Settings of this engine, parsed and checked from EngineOptions::settings. Their command line options are in
// suites/engines/nccl/options.ts.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engines/cuda/device/stores_device.h"
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
  /// Highest number of blocks of a kernel of transport p2p. It is lower where kernels of several ranks run on
  /// one GPU at once: blocks wait for those of other ranks, so all of them must have room at the same time.
  std::uint32_t max_blocks = kMaxStoreBlocks;
  /// Highest number of threads with which a kernel of transport p2p may start before the previous one ends. A
  /// larger one must not where ranks use one GPU at once, because the kernels of one rank that wait for the
  /// previous ones would take the room that those of another rank need.
  std::uint32_t max_overlapping_threads = kMaxStoreBlocks * kMaxStoreThreads;
  [[nodiscard]] bool names_stores() const {
    return !algorithm.empty() || blocks != 0 || threads != 0 || piece_bytes != 0;
  }
};

/// Parses the settings of the cuda engine.
/// @throws Error(kInvalidArgument) naming the setting, its value and the allowed values
CudaSettings parse_settings(const EngineSettings& settings);

}  // namespace collbench::gpu
