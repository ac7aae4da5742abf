#pragma once
// Layout of NCCL's network plugin interface, versions 6 to 12. Our exported plugin (versions.cc) and our host
// for foreign plugins (transports/plugin) use it. It has only names, types and numbers of the public ABI. The
// assertions at the end compare sizes and offsets with NCCL's headers on LP64.
#include <cstddef>
#include <cstdint>

namespace collbench::nccl {

enum NcclResult : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
};

inline constexpr int kPtrHost = 0x1;
inline constexpr int kPtrCuda = 0x2;
inline constexpr std::size_t kHandleBytes = 128;
inline constexpr int kMaxRequests = 32;  // NCCL_NET_MAX_REQUESTS since NCCL 2.19
inline constexpr int kNetDeviceHost = 0;
inline constexpr int kUndefined = -1;  // default of traffic class, rail and plane
inline constexpr std::size_t kMaxNetBytes = std::size_t{1} << 30;

enum LogLevel : int {
  kLogNone = 0,
  kLogVersion = 1,
  kLogWarn = 2,
  kLogInfo = 3,
  kLogAbort = 4,
  kLogTrace = 5
};
inline constexpr unsigned long kLogInit = 1, kLogNet = 16;

using Logger = void (*)(LogLevel level, unsigned long flags, const char* file, int line, const char* format,
                        ...);
using ProfilerCallback = NcclResult (*)(void** event, int type, void* parent, std::int64_t plugin_id,
                                        void* data);

struct DeviceHandle {  // ncclNetDeviceHandle_v7..v12_t
  int type;
  int version;
  void* handle;
  std::size_t size;
  int needs_proxy_progress;
};

struct CommConfig {  // ncclNetCommConfig_v10..v12_t
  int traffic_class;
};

struct CommAttributes {
  std::int32_t max_concurrent_peers, min_concurrent_peers, max_flows_per_peer, min_flows_per_peer;
};
struct NetAttributes {  // ncclNetAttr_v11, v12_t
  CommAttributes send, recv;
  std::uint32_t op, algo, proto;
};

template <int kDevices>
struct VirtualDevice {
  int count;
  int devices[kDevices];
};

struct PropertiesV6 {
  char* name;
  char* pciPath;
  std::uint64_t guid;
  int ptrSupport, speed, port;
  float latency;
  int maxComms, maxRecvs;
};
struct PropertiesV7 {
  char* name;
  char* pciPath;
  std::uint64_t guid;
  int ptrSupport, speed, port;
  float latency;
  int maxComms, maxRecvs, netDeviceType, netDeviceVersion;
};
struct PropertiesV8 {
  char* name;
  char* pciPath;
  std::uint64_t guid;
  int ptrSupport, regIsGlobal, speed, port;
  float latency;
  int maxComms, maxRecvs, netDeviceType, netDeviceVersion;
};
struct PropertiesV9 {  // v9 and v10
  char* name;
  char* pciPath;
  std::uint64_t guid;
  int ptrSupport, regIsGlobal, forceFlush, speed, port;
  float latency;
  int maxComms, maxRecvs, netDeviceType, netDeviceVersion;
  VirtualDevice<4> vProps;
  std::size_t maxP2pBytes, maxCollBytes;
};
struct PropertiesV11 {
  char* name;
  char* pciPath;
  std::uint64_t guid;
  int ptrSupport, regIsGlobal, forceFlush, speed, port;
  float latency;
  int maxComms, maxRecvs, netDeviceType, netDeviceVersion;
  VirtualDevice<4> vProps;
  std::size_t maxP2pBytes, maxCollBytes;
  int maxMultiRequestSize;
};
struct PropertiesV12 {
  char* name;
  char* pciPath;
  std::uint64_t guid;
  int ptrSupport, regIsGlobal, forceFlush, speed, port;
  float latency;
  int maxComms, maxRecvs, netDeviceType, netDeviceVersion;
  VirtualDevice<8> vProps;
  std::size_t maxP2pBytes, maxCollBytes;
  int maxMultiRequestSize;
  std::int16_t railId, planeId;
};

struct NetV6 {
  using Properties = PropertiesV6;
  static constexpr int kVersion = 6;
  const char* name;
  NcclResult (*init)(Logger);
  NcclResult (*devices)(int*);
  NcclResult (*getProperties)(int, Properties*);
  NcclResult (*listen)(int, void*, void**);
  NcclResult (*connect)(int, void*, void**);
  NcclResult (*accept)(void*, void**);
  NcclResult (*regMr)(void*, void*, int, int, void**);
  NcclResult (*regMrDmaBuf)(void*, void*, std::size_t, int, std::uint64_t, int, void**);
  NcclResult (*deregMr)(void*, void*);
  NcclResult (*isend)(void*, void*, int, int, void*, void**);
  NcclResult (*irecv)(void*, int, void**, int*, int*, void**, void**);
  NcclResult (*iflush)(void*, int, void**, int*, void**, void**);
  NcclResult (*test)(void*, int*, int*);
  NcclResult (*closeSend)(void*);
  NcclResult (*closeRecv)(void*);
  NcclResult (*closeListen)(void*);
};

struct NetV7 {
  using Properties = PropertiesV7;
  static constexpr int kVersion = 7;
  const char* name;
  NcclResult (*init)(Logger);
  NcclResult (*devices)(int*);
  NcclResult (*getProperties)(int, Properties*);
  NcclResult (*listen)(int, void*, void**);
  NcclResult (*connect)(int, void*, void**, DeviceHandle**);
  NcclResult (*accept)(void*, void**, DeviceHandle**);
  NcclResult (*regMr)(void*, void*, int, int, void**);
  NcclResult (*regMrDmaBuf)(void*, void*, std::size_t, int, std::uint64_t, int, void**);
  NcclResult (*deregMr)(void*, void*);
  NcclResult (*isend)(void*, void*, int, int, void*, void**);
  NcclResult (*irecv)(void*, int, void**, int*, int*, void**, void**);
  NcclResult (*iflush)(void*, int, void**, int*, void**, void**);
  NcclResult (*test)(void*, int*, int*);
  NcclResult (*closeSend)(void*);
  NcclResult (*closeRecv)(void*);
  NcclResult (*closeListen)(void*);
  NcclResult (*getDeviceMr)(void*, void*, void**);
  NcclResult (*irecvConsumed)(void*, int, void*);
};

struct NetV8 {
  using Properties = PropertiesV8;
  static constexpr int kVersion = 8;
  const char* name;
  NcclResult (*init)(Logger);
  NcclResult (*devices)(int*);
  NcclResult (*getProperties)(int, Properties*);
  NcclResult (*listen)(int, void*, void**);
  NcclResult (*connect)(int, void*, void**, DeviceHandle**);
  NcclResult (*accept)(void*, void**, DeviceHandle**);
  NcclResult (*regMr)(void*, void*, std::size_t, int, void**);
  NcclResult (*regMrDmaBuf)(void*, void*, std::size_t, int, std::uint64_t, int, void**);
  NcclResult (*deregMr)(void*, void*);
  NcclResult (*isend)(void*, void*, int, int, void*, void**);
  NcclResult (*irecv)(void*, int, void**, int*, int*, void**, void**);
  NcclResult (*iflush)(void*, int, void**, int*, void**, void**);
  NcclResult (*test)(void*, int*, int*);
  NcclResult (*closeSend)(void*);
  NcclResult (*closeRecv)(void*);
  NcclResult (*closeListen)(void*);
  NcclResult (*getDeviceMr)(void*, void*, void**);
  NcclResult (*irecvConsumed)(void*, int, void*);
};

struct NetV9 {
  using Properties = PropertiesV9;
  static constexpr int kVersion = 9;
  const char* name;
  NcclResult (*init)(Logger);
  NcclResult (*devices)(int*);
  NcclResult (*getProperties)(int, Properties*);
  NcclResult (*listen)(int, void*, void**);
  NcclResult (*connect)(int, void*, void**, DeviceHandle**);
  NcclResult (*accept)(void*, void**, DeviceHandle**);
  NcclResult (*regMr)(void*, void*, std::size_t, int, void**);
  NcclResult (*regMrDmaBuf)(void*, void*, std::size_t, int, std::uint64_t, int, void**);
  NcclResult (*deregMr)(void*, void*);
  NcclResult (*isend)(void*, void*, std::size_t, int, void*, void**);
  NcclResult (*irecv)(void*, int, void**, std::size_t*, int*, void**, void**);
  NcclResult (*iflush)(void*, int, void**, int*, void**, void**);
  NcclResult (*test)(void*, int*, int*);
  NcclResult (*closeSend)(void*);
  NcclResult (*closeRecv)(void*);
  NcclResult (*closeListen)(void*);
  NcclResult (*getDeviceMr)(void*, void*, void**);
  NcclResult (*irecvConsumed)(void*, int, void*);
  NcclResult (*makeVDevice)(int*, VirtualDevice<4>*);
};

struct NetV10 {
  using Properties = PropertiesV9;
  static constexpr int kVersion = 10;
  const char* name;
  NcclResult (*init)(Logger, ProfilerCallback);
  NcclResult (*devices)(int*);
  NcclResult (*getProperties)(int, Properties*);
  NcclResult (*listen)(int, void*, void**);
  NcclResult (*connect)(int, CommConfig*, void*, void**, DeviceHandle**);
  NcclResult (*accept)(void*, void**, DeviceHandle**);
  NcclResult (*regMr)(void*, void*, std::size_t, int, void**);
  NcclResult (*regMrDmaBuf)(void*, void*, std::size_t, int, std::uint64_t, int, void**);
  NcclResult (*deregMr)(void*, void*);
  NcclResult (*isend)(void*, void*, std::size_t, int, void*, void*, void**);
  NcclResult (*irecv)(void*, int, void**, std::size_t*, int*, void**, void**, void**);
  NcclResult (*iflush)(void*, int, void**, int*, void**, void**);
  NcclResult (*test)(void*, int*, int*);
  NcclResult (*closeSend)(void*);
  NcclResult (*closeRecv)(void*);
  NcclResult (*closeListen)(void*);
  NcclResult (*getDeviceMr)(void*, void*, void**);
  NcclResult (*irecvConsumed)(void*, int, void*);
  NcclResult (*makeVDevice)(int*, VirtualDevice<4>*);
};

/// Function table of net interface versions 11 and 12, which differ only in the types of the property
/// structs.
template <int kNumber, typename PropertiesType, int kDevices>
struct NetWithContext {
  using Properties = PropertiesType;
  static constexpr int kVersion = kNumber;
  const char* name;
  NcclResult (*init)(void**, std::uint64_t, CommConfig*, Logger, ProfilerCallback);
  NcclResult (*devices)(int*);
  NcclResult (*getProperties)(int, Properties*);
  NcclResult (*listen)(void*, int, void*, void**);
  NcclResult (*connect)(void*, int, void*, void**, DeviceHandle**);
  NcclResult (*accept)(void*, void**, DeviceHandle**);
  NcclResult (*regMr)(void*, void*, std::size_t, int, void**);
  NcclResult (*regMrDmaBuf)(void*, void*, std::size_t, int, std::uint64_t, int, void**);
  NcclResult (*deregMr)(void*, void*);
  NcclResult (*isend)(void*, void*, std::size_t, int, void*, void*, void**);
  NcclResult (*irecv)(void*, int, void**, std::size_t*, int*, void**, void**, void**);
  NcclResult (*iflush)(void*, int, void**, int*, void**, void**);
  NcclResult (*test)(void*, int*, int*);
  NcclResult (*closeSend)(void*);
  NcclResult (*closeRecv)(void*);
  NcclResult (*closeListen)(void*);
  NcclResult (*getDeviceMr)(void*, void*, void**);
  NcclResult (*irecvConsumed)(void*, int, void*);
  NcclResult (*makeVDevice)(int*, VirtualDevice<kDevices>*);
  NcclResult (*finalize)(void*);
  NcclResult (*setNetAttr)(void*, NetAttributes*);
};
using NetV11 = NetWithContext<11, PropertiesV11, 4>;
using NetV12 = NetWithContext<12, PropertiesV12, 8>;

// offsets measured with NCCL's own headers
#define COLLBENCH_AT(type, member, offset) static_assert(offsetof(type, member) == (offset))
static_assert(sizeof(void*) == 8, "the plugin interface is laid out for LP64");
static_assert(sizeof(NetV6) == 136 && sizeof(NetV7) == 152 && sizeof(NetV8) == 152 && sizeof(NetV9) == 160);
static_assert(sizeof(NetV10) == 160 && sizeof(NetV11) == 176 && sizeof(NetV12) == 176);
static_assert(sizeof(PropertiesV6) == 48 && sizeof(PropertiesV7) == 56 && sizeof(PropertiesV8) == 64);
static_assert(sizeof(PropertiesV9) == 104 && sizeof(PropertiesV11) == 112 && sizeof(PropertiesV12) == 128);
static_assert(sizeof(DeviceHandle) == 32 && sizeof(NetAttributes) == 44 && sizeof(CommConfig) == 4);
COLLBENCH_AT(PropertiesV6, ptrSupport, 24);
COLLBENCH_AT(PropertiesV6, latency, 36);
COLLBENCH_AT(PropertiesV6, maxRecvs, 44);
COLLBENCH_AT(PropertiesV7, netDeviceType, 48);
COLLBENCH_AT(PropertiesV8, regIsGlobal, 28);
COLLBENCH_AT(PropertiesV8, latency, 40);
COLLBENCH_AT(PropertiesV8, netDeviceVersion, 56);
COLLBENCH_AT(PropertiesV9, speed, 36);
COLLBENCH_AT(PropertiesV9, maxRecvs, 52);
COLLBENCH_AT(PropertiesV9, vProps, 64);
COLLBENCH_AT(PropertiesV9, maxP2pBytes, 88);
COLLBENCH_AT(PropertiesV11, maxCollBytes, 96);
COLLBENCH_AT(PropertiesV11, maxMultiRequestSize, 104);
COLLBENCH_AT(PropertiesV12, maxP2pBytes, 104);
COLLBENCH_AT(PropertiesV12, maxMultiRequestSize, 120);
COLLBENCH_AT(PropertiesV12, railId, 124);
COLLBENCH_AT(PropertiesV12, planeId, 126);
COLLBENCH_AT(NetV6, deregMr, 72);
COLLBENCH_AT(NetV12, setNetAttr, 168);
#undef COLLBENCH_AT

}  // namespace collbench::nccl
