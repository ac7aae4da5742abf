#pragma once
// Settings of the engine; README.md has the table.
#include <cstddef>
#include <string>
#include <vector>

#include "engines/engine.h"

namespace collbench::nvshmem {

struct NvshmemSettings {
  std::string library;    // "nvshmem": libnvshmem_host.so.3 or a folder that contains it; "" = search.
  std::vector<int> gpus;  // "gpus": "0,2"; empty = all of this machine, in order.
  bool hot = false;    // "cache" hot: all calls use the same memory; cold (default): rotate through 256 MiB.
  bool graph = false;  // "graph" 1: batches are captured once and replayed as a CUDA graph.
  std::string algorithm;  // "algo": one-shot, two-shot, ..., nvshmem; "" = the fastest if tuned.
  bool tune = true;       // "tune" 0: launch shapes come from the table in tuning.cc.
  int blocks = 0;         // "blocks", "threads", "packet": fixed by the user; 0 = tuned.
  int threads = 0;
  std::size_t packet_bytes = 0;
  bool separate_signal = false;  // "signal" separate: data and signal of a message are separate operations.
  bool host_check = false;       // "hostCheck" 1: fill and compare on the host.
};

/// Parses the settings of the nvshmem engine.
/// @throws Error(kInvalidArgument) naming the setting, its value and the allowed values
NvshmemSettings parse_settings(const EngineSettings& settings);

}  // namespace collbench::nvshmem
