#pragma once
// Layout of NCCL's plugin interfaces for networking started by the GPU: GIN versions 11 and 13, RMA versions
// 13 and 14, in proxy mode. Like nccl_net.h it has only names, types and numbers of the public ABI.
#include <cstddef>
#include <cstdint>

#include "net_plugin/nccl_net.h"

namespace collbench::nccl {

inline constexpr int kNetDeviceGinProxy = 2;
inline constexpr std::uint32_t kSignalInc = 1, kSignalAdd = 2;

/// Function table of GIN interface version 11, which NCCL 2.28.7 to 2.29.7 load. (2.29.7 prefers version 12,
/// which this plugin does not have.)
struct GinV11 {
  const char* name;
  NcclResult (*init)(void**, std::uint64_t, Logger);
  NcclResult (*devices)(int*);
  NcclResult (*getProperties)(int, PropertiesV11*);
  NcclResult (*listen)(void*, int, void*, void**);
  NcclResult (*connect)(void*, void**, int, int, void*, void**);
  NcclResult (*createContext)(void*, int, int, void**, DeviceHandle**);
  NcclResult (*regMrSym)(void*, void*, std::size_t, int, std::uint64_t, void**, void**);
  NcclResult (*regMrSymDmaBuf)(void*, void*, std::size_t, int, std::uint64_t, int, std::uint64_t, void**,
                               void**);
  NcclResult (*deregMrSym)(void*, void*);
  NcclResult (*destroyContext)(void*);
  NcclResult (*closeColl)(void*);
  NcclResult (*closeListen)(void*);
  NcclResult (*iput)(void*, std::uint64_t, void*, std::size_t, std::uint64_t, void*, std::uint32_t, void**);
  NcclResult (*iputSignal)(void*, std::uint64_t, void*, std::size_t, std::uint64_t, void*, std::uint32_t,
                           std::uint64_t, void*, std::uint64_t, std::uint32_t, void**);
  NcclResult (*test)(void*, void*, int*);
  NcclResult (*ginProgress)(void*);
  NcclResult (*queryLastError)(void*, bool*);
  NcclResult (*finalize)(void*);
};

struct GinConfigV13 {
  int nSignals, nCounters, nContexts, queueDepth, trafficClass;
};

/// Function table of GIN interface version 13, which NCCL 2.30.3 and 2.30.4 load. The RMA interface version
/// 13 has the same layout; NCCL looks it up under another symbol name.
struct GinV13 {
  const char* name;
  NcclResult (*init)(void**, std::uint64_t, Logger);
  NcclResult (*devices)(int*);
  NcclResult (*getProperties)(int, PropertiesV12*);
  NcclResult (*listen)(void*, int, void*, void**);
  NcclResult (*connect)(void*, void**, int, int, void*, void**);
  NcclResult (*createContext)(void*, GinConfigV13*, void**, DeviceHandle**);
  NcclResult (*regMrSym)(void*, void*, std::size_t, int, std::uint64_t, void**, void**);
  NcclResult (*regMrSymDmaBuf)(void*, void*, std::size_t, int, std::uint64_t, int, std::uint64_t, void**,
                               void**);
  NcclResult (*deregMrSym)(void*, void*);
  NcclResult (*destroyContext)(void*);
  NcclResult (*closeColl)(void*);
  NcclResult (*closeListen)(void*);
  NcclResult (*iput)(void*, int, std::uint64_t, void*, std::size_t, std::uint64_t, void*, std::uint32_t,
                     void**);
  NcclResult (*iputSignal)(void*, int, std::uint64_t, void*, std::size_t, std::uint64_t, void*, std::uint32_t,
                           std::uint64_t, void*, std::uint64_t, std::uint32_t, void**);
  NcclResult (*iget)(void*, int, std::uint64_t, void*, std::size_t, std::uint64_t, void*, std::uint32_t,
                     void**);
  NcclResult (*iflush)(void*, int, void*, std::uint32_t, void**);
  NcclResult (*test)(void*, void*, int*);
  NcclResult (*ginProgress)(void*);
  NcclResult (*queryLastError)(void*, bool*);
  NcclResult (*finalize)(void*);
};

struct RmaConfigV14 {
  int nContexts, trafficClass, rankStride;
};

/// Function table of RMA interface version 14, which NCCL 2.30.7 loads for its GIN proxy and for puts from
/// the host.
struct RmaV14 {
  const char* name;
  NcclResult (*init)(void**, std::uint64_t, Logger);
  NcclResult (*devices)(int*);
  NcclResult (*getProperties)(int, PropertiesV12*);
  NcclResult (*listen)(void*, int, void*, void**);
  NcclResult (*connect)(void*, void**, int, int, void*, void**);
  NcclResult (*createContext)(void*, RmaConfigV14*, void**);
  NcclResult (*regMrSym)(void*, void*, std::size_t, int, std::uint64_t, void**);
  NcclResult (*regMrSymDmaBuf)(void*, void*, std::size_t, int, std::uint64_t, int, std::uint64_t, void**);
  NcclResult (*deregMrSym)(void*, void*);
  NcclResult (*destroyContext)(void*);
  NcclResult (*closeColl)(void*);
  NcclResult (*closeListen)(void*);
  NcclResult (*iput)(void*, int, std::uint64_t, void*, std::size_t, std::uint64_t, void*, std::uint32_t,
                     void**);
  NcclResult (*iputSignal)(void*, int, std::uint64_t, void*, std::size_t, std::uint64_t, void*, std::uint32_t,
                           std::uint64_t, void*, std::uint64_t, std::uint32_t, bool, void**);
  NcclResult (*iget)(void*, int, std::uint64_t, void*, std::size_t, std::uint64_t, void*, std::uint32_t,
                     void**);
  NcclResult (*iflush)(void*, int, void*, std::uint32_t, void**);
  NcclResult (*test)(void*, void*, int*);
  NcclResult (*rmaProgress)(void*);
  NcclResult (*queryLastError)(void*, bool*);
  NcclResult (*finalize)(void*);
};

static_assert(sizeof(GinV11) == 19 * 8 && sizeof(GinV13) == 21 * 8 && sizeof(GinConfigV13) == 20);
static_assert(offsetof(GinV11, iput) == 13 * 8 && offsetof(GinV13, test) == 17 * 8);
static_assert(sizeof(RmaV14) == 21 * 8 && sizeof(RmaConfigV14) == 12 && offsetof(RmaV14, test) == 17 * 8);

}  // namespace collbench::nccl
