#pragma once
// Our own allreduce and alltoall on NCCL's device API, used in place of NCCL's functions.
#include <functional>
#include <map>
#include <string>

#include "engines/nccl/buffers.h"
#include "engines/nccl/communicator.h"
#include "engines/nccl/device_api/abi.h"
#include "engines/nccl/settings.h"

namespace collbench::nccl {

/// Finds the tools and compiles for this GPU, or takes the object from the cache; returns its path. The first
/// time takes half a minute. Called before the communicator is created, so that no rank waits inside NCCL.
/// @throws Error(kUnavailable) naming what is missing; Error(kCancelled)
std::string prepare_device_api(const NcclApi& api, int capability, const std::function<bool()>& cancelled);

/// Returns "deviceApi.lsa" and "deviceApi.gin": "available", or a sentence why not. Only looks for files;
/// what a communicator supports is known when it exists.
std::map<std::string, std::string> device_api_facts(const NcclApi& api, const std::string& transport,
                                                    bool on_software_card);

class DeviceApi {
 public:
  /// Creates the device communicator; all ranks construct together.
  /// @throws Error(kUnavailable) with NCCL's message (for example no GIN backend), or if loads and stores do
  /// not reach all ranks
  DeviceApi(const std::string& object, Communicator& comm, int ranks, DeviceReach reach);
  ~DeviceApi();
  DeviceApi(const DeviceApi&) = delete;
  DeviceApi& operator=(const DeviceApi&) = delete;

  /// Queues one call on buffers in symmetric windows, at equal offsets on all ranks.
  /// @throws Error(kInvalidArgument) for collectives, reductions (only sum) or types (only float32, float16,
  /// bfloat16; alltoall all) that the kernels do not support; Error(kUnavailable) if the launch failed
  void queue(const CollectiveCall& call, const NcclBuffers& buffers, void* stream);
  /// Returns "device-api LSA" or "device-api GIN".
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
