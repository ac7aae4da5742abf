#pragma once
// The C interface towards NCCL: turns exceptions into result codes and fills the property structs of all
// versions.
#include <exception>

#include "core/error.h"
#include "net_plugin/plugin.h"

namespace collbench::net_plugin {

/// Returns the ncclResult_t that reports an error with this code to NCCL.
inline nccl::NcclResult result_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return nccl::kInvalidArgument;
    case ErrorCode::kConnectionLost:
    case ErrorCode::kProtocol:
      return nccl::kRemoteError;
    case ErrorCode::kInternal:
      return nccl::kInternalError;
    default:
      return nccl::kSystemError;
  }
}

/// Calls `body`, the work of one function that NCCL calls. Returns ncclSuccess, or the ncclResult_t for the
/// exception that it threw, whose text goes to NCCL's log.
/// @param call name of the plugin function, for the log
template <typename Body>
nccl::NcclResult guarded(const char* call, Body body) noexcept {
  try {
    body();
    return nccl::kSuccess;
  } catch (const Error& error) {
    warn(call, error.what());
    return result_of(error.code());
  } catch (const std::exception& error) {
    warn(call, error.what());
    return nccl::kSystemError;
  }
}

template <typename Properties>
void fill_properties(int index, Properties* out) {
  const PluginDevice found = device(index);
  *out = Properties{};
  out->name = found.name;
  out->pciPath = found.pci_path;
  out->guid = static_cast<std::uint64_t>(index);
  out->ptrSupport = nccl::kPtrHost;
  out->speed = found.speed_mbps;
  out->latency = found.latency_us;
  out->maxComms = 64 * 1024;
  out->maxRecvs = 1;
  if constexpr (requires { out->netDeviceType; }) out->netDeviceType = nccl::kNetDeviceHost;
  if constexpr (requires { out->vProps; }) {
    out->vProps.count = 1;
    out->vProps.devices[0] = index;
    out->maxP2pBytes = out->maxCollBytes = nccl::kMaxNetBytes;
  }
  if constexpr (requires { out->maxMultiRequestSize; }) out->maxMultiRequestSize = 1;
  if constexpr (requires { out->railId; }) out->railId = out->planeId = nccl::kUndefined;
}

}  // namespace collbench::net_plugin
