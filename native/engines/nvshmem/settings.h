#pragma once
// What the controller asks of the engine, word by word; the table is in README.md.
#include <cstddef>
#include <string>
#include <vector>

#include "engines/engine.h"

namespace collbench::nvshmem {

struct NvshmemSettings {
  std::string library;    // "nvshmem": libnvshmem_host.so.3 or a folder that has it; "" = search
  std::vector<int> gpus;  // "gpus": "0,2"; empty = all of this machine, in order
  bool hot = false;       // "cache" hot: all calls in one place; cold (default): rotate through 256 MiB
  bool graph = false;     // "graph" 1: batches are captured once and replayed as a CUDA graph
  std::string algorithm;  // "algo": one-shot, two-shot, ..., nvshmem; "" = the fastest when tuned
  bool tune = true;       // "tune" 0: the point of the table in tuning.cc
  int blocks = 0;         // "blocks", "threads", "packet": fixed by hand; 0 = tuned
  int threads = 0;
  std::size_t packet_bytes = 0;
  bool separate_signal = false;  // "signal": fused, separate
  bool host_check = false;       // "hostCheck" 1: fill and compare on the host
};

/// @throws Error(kInvalidArgument) naming the word, its value and what is allowed
NvshmemSettings parse_settings(const Settings& settings);

}  // namespace collbench::nvshmem
