#pragma once
// Our own allreduce and alltoall on NCCL's device API, queued in place of NCCL's functions.
#include <functional>
#include <map>
#include <string>

#include "engines/nccl/buffers.h"
#include "engines/nccl/communicator.h"
#include "engines/nccl/device_api/abi.h"
#include "engines/nccl/settings.h"

namespace collbench::nccl {

/// Finds the tools and compiles for this GPU, or takes what is in the cache: the path of the shared object.
/// The first time takes half a minute; before the communicator is made, so that nobody waits inside NCCL.
/// @throws Error(kUnavailable) naming what is missing; Error(kCancelled)
std::string prepare_device_api(const NcclApi& api, int capability, const std::function<bool()>& cancelled);

/// "deviceApi.lsa" and "deviceApi.gin": "available", or a sentence why not. Looks for files only; what a
/// communicator then offers is known when one is made.
std::map<std::string, std::string> device_api_facts(const NcclApi& api, const std::string& transport,
                                                    bool on_software_card);

class DeviceApi {
 public:
  /// All ranks together. @throws Error(kUnavailable) with NCCL's own words (no GIN backend, for one), or that
  /// loads and stores do not reach all ranks
  DeviceApi(const std::string& object, Communicator& comm, int ranks, DeviceReach reach);
  ~DeviceApi();
  DeviceApi(const DeviceApi&) = delete;
  DeviceApi& operator=(const DeviceApi&) = delete;

  /// Queues one call on buffers in symmetric windows, at equal offsets on all ranks.
  /// @throws Error(kInvalidArgument) what the kernels do not offer: other collectives, other reductions than
  /// sum, other
  ///         types than float32, float16, bfloat16 (alltoall takes all); Error(kUnavailable) launch failed
  void queue(const Call& call, const Buffers& buffers, void* stream);
  /// "device-api LSA" or "device-api GIN".
  [[nodiscard]] std::string name() const;

 private:
  Communicator& comm_;
  const DeviceReach reach_;
  CollbenchDeviceLaunch launch_ = nullptr;
  CollbenchDeviceDestroy destroy_ = nullptr;
  void* handle_ = nullptr;
};

/// @throws Error(kInvalidArgument) as queue()
void check_device_api_offers(const Operation& operation);

}  // namespace collbench::nccl
