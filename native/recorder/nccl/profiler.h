#pragma once
// NCCL's profiler interface, versions 4 to 6, reduced to what the recorder needs: x86-64 and aarch64.
#include <cstddef>
#include <cstdint>

namespace collbench::nccl_profiler {

enum ProfilerResult : int { kSuccess = 0 };

enum Event : std::uint64_t {
  kGroup = 1,
  kColl = 2,
  kP2p = 4,
  kKernelChannel = 64,
  kGroupApi = 256,
  kCollApi = 512,
  kP2pApi = 1024,
  kCopyEngineColl = 4096,
};

/// Value of NCCL's event state that reports the end of a kernel on one channel.
constexpr int kKernelChannelStop = 22;

using Logger = void (*)(int level, unsigned long flags, const char* file, int line, const char* format, ...);
constexpr int kLogWarn = 2;
constexpr unsigned long kLogInit = 1;

struct CollBody {
  std::uint64_t sequence;
  const char* function;
  const void* send;
  void* receive;
  std::size_t count;
  int root;
  const char* type;
  std::uint8_t channels;
  std::uint8_t warps;
  const char* algorithm;
  const char* protocol;
};

struct P2pBody {
  const char* function;
  void* buffer;
  const char* type;
  std::size_t count;
  int peer;
  std::uint8_t channels;
};

struct KernelChannelBody {
  std::uint8_t channel;
  std::uint64_t device_ns;
};

struct CollApiBody {
  const char* function;
  std::size_t count;
  const char* type;
  int root;
  void* stream;
  bool is_captured;
};

struct P2pApiBody {
  const char* function;
  std::size_t count;
  const char* type;
  void* stream;
  bool is_captured;
};

struct CopyEngineBody {
  std::uint64_t sequence;
  const char* function;
  const void* send;
  void* receive;
  std::size_t count;
  int root;
  const char* type;
  const char* synchronisation;
  bool is_synchronised_within;
  std::uint32_t batch_size;
  std::uint32_t batches;
  std::uint32_t copy_sequence;
  void* stream;
};

struct DescriptorV4 {
  std::uint8_t type;
  void* parent;
  int rank;
  union {
    CollBody coll;
    P2pBody p2p;
    KernelChannelBody kernel;
  };
};

struct DescriptorV5 {
  std::uint64_t type;
  void* parent;
  int rank;
  union {
    CollApiBody coll_api;
    P2pApiBody p2p_api;
    // Followed by a parent group, which the recorder does not read.
    struct {
      CollBody body;
      void* group;
    } coll_with_group;
    CollBody coll;
    P2pBody p2p;
    KernelChannelBody kernel;
  };
};

struct DescriptorV6 {
  std::uint64_t type;
  void* parent;
  int rank;
  union {
    CollApiBody coll_api;
    P2pApiBody p2p_api;
    CollBody coll;
    P2pBody p2p;
    KernelChannelBody kernel;
    CopyEngineBody copy_engine;
  };
};

static_assert(sizeof(DescriptorV4) == 104 && sizeof(DescriptorV5) == 112 && sizeof(DescriptorV6) == 112);
static_assert(offsetof(DescriptorV4, coll) == 24 && offsetof(DescriptorV5, coll) == 24);
static_assert(offsetof(CollBody, count) == 32 && offsetof(CollBody, type) == 48);
static_assert(offsetof(CollBody, channels) == 56 && offsetof(CollBody, algorithm) == 64);
static_assert(offsetof(P2pBody, peer) == 32 && offsetof(P2pBody, channels) == 36);
static_assert(offsetof(CopyEngineBody, stream) == 80);

union StateArguments {
  std::uint64_t device_ns;
  std::size_t other;
};
static_assert(sizeof(StateArguments) == 8);

template <typename Descriptor, typename... Init>
struct Profiler {
  const char* name;
  ProfilerResult (*init)(Init...);
  ProfilerResult (*start)(void* context, void** event, Descriptor* descriptor);
  ProfilerResult (*stop)(void* event);
  ProfilerResult (*state)(void* event, int state, StateArguments* arguments);
  ProfilerResult (*finalize)(void* context);
};

/// Function table of profiler interface version 4. Its init takes context, event mask, name, communicator id,
/// nodes, ranks, rank, logger.
using ProfilerV4 = Profiler<DescriptorV4, void**, int*, const char*, std::uint64_t, int, int, int, Logger>;
/// Function table of profiler interface version 5. Its init takes context, communicator id, event mask, name,
/// nodes, ranks, rank, logger.
using ProfilerV5 = Profiler<DescriptorV5, void**, std::uint64_t, int*, const char*, int, int, int, Logger>;
using ProfilerV6 = Profiler<DescriptorV6, void**, std::uint64_t, int*, const char*, int, int, int, Logger>;
static_assert(sizeof(ProfilerV4) == 48 && sizeof(ProfilerV5) == 48 && sizeof(ProfilerV6) == 48);

}  // namespace collbench::nccl_profiler
