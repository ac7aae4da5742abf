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

/// Returns the path of the shared object with kernels on NCCL's device API for this compute capability (90 =
/// 9.0), from the cache or compiled, which takes half a minute. Must be called before the communicator is
/// created, because other ranks would otherwise wait inside NCCL for the one that compiles.
/// @throws Error(kUnavailable) naming what is missing; Error(kCancelled)
std::string prepare_device_api(const NcclApi& api, int capability, const std::function<bool()>& cancelled);

/// Returns whether kernels can use NCCL's device API, with loads and stores (fact "deviceApi.lsa") and over
/// the network (fact "deviceApi.gin"): "available", or a sentence with the reason why not. Checks nvcc, the
/// headers, the library's functions and, for GIN, that there is a network. Whether a communicator supports
/// the device API is only known after the communicator was created.
std::map<std::string, std::string> device_api_facts(const NcclApi& api, const std::string& transport,
                                                    bool on_software_card);

class DeviceApi {
 public:
  /// Creates NCCL's device communicator (ncclDevComm), which kernels use; all ranks must construct together.
  /// @param object path from prepare_device_api()
  /// @throws Error(kUnavailable) with NCCL's message (for example no GIN backend), or if loads and stores do
  /// not reach all ranks
  DeviceApi(const std::string& object, Communicator& comm, int ranks, DeviceReach reach);
  ~DeviceApi();
  DeviceApi(const DeviceApi&) = delete;
  DeviceApi& operator=(const DeviceApi&) = delete;

  /// Queues a collective on `stream`. Buffers must be in symmetric windows, at the same offset on all ranks.
  /// @throws Error(kInvalidArgument) if the kernels do not support the collective (only allreduce and
  /// alltoall), the reduction (only sum) or the type (allreduce: float32, float16, bfloat16);
  /// Error(kUnavailable) if the launch failed
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

/// Checks that the device API's kernels support this collective, reduction and type.
/// @throws Error(kInvalidArgument) if they do not
void check_device_api_offers(const Operation& operation);

}  // namespace collbench::nccl
