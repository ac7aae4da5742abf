#pragma once
// Settings of this engine, parsed and checked from EngineOptions::settings. Their command line options are in
// suites/engines/nccl/options.ts.
#include <cstdint>
#include <string>
#include <vector>

#include "engines/engine.h"

namespace collbench::nccl {

enum class Registration : std::uint8_t {
  kNone,       // cuMemAlloc, nothing registered (nccl-tests -R 0).
  kLocal,      // ncclMemAlloc + ncclCommRegister (-R 1).
  kSymmetric,  // ncclMemAlloc + ncclCommWindowRegister, symmetric (-R 2).
};

enum class DeviceReach : std::uint8_t {
  kNone,  // NCCL's own collectives.
  kLsa,   // Our kernels on NCCL's device API, with loads and stores.
  kGin,   // Our kernels with puts and signals that the GPU gives to the network.
};

struct NcclSettings {
  std::string library;     // "nccl": path of libnccl.so.2; "" = search (search.h).
  std::vector<int> gpus;   // "gpus": "0,2,3"; empty = all of this machine, in order.
  bool share_gpu = false;  // "shareGpu" 1: ranks may share a GPU, each as a host of its own.
  bool hot = false;    // "cache" hot: all calls use the same memory; cold (default): rotate through 256 MiB.
  bool graph = false;  // "graph" 1: batches are captured once and replayed as a CUDA graph.
  int aggregate = 1;   // "aggregate" m: calls per ncclGroup.
  Registration registration = Registration::kNone;  // "register": none, local, symmetric.
  bool blocking = true;                             // "blocking" 0: non-blocking communicator, polled.
  int split = 0;  // "split" n: the communicator is split from one of all ranks; n = 1 keeps all together.
  std::size_t misalign = 0;  // "misalign": elements by which buffers are off their alignment (nccl-tests -u).
  std::string algorithm;     // "algo": value for NCCL_ALGO; "" = NCCL chooses.
  std::string protocol;      // "proto": value for NCCL_PROTO; "" = NCCL chooses.
  /// "attest" 1: NCCL logs algorithm and protocol of each operation. That costs time, so it is set only in
  /// launches whose times are not used.
  bool attest = false;
  DeviceReach device_api = DeviceReach::kNone;  // "deviceApi": "", lsa, gin; needs symmetric registration.
  bool host_check = false;  // "hostCheck" 1: fill and compare on the host even if NVRTC is available.
};

/// Parses the settings of the nccl engine.
/// @throws Error(kInvalidArgument) naming the setting, its value and the allowed values
NcclSettings parse_settings(const EngineSettings& settings);

}  // namespace collbench::nccl
