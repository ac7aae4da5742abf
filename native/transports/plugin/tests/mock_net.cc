// A net plugin for the host's tests that exports only version 6. It finds a device and connects nothing:
// connect and accept never get ready, like a plugin whose peer does not answer.
#include <cstring>

#include "net_plugin/nccl_net.h"

using namespace collbench::nccl;

namespace {

char name[] = "mock0";
NcclResult init(Logger logger) {
  if (logger == nullptr) return kInvalidArgument;
  logger(kLogInfo, kLogInit, __FILE__, __LINE__, "mock plugin %d", 6);
  return kSuccess;
}
NcclResult devices(int* count) {
  *count = 2;
  return kSuccess;
}
NcclResult properties(int device, PropertiesV6* out) {
  *out = PropertiesV6{};
  out->name = name;
  out->ptrSupport = kPtrHost;
  out->speed = 1000 * (device + 1);
  out->latency = 2.5F;
  out->maxComms = 4;
  out->maxRecvs = 8;
  return kSuccess;
}
NcclResult listen(int, void* handle, void** comm) {
  static int listener;
  std::memcpy(handle, "mock", 4);
  *comm = &listener;
  return kSuccess;
}
NcclResult connect(int, void* handle, void** comm) {
  *comm = nullptr;
  return std::memcmp(handle, "mock", 4) == 0 ? kSuccess : kInvalidArgument;
}
NcclResult accept(void*, void** comm) {
  *comm = nullptr;
  return kSuccess;
}
NcclResult reg(void*, void*, int, int, void**) { return kInternalError; }
NcclResult isend(void*, void*, int, int, void*, void**) { return kInternalError; }
NcclResult irecv(void*, int, void**, int*, int*, void**, void**) { return kInternalError; }
NcclResult test(void*, int*, int*) { return kInternalError; }
NcclResult close(void*) { return kSuccess; }

}  // namespace

extern "C" __attribute__((visibility("default"))) const NetV6 ncclNetPlugin_v6;
const NetV6 ncclNetPlugin_v6 = {"Mock",  init,  devices, properties, listen, connect, accept, reg,  nullptr,
                                nullptr, isend, irecv,   nullptr,    test,   close,   close,  close};
