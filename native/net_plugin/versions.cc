// One table per version of NCCL's interface, made of wrappers that convert argument types and results. No
// other file knows the versions. Newer NCCL releases look up the newest table they know.
#include "net_plugin/guarded.h"

namespace {

using namespace collbench::nccl;  // NOLINT(google-build-using-namespace): this file is all about these names
namespace net = collbench::net_plugin;
using std::size_t;

using net::guarded;

NcclResult init_process(Logger logger) {
  return guarded("init", [&] { net::init(logger); });
}
NcclResult init_profiled(Logger logger, ProfilerCallback) { return init_process(logger); }
NcclResult init_context(void** context, std::uint64_t, CommConfig*, Logger logger, ProfilerCallback) {
  static int token;  // no data per communicator is kept, but a context must not be NULL
  *context = &token;
  return init_process(logger);
}
NcclResult finalize(void*) {
  return guarded("finalize", [] { net::finalize(); });
}
NcclResult devices(int* count) {
  return guarded("devices", [&] { *count = net::device_count(); });
}

template <typename Properties>
NcclResult properties(int index, Properties* out) {
  return guarded("getProperties", [&] { net::fill_properties(index, out); });
}

NcclResult listen(int index, void* handle, void** comm) {
  return guarded("listen", [&] { *comm = net::listen(index, handle); });
}
NcclResult listen_context(void*, int index, void* handle, void** comm) { return listen(index, handle, comm); }

NcclResult connect_v6(int index, void* handle, void** comm) {
  return guarded("connect", [&] { *comm = net::connect(index, handle); });
}
NcclResult connect_v7(int index, void* handle, void** comm, DeviceHandle**) {
  return connect_v6(index, handle, comm);
}
NcclResult connect_v10(int index, CommConfig*, void* handle, void** comm, DeviceHandle**) {
  return connect_v6(index, handle, comm);
}
NcclResult connect_v11(void*, int index, void* handle, void** comm, DeviceHandle**) {
  return connect_v6(index, handle, comm);
}

NcclResult accept_v6(void* listener, void** comm) {
  return guarded("accept", [&] { *comm = net::accept(listener); });
}
NcclResult accept_v7(void* listener, void** comm, DeviceHandle**) { return accept_v6(listener, comm); }

NcclResult reg_v8(void* comm, void* data, size_t bytes, int type, void** region) {
  return guarded("regMr", [&] { *region = net::register_memory(comm, data, bytes, type); });
}
NcclResult reg_v6(void* comm, void* data, int bytes, int type, void** region) {
  return reg_v8(comm, data, static_cast<size_t>(bytes), type, region);
}
NcclResult dereg(void* comm, void* region) {
  return guarded("deregMr", [&] { net::deregister_memory(comm, region); });
}

NcclResult isend_v9(void* comm, void* data, size_t bytes, int tag, void* region, void** request) {
  return guarded("isend", [&] { *request = net::isend(comm, data, bytes, tag, region); });
}
NcclResult isend_v6(void* comm, void* data, int bytes, int tag, void* region, void** request) {
  return isend_v9(comm, data, static_cast<size_t>(bytes), tag, region, request);
}
NcclResult isend_v10(void* comm, void* data, size_t bytes, int tag, void* region, void*, void** request) {
  return isend_v9(comm, data, bytes, tag, region, request);
}

NcclResult irecv_v9(void* comm, int count, void** data, size_t* bytes, int* tags, void** regions,
                    void** request) {
  return guarded("irecv", [&] { *request = net::irecv(comm, count, data, bytes, tags, regions); });
}
NcclResult irecv_v6(void* comm, int count, void** data, int* bytes, int* tags, void** regions,
                    void** request) {
  // groups of several buffers are refused below
  size_t wide = count == 1 ? static_cast<size_t>(bytes[0]) : 0;
  return irecv_v9(comm, count, data, &wide, tags, regions, request);
}
NcclResult irecv_v10(void* comm, int count, void** data, size_t* bytes, int* tags, void** regions, void**,
                     void** request) {
  return irecv_v9(comm, count, data, bytes, tags, regions, request);
}

/// NCCL's iflush: returns no request, because received data in host memory is visible without a flush.
NcclResult flush(void*, int, void**, int*, void**, void** request) {
  *request = nullptr;
  return kSuccess;
}
NcclResult test(void* request, int* done, int* sizes) {
  *done = 0;
  return guarded("test", [&] { *done = net::test(request, sizes) ? 1 : 0; });
}
NcclResult close_send(void* comm) {
  return guarded("closeSend", [&] { net::close_send(comm); });
}
NcclResult close_recv(void* comm) {
  return guarded("closeRecv", [&] { net::close_recv(comm); });
}
NcclResult close_listen(void* comm) {
  return guarded("closeListen", [&] { net::close_listen(comm); });
}

}  // namespace

#define COLLBENCH_EXPORT __attribute__((visibility("default"))) extern

// NULL entries: regMrDmaBuf, getDeviceMr, irecvConsumed, makeVDevice and setNetAttr, all optional.
extern "C" {
COLLBENCH_EXPORT const NetV6 ncclNetPlugin_v6;
const NetV6 ncclNetPlugin_v6 = {net::kName,  init_process, devices,    properties<PropertiesV6>,
                                listen,      connect_v6,   accept_v6,  reg_v6,
                                nullptr,     dereg,        isend_v6,   irecv_v6,
                                flush,       test,         close_send, close_recv,
                                close_listen};
COLLBENCH_EXPORT const NetV7 ncclNetPlugin_v7;
const NetV7 ncclNetPlugin_v7 = {net::kName,   init_process, devices,    properties<PropertiesV7>,
                                listen,       connect_v7,   accept_v7,  reg_v6,
                                nullptr,      dereg,        isend_v6,   irecv_v6,
                                flush,        test,         close_send, close_recv,
                                close_listen, nullptr,      nullptr};
COLLBENCH_EXPORT const NetV8 ncclNetPlugin_v8;
const NetV8 ncclNetPlugin_v8 = {net::kName,   init_process, devices,    properties<PropertiesV8>,
                                listen,       connect_v7,   accept_v7,  reg_v8,
                                nullptr,      dereg,        isend_v6,   irecv_v6,
                                flush,        test,         close_send, close_recv,
                                close_listen, nullptr,      nullptr};
COLLBENCH_EXPORT const NetV9 ncclNetPlugin_v9;
const NetV9 ncclNetPlugin_v9 = {net::kName,   init_process, devices,    properties<PropertiesV9>,
                                listen,       connect_v7,   accept_v7,  reg_v8,
                                nullptr,      dereg,        isend_v9,   irecv_v9,
                                flush,        test,         close_send, close_recv,
                                close_listen, nullptr,      nullptr,    nullptr};
COLLBENCH_EXPORT const NetV10 ncclNetPlugin_v10;
const NetV10 ncclNetPlugin_v10 = {net::kName,   init_profiled, devices,    properties<PropertiesV9>,
                                  listen,       connect_v10,   accept_v7,  reg_v8,
                                  nullptr,      dereg,         isend_v10,  irecv_v10,
                                  flush,        test,          close_send, close_recv,
                                  close_listen, nullptr,       nullptr,    nullptr};
COLLBENCH_EXPORT const NetV11 ncclNetPlugin_v11;
const NetV11 ncclNetPlugin_v11 = {net::kName,     init_context, devices,    properties<PropertiesV11>,
                                  listen_context, connect_v11,  accept_v7,  reg_v8,
                                  nullptr,        dereg,        isend_v10,  irecv_v10,
                                  flush,          test,         close_send, close_recv,
                                  close_listen,   nullptr,      nullptr,    nullptr,
                                  finalize,       nullptr};
COLLBENCH_EXPORT const NetV12 ncclNetPlugin_v12;
const NetV12 ncclNetPlugin_v12 = {net::kName,     init_context, devices,    properties<PropertiesV12>,
                                  listen_context, connect_v11,  accept_v7,  reg_v8,
                                  nullptr,        dereg,        isend_v10,  irecv_v10,
                                  flush,          test,         close_send, close_recv,
                                  close_listen,   nullptr,      nullptr,    nullptr,
                                  finalize,       nullptr};

/// Function that NCCL's interface does not have: returns 1 if an emulation in software replaces the adapter,
/// otherwise 0. The plugin transport of collbench calls it.
__attribute__((visibility("default"))) int collbenchNetEmulated();
int collbenchNetEmulated() { return net::emulated() ? 1 : 0; }

/// Function that NCCL's interface does not have: stores bytes sent, bytes received, messages sent and
/// messages received by this process. The nccl engine calls it to prove that data took this plugin.
/// @param four array of four numbers
__attribute__((visibility("default"))) void collbenchNetCounters(unsigned long long* four);
void collbenchNetCounters(unsigned long long* four) {
  const collbench::TransportCounters counters = net::counters();
  four[0] = counters.bytes_sent;
  four[1] = counters.bytes_received;
  four[2] = counters.messages_sent;
  four[3] = counters.messages_received;
}
}
