// Tables of the GIN and RMA interfaces for NCCL's versions, thin wrappers of gin::GinGroup.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>
#include <vector>

#include "net_plugin/gin/group.h"
#include "net_plugin/gin/nccl_gin.h"
#include "net_plugin/guarded.h"

namespace {

using namespace collbench::nccl;  // NOLINT(google-build-using-namespace): this file is all about these names
namespace net = collbench::net_plugin;
namespace gin = collbench::net_plugin::gin;
using collbench::ConnectHandle;
using net::guarded;
using std::size_t;
using std::uint32_t;
using std::uint64_t;

struct Listener {
  std::shared_ptr<collbench::Transport> transport;
  std::unique_ptr<collbench::ListenComm> comm;
  int device;
};

/// GIN communicators and listeners that NCCL has open. Recorded because NCCL also asks for errors with other
/// pointers, and closes a handle twice after a failure.
struct OpenHandles {
  std::mutex mutex;
  std::set<void*> groups, listeners;
};
OpenHandles& open() {
  static OpenHandles instance;
  return instance;
}

bool forget(std::set<void*>& set, void* object) {
  const std::lock_guard lock(open().mutex);
  return set.erase(object) != 0;
}

NcclResult init(void** context, uint64_t, Logger logger) {
  static int token;  // no data per communicator is kept, but a context must not be NULL
  *context = &token;
  return guarded("GIN init", [&] { net::init(logger); });
}
NcclResult finalize(void*) {
  return guarded("GIN finalize", [] { net::finalize(); });
}
NcclResult devices(int* count) {
  return guarded("GIN devices", [&] { *count = net::device_count(); });
}

/// Fills the device properties for the GIN interface. GPU memory is accepted but not announced. Since 2.29.7
/// NCCL keeps one device for all interfaces of a name; it would then also pass GPU memory to the net
/// interface, which cannot use it. GIN works without the announcement, because for it NCCL asks only for
/// dma-buf.
template <typename Properties>
NcclResult properties(int index, Properties* out) {
  return guarded("GIN getProperties", [&] {
    net::fill_properties(index, out);
    out->netDeviceType = kNetDeviceGinProxy;
  });
}

NcclResult listen(void*, int index, void* handle, void** listener) {
  return guarded("GIN listen", [&] {
    auto transport = net::transport();
    auto comm = transport->listen(index);
    std::memcpy(handle, comm->handle().data(), sizeof(ConnectHandle));
    *listener = new Listener{std::move(transport), std::move(comm), index};
    const std::lock_guard lock(open().mutex);
    open().listeners.insert(*listener);
  });
}
NcclResult close_listen(void* listener) {
  return guarded("GIN closeListen", [&] {
    if (forget(open().listeners, listener)) delete static_cast<Listener*>(listener);
  });
}

NcclResult connect(void*, void** handles, int ranks, int rank, void* listener, void** group) {
  return guarded("GIN connect", [&] {
    std::vector<ConnectHandle> all(static_cast<size_t>(ranks));
    for (size_t r = 0; r < all.size(); ++r) std::memcpy(all[r].data(), handles[r], sizeof(ConnectHandle));
    auto& listening = *static_cast<Listener*>(listener);
    *group = new gin::GinGroup(listening.transport, listening.device, *listening.comm, all, rank);
    const std::lock_guard lock(open().mutex);
    open().groups.insert(*group);
  });
}
NcclResult close_group(void* group) {
  return guarded("GIN closeColl", [&] {
    if (forget(open().groups, group)) delete static_cast<gin::GinGroup*>(group);
  });
}

/// Returns the communicator itself as its GIN context. Puts of all contexts to one rank then share one order,
/// which is stricter than NCCL requires.
NcclResult create_context_v14(void* group, RmaConfigV14*, void** context) {
  *context = group;
  return kSuccess;
}
NcclResult create_context_v13(void* group, GinConfigV13*, void** context, DeviceHandle** device) {
  if (device != nullptr) *device = nullptr;
  return create_context_v14(group, nullptr, context);
}
NcclResult destroy_context(void*) { return kSuccess; }

NcclResult register_v14(void* group, void* data, size_t bytes, int type, uint64_t, void** memory) {
  return guarded("GIN regMrSym", [&] {
    const auto kind = type == kPtrHost ? collbench::MemoryKind::kHost : collbench::MemoryKind::kCuda;
    *memory = static_cast<gin::GinGroup*>(group)->add(data, bytes, kind);
  });
}
NcclResult register_v11(void* group, void* data, size_t bytes, int type, uint64_t flags, void** memory,
                        void** gpu_memory) {
  const NcclResult result = register_v14(group, data, bytes, type, flags, memory);
  if (result == kSuccess && gpu_memory != nullptr) *gpu_memory = *memory;
  return result;
}
NcclResult deregister_memory(void* group, void* memory) {
  return guarded("GIN deregMrSym",
                 [&] { static_cast<gin::GinGroup*>(group)->remove(static_cast<gin::Window*>(memory)); });
}

gin::GinTransfer move_of(uint64_t source_offset, void* source, size_t bytes, uint64_t target_offset,
                         void* target, uint32_t rank) {
  return {static_cast<gin::Window*>(source), source_offset, bytes,
          static_cast<gin::Window*>(target), target_offset, rank};
}

NcclResult put_signal(void* group, uint64_t source_offset, void* source, size_t bytes, uint64_t target_offset,
                      void* target, uint32_t rank, uint64_t signal_offset, void* signal, uint64_t value,
                      uint32_t op, void** request) {
  return guarded("GIN put", [&] {
    if (signal != nullptr && op != kSignalInc && op != kSignalAdd)
      throw collbench::Error(collbench::ErrorCode::kInvalidArgument,
                             "signals increment (1) or add (2), got operation " + std::to_string(op));
    *request = static_cast<gin::GinGroup*>(group)->put(
        {move_of(source_offset, source, bytes, target_offset, target, rank),
         static_cast<gin::Window*>(signal), signal_offset, op == kSignalInc ? 1 : value});
  });
}
NcclResult put(void* group, uint64_t source_offset, void* source, size_t bytes, uint64_t target_offset,
               void* target, uint32_t rank, void** request) {
  return put_signal(group, source_offset, source, bytes, target_offset, target, rank, 0, nullptr, 0, 0,
                    request);
}
NcclResult put_v13(void* group, int, uint64_t source_offset, void* source, size_t bytes,
                   uint64_t target_offset, void* target, uint32_t rank, void** request) {
  return put(group, source_offset, source, bytes, target_offset, target, rank, request);
}
NcclResult put_signal_v13(void* group, int, uint64_t source_offset, void* source, size_t bytes,
                          uint64_t target_offset, void* target, uint32_t rank, uint64_t signal_offset,
                          void* signal, uint64_t value, uint32_t op, void** request) {
  return put_signal(group, source_offset, source, bytes, target_offset, target, rank, signal_offset, signal,
                    value, op, request);
}
/// GIN put with signal. NCCL's last flag, which allows a signal without order, is ignored: every signal
/// follows all earlier puts to its rank.
NcclResult put_signal_v14(void* group, int context, uint64_t source_offset, void* source, size_t bytes,
                          uint64_t target_offset, void* target, uint32_t rank, uint64_t signal_offset,
                          void* signal, uint64_t value, uint32_t op, bool, void** request) {
  return put_signal_v13(group, context, source_offset, source, bytes, target_offset, target, rank,
                        signal_offset, signal, value, op, request);
}
NcclResult get(void* group, int, uint64_t source_offset, void* source, size_t bytes, uint64_t target_offset,
               void* target, uint32_t rank, void** request) {
  return guarded("GIN get", [&] {
    *request = static_cast<gin::GinGroup*>(group)->get(
        move_of(source_offset, source, bytes, target_offset, target, rank));
  });
}
NcclResult flush(void* group, int, void*, uint32_t, void** request) {
  return guarded("GIN flush", [&] { *request = static_cast<gin::GinGroup*>(group)->flush(); });
}

NcclResult test(void* group, void* request, int* done) {
  *done = 0;
  return guarded("GIN test", [&] {
    *done = static_cast<gin::GinGroup*>(group)->test(static_cast<gin::GinOperation*>(request)) ? 1 : 0;
  });
}
NcclResult progress(void* group) {
  if (static_cast<gin::GinGroup*>(group)->has_failed())
    return kRemoteError;  // logged once, not in every round
  return guarded("GIN progress", [&] { static_cast<gin::GinGroup*>(group)->progress(); });
}

/// Reports whether a GIN communicator has failed. NCCL 2.30 passes a pointer that is not one of them; then
/// the failure of any is reported.
NcclResult last_error(void* group, bool* has_error) {
  const std::lock_guard lock(open().mutex);
  const auto failed = [](void* one) { return static_cast<gin::GinGroup*>(one)->has_failed(); };
  const auto& groups = open().groups;
  *has_error = groups.contains(group) ? failed(group) : std::any_of(groups.begin(), groups.end(), failed);
  return kSuccess;
}

constexpr GinV13 kV13 = {net::kName,
                         init,
                         devices,
                         properties<PropertiesV12>,
                         listen,
                         connect,
                         create_context_v13,
                         register_v11,
                         nullptr,
                         deregister_memory,
                         destroy_context,
                         close_group,
                         close_listen,
                         put_v13,
                         put_signal_v13,
                         get,
                         flush,
                         test,
                         progress,
                         last_error,
                         finalize};

}  // namespace

#define COLLBENCH_EXPORT __attribute__((visibility("default"))) extern

// NULL entries: regMrSymDmaBuf (NCCL_PTR_DMABUF is not offered) and, in v11, createContext, which proxy mode
// does not use.
extern "C" {
COLLBENCH_EXPORT const GinV11 ncclGinPlugin_v11;
const GinV11 ncclGinPlugin_v11 = {net::kName,      init,
                                  devices,         properties<PropertiesV11>,
                                  listen,          connect,
                                  nullptr,         register_v11,
                                  nullptr,         deregister_memory,
                                  destroy_context, close_group,
                                  close_listen,    put,
                                  put_signal,      test,
                                  progress,        last_error,
                                  finalize};
COLLBENCH_EXPORT const GinV13 ncclGinPlugin_v13;
const GinV13 ncclGinPlugin_v13 = kV13;
COLLBENCH_EXPORT const GinV13 ncclRmaPlugin_v13;
const GinV13 ncclRmaPlugin_v13 = kV13;
COLLBENCH_EXPORT const RmaV14 ncclRmaPlugin_v14;
const RmaV14 ncclRmaPlugin_v14 = {net::kName,
                                  init,
                                  devices,
                                  properties<PropertiesV12>,
                                  listen,
                                  connect,
                                  create_context_v14,
                                  register_v14,
                                  nullptr,
                                  deregister_memory,
                                  destroy_context,
                                  close_group,
                                  close_listen,
                                  put_v13,
                                  put_signal_v14,
                                  get,
                                  flush,
                                  test,
                                  progress,
                                  last_error,
                                  finalize};
}
