#include "engines/nccl/device_api/device_api.h"

#include <cstring>

#include "core/error.h"
#include "core/shared_object.h"
#include "engines/nccl/device_api/toolchain.h"
#include "engines/nccl/infiniband.h"

namespace collbench::nccl {
namespace {

constexpr const char* kOffered =
    "the kernels on NCCL's device API offer allreduce with sum in float32, float16 and "
    "bfloat16, and alltoall; leave --device-api out for others";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::kInvalidArgument, what + ": " + kOffered);
}

int type_of(DataType dtype) {
  if (dtype == DataType::kFloat32) return kCollbenchDeviceFloat32;
  if (dtype == DataType::kFloat16) return kCollbenchDeviceFloat16;
  return kCollbenchDeviceBfloat16;
}

/// Throws if `result` is not 0. A positive result is an NCCL code and gets NCCL's message; a negative one has
/// the kernels' message in `why`. @param what name of the call
void check(Communicator& comm, int result, const char* why, const char* what) {
  if (result < 0) throw Error(ErrorCode::kUnavailable, why);
  comm.check(result, what);
}

}  // namespace

void check_device_api_offers(const Operation& operation) {
  if (operation.kind == CollectiveKind::kAlltoall) return;
  if (operation.kind != CollectiveKind::kAllreduce) refuse(std::string(name_of(operation.kind)));
  if (operation.op != ReduceOp::kSum) refuse("allreduce with " + std::string(name_of(operation.op)));
  if (operation.dtype != DataType::kFloat32 && operation.dtype != DataType::kFloat16 &&
      operation.dtype != DataType::kBfloat16)
    refuse("allreduce in " + std::string(name_of(operation.dtype)));
}

std::string prepare_device_api(const NcclApi& api, int capability, const std::function<bool()>& cancelled) {
  const DeviceApiToolchainSearch look = find_toolchain(api.path, api.version);
  if (!look.why_not.empty())
    throw Error(ErrorCode::kUnavailable,
                "kernels on NCCL's device API cannot be compiled here. " + look.why_not);
  return build_device_api({look.found, api.version, capability, device_api_source(), cancelled});
}

std::map<std::string, std::string> device_api_facts(const NcclApi& api, const std::string& transport,
                                                    bool on_software_card) {
  const DeviceApiToolchainSearch look = find_toolchain(api.path, api.version);
  std::string reason = look.why_not;
  if (reason.empty() && api.dev_comm_create == nullptr)
    reason = api.path + " does not export ncclDevCommCreate.";
  const std::string usual = reason.empty() ? "available" : reason;
  std::string gin = usual;
  const bool has_network = transport == "sisci" || on_software_card || !list_infiniband().empty();
  if (reason.empty() && !has_network)
    gin =
        "No network for GIN: this machine has no InfiniBand or RoCE device; --transport sisci, ib and ibgda "
        "have GIN in software.";
  return {{"deviceApi.lsa", usual}, {"deviceApi.gin", gin}};
}

DeviceApi::DeviceApi(const std::string& object, Communicator& comm, int ranks, DeviceReach reach)
    : comm_(comm), reach_(reach) {
  const NcclApi& api = comm.api();
  if (api.dev_comm_create == nullptr || api.dev_comm_destroy == nullptr)
    throw Error(ErrorCode::kUnavailable, api.path + " (NCCL " + api.version_text() +
                                             ") does not export ncclDevCommCreate and ncclDevCommDestroy");
  std::string reason;
  void* library = open_shared(object, reason);
  if (library == nullptr)
    throw Error(ErrorCode::kUnavailable, "the kernels on NCCL's device API cannot be loaded: " + reason);
  CollbenchDeviceCreate create = nullptr;
  if (!bind(create, library, "collbench_device_create") ||
      !bind(launch_, library, "collbench_device_launch") ||
      !bind(destroy_, library, "collbench_device_destroy"))
    throw Error(ErrorCode::kInternal, object + " lacks a function of device_api/abi.h");
  // The object uses NCCL's types, this file our own; both are pointers.
  CollbenchDeviceFunctions functions{};
  static_assert(sizeof functions.create == sizeof api.dev_comm_create);
  std::memcpy(&functions.create, &api.dev_comm_create, sizeof functions.create);
  std::memcpy(&functions.destroy, &api.dev_comm_destroy, sizeof functions.destroy);
  char why[512] = "";
  const int wanted = reach == DeviceReach::kGin ? kCollbenchDeviceGin : kCollbenchDeviceLsa;
  const int result = create(&functions, comm.get(), ranks, wanted, &handle_, why, sizeof why);
  if (result > 0 && reach == DeviceReach::kGin) {
    try {
      check(comm_, result, why, "ncclDevCommCreate");
    } catch (const Error& error) {
      throw Error(error.code(),
                  std::string(error.what()) +
                      "; GIN needs a backend: a ConnectX adapter with GPUDirect, or a GIN plugin");
    }
  }
  check(comm_, result, why, "ncclDevCommCreate");
}

DeviceApi::~DeviceApi() {
  if (handle_ != nullptr) destroy_(handle_, comm_.get() != nullptr ? 1 : 0);
}

void DeviceApi::queue(const CollectiveCall& call, const NcclBuffers& buffers, void* stream) {
  const Operation& operation = call.operation;
  check_device_api_offers(operation);
  if (operation.count == 0) return;
  const NcclBuffers::WindowOffset send = buffers.window_offset_of(call.send),
                                  recv = buffers.window_offset_of(call.recv);
  CollbenchDeviceCall wanted{};
  wanted.collective =
      operation.kind == CollectiveKind::kAlltoall ? kCollbenchDeviceAlltoall : kCollbenchDeviceAllreduce;
  wanted.type = type_of(operation.dtype);
  wanted.element_bytes = size_of(operation.dtype);
  wanted.count = operation.count;
  wanted.send_window = send.window;
  wanted.send_offset = send.offset;
  wanted.recv_window = recv.window;
  wanted.recv_offset = recv.offset;
  wanted.stream = stream;
  char why[512] = "";
  check(comm_, launch_(handle_, &wanted, why, sizeof why), why, "the kernel's launch");
}

std::string DeviceApi::name() const {
  return reach_ == DeviceReach::kGin ? "device-api GIN" : "device-api LSA";
}

}  // namespace collbench::nccl
