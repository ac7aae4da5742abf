// Allreduce and alltoall as kernels on NCCL's device API: over LSA (loads and stores to ranks in CUDA P2P
// reach) and over GIN (puts and signals that the GPU gives to the network). Compiled on the node with the
// headers of the libnccl in use, whose structures change between releases.
#ifndef COLLBENCH_DEVICE_API_ABI_H
#include "abi.h"
#endif
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <nccl_device.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <type_traits>

#if NCCL_VERSION_CODE < 22803
#error "the device API came with NCCL 2.28.3"
#endif

namespace {

constexpr int kThreads = 512;
constexpr int kMaxBlocks = 64;  // Largest number of blocks of a call; each has its own barrier.
// Largest number of ranks, because pointers to all peers are kept in shared memory.
constexpr int kMaxRanks = 128;
constexpr int kUnroll = 4;  // Words that each thread has under way.
/// Maximum of the bytes that a rank reads from the other ranks in a one-shot allreduce. There, each rank
/// reduces all elements itself. One-shot moves more data than two-shot but does not wait for stores of other
/// ranks, so it is faster for short vectors. It cannot run in place.
constexpr size_t kOneShotBytes = size_t{1} << 20;

constexpr int kGinBlocks = 8;
constexpr size_t kSlotBytes = size_t{128} << 10;  // Scratch bytes per block and rank.
constexpr size_t kMaxPutBytes = size_t{1} << 30;
// Numbers of GIN signals: one for arrivals in alltoall, then two for each block of allreduce.
constexpr unsigned kArrivedSignal = 0;
constexpr unsigned kFirstBlockSignal = 1;
constexpr int kSignals = kFirstBlockSignal + 2 * kGinBlocks;

struct Buffers {
  ncclWindow_t send, recv;
  size_t send_offset, recv_offset;
};

__device__ float to_float(float value) { return value; }
__device__ float to_float(__half value) { return __half2float(value); }
__device__ float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ void from_float(float value, float& to) { to = value; }
__device__ void from_float(float value, __half& to) { to = __float2half_rn(value); }
__device__ void from_float(float value, __nv_bfloat16& to) { to = __float2bfloat16_rn(value); }

/// Sum of the elements in one machine word. It is computed in float32 and rounded once at the end.
template <class T, class Word>
struct Sum {
  static constexpr int kLanes = sizeof(Word) / sizeof(T);
  float lane[kLanes];

  template <bool kFirst>
  __device__ void take(const Word& word) {
    T values[kLanes];
    memcpy(values, &word, sizeof word);
#pragma unroll
    for (int i = 0; i < kLanes; ++i) lane[i] = kFirst ? to_float(values[i]) : lane[i] + to_float(values[i]);
  }
  __device__ Word word() const {
    T values[kLanes];
#pragma unroll
    for (int i = 0; i < kLanes; ++i) from_float(lane[i], values[i]);
    Word result;
    memcpy(&result, values, sizeof result);
    return result;
  }
};

/// Sums the words at `at`, `at` + `step`, ... over all ranks. All ranks add in the same order, so their
/// results have identical bits.
template <int kWords, class T, class Word>
__device__ void reduce_words(Sum<T, Word> (&sum)[kWords], const Word* const* in, int ranks, size_t at,
                             size_t step) {
  Word got[kWords];
#pragma unroll
  for (int u = 0; u < kWords; ++u) got[u] = in[0][at + u * step];
#pragma unroll
  for (int u = 0; u < kWords; ++u) sum[u].template take<true>(got[u]);
  for (int peer = 1; peer < ranks; ++peer) {
    const Word* from = in[peer] + at;
#pragma unroll
    for (int u = 0; u < kWords; ++u) got[u] = from[u * step];
#pragma unroll
    for (int u = 0; u < kWords; ++u) sum[u].template take<false>(got[u]);
  }
}

/// Sums words [first, last) of the inputs `in` of all ranks and writes the sums to each of the first `outs`
/// arrays of `out`.
template <class T, class Word>
__device__ void reduce_range(const Word* const* in, Word* const* out, int ranks, int outs, size_t first,
                             size_t last) {
  const size_t step = size_t{gridDim.x} * blockDim.x;
  size_t at = first + size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; at + (kUnroll - 1) * step < last; at += kUnroll * step) {
    Sum<T, Word> sum[kUnroll];
    reduce_words(sum, in, ranks, at, step);
    for (int o = 0; o < outs; ++o) {
#pragma unroll
      for (int u = 0; u < kUnroll; ++u) out[o][at + u * step] = sum[u].word();
    }
  }
  for (; at < last; at += step) {
    Sum<T, Word> sum[1];
    reduce_words(sum, in, ranks, at, step);
    for (int o = 0; o < outs; ++o) out[o][at] = sum[0].word();
  }
}

/// Allreduce with loads and stores (NCCL's LSA). kOneShot: every rank sums the whole vector for itself.
/// Otherwise each rank sums one slice and stores it to all ranks; this may be in place, because no other rank
/// reads the slice.
template <class T, class Word, bool kOneShot>
__global__ void __launch_bounds__(kThreads)
    all_reduce_lsa(const __grid_constant__ ncclDevComm comm, const Buffers at, const size_t count) {
  __shared__ const Word* in[kMaxRanks];
  __shared__ Word* out[kMaxRanks];
  const int ranks = comm.lsaSize, rank = comm.lsaRank;
  const int outs = kOneShot ? 1 : ranks;
  for (int r = static_cast<int>(threadIdx.x); r < ranks; r += kThreads) {
    in[r] = static_cast<const Word*>(ncclGetLsaPointer(at.send, at.send_offset, r));
    out[r] = static_cast<Word*>(ncclGetLsaPointer(at.recv, at.recv_offset, kOneShot ? rank : r));
  }
  ncclLsaBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
  // All inputs are ready after this barrier, and all outputs may be written.
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);

  constexpr size_t kLanes = sizeof(Word) / sizeof(T);
  const size_t words = count / kLanes;
  const size_t first = kOneShot ? 0 : words * rank / ranks;
  const size_t last = kOneShot ? words : words * (rank + 1) / ranks;
  reduce_range<T, Word>(in, out, ranks, outs, first, last);
  if (kLanes > 1 && blockIdx.x == 0 && (kOneShot || rank == ranks - 1) && threadIdx.x < count % kLanes) {
    const size_t element = words * kLanes + threadIdx.x;
    Sum<T, T> sum;
    sum.template take<true>(reinterpret_cast<const T*>(in[0])[element]);
    for (int r = 1; r < ranks; ++r) sum.template take<false>(reinterpret_cast<const T*>(in[r])[element]);
    for (int o = 0; o < outs; ++o) reinterpret_cast<T*>(out[o])[element] = sum.word();
  }

  // All inputs have been read after this barrier, and all outputs are written.
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

template <class Word>
__device__ void copy_words(Word* to, const Word* from, size_t words, size_t at, size_t step) {
  for (; at + (kUnroll - 1) * step < words; at += kUnroll * step) {
    Word got[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) got[u] = from[at + u * step];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) to[at + u * step] = got[u];
  }
  for (; at < words; at += step) to[at] = from[at];
}

/// Alltoall with stores (NCCL's LSA): each rank stores its parts of `words` words directly into the receive
/// buffers of all ranks, its own included. Every rank begins with its neighbour, so that not all write to the
/// same rank.
template <class Word>
__global__ void __launch_bounds__(kThreads)
    all_to_all_lsa(const __grid_constant__ ncclDevComm comm, const Buffers at, const size_t words) {
  const int ranks = comm.lsaSize, rank = comm.lsaRank;
  ncclLsaBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  const Word* send = static_cast<const Word*>(ncclGetLocalPointer(at.send, at.send_offset));
  for (int k = 1; k <= ranks; ++k) {
    const int peer = (rank + k) % ranks;
    Word* recv = static_cast<Word*>(ncclGetLsaPointer(at.recv, at.recv_offset, peer));
    copy_words(recv + rank * words, send + peer * words, words, size_t{blockIdx.x} * blockDim.x + threadIdx.x,
               size_t{gridDim.x} * blockDim.x);
  }
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

/// Puts `bytes` to a peer and then raises its signal number `signal`; NCCL keeps this order within a context.
/// With 0 bytes only the signal is sent.
__device__ void put(const ncclGin& gin, const ncclTeam& world, int peer, ncclWindow_t to, size_t to_offset,
                    ncclWindow_t from, size_t from_offset, size_t bytes, unsigned signal) {
  for (; bytes > kMaxPutBytes; bytes -= kMaxPutBytes) {
    gin.put(world, peer, to, to_offset, from, from_offset, kMaxPutBytes);
    to_offset += kMaxPutBytes;
    from_offset += kMaxPutBytes;
  }
  if (bytes > 0)
    gin.put(world, peer, to, to_offset, from, from_offset, bytes, ncclGin_SignalInc{signal});
  else
    gin.signal(world, peer, ncclGin_SignalInc{signal});
}

/// Alltoall with puts through the network (NCCL's GIN): block 0 puts the parts for other ranks, the other
/// blocks copy the rank's own part.
template <class Word>
__global__ void __launch_bounds__(kThreads)
    all_to_all_gin(const __grid_constant__ ncclDevComm comm, const Buffers at, const size_t words) {
  const int ranks = comm.nRanks, rank = comm.rank;
  const size_t bytes = words * sizeof(Word);
  if (blockIdx.x > 0) {
    const Word* send = static_cast<const Word*>(ncclGetLocalPointer(at.send, at.send_offset));
    Word* recv = static_cast<Word*>(ncclGetLocalPointer(at.recv, at.recv_offset));
    copy_words(recv + rank * words, send + rank * words, words,
               size_t{blockIdx.x - 1} * blockDim.x + threadIdx.x, size_t{gridDim.x - 1} * blockDim.x);
    return;
  }
  const ncclGin gin(comm, 0);
  const ncclTeam world = ncclTeamWorld(comm);
  // Read before the barrier: no peer puts for this call until this rank has reached it.
  const uint64_t before = gin.readSignal(kArrivedSignal);
  ncclBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), ncclTeamTagWorld(), gin, 0);
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel, ncclGinFenceLevel::Relaxed);
  for (int k = 1 + static_cast<int>(threadIdx.x); k < ranks; k += kThreads) {
    const int peer = (rank + k) % ranks;
    put(gin, world, peer, at.recv, at.recv_offset + rank * bytes, at.send, at.send_offset + peer * bytes,
        bytes, kArrivedSignal);
  }
  gin.waitSignal(ncclCoopCta(), kArrivedSignal, before + ranks - 1);
  gin.flush(ncclCoopCta());
}

/// Allreduce over GIN. Each block processes a section of the vector in pieces of one part per rank. First
/// every rank puts its elements of a part into scratch memory of the part's owner, which sums them; then the
/// owner puts the sums into all outputs. Counting signals makes further barriers unnecessary: a rank that
/// sends for the next step has received from all others in this one. So it neither overtakes nor overwrites
/// what is still read.
template <class T>
__global__ void __launch_bounds__(kThreads)
    all_reduce_gin(const __grid_constant__ ncclDevComm comm, const Buffers at, const size_t count,
                   const ncclDevResourceHandle_t scratch) {
  const int ranks = comm.nRanks, rank = comm.rank;
  // NCCL from 2.29 on uses the context number unchanged.
  const ncclGin gin(comm, static_cast<int>(blockIdx.x % comm.ginContextCount));
  const ncclTeam world = ncclTeamWorld(comm);
  const unsigned given = kFirstBlockSignal + 2 * blockIdx.x, summed = given + 1;
  uint64_t heard_given = *gin.getSignalShadowPtr(given), heard_summed = *gin.getSignalShadowPtr(summed);

  const T* send = static_cast<const T*>(ncclGetLocalPointer(at.send, at.send_offset));
  T* recv = static_cast<T*>(ncclGetLocalPointer(at.recv, at.recv_offset));
  const size_t slots_at = size_t{blockIdx.x} * ranks * kSlotBytes;
  const char* slots = static_cast<const char*>(ncclGetResourceBufferLocalPointer(comm, scratch)) + slots_at;
  const size_t my_slot = ncclGetResourceBufferOffset(scratch) + slots_at + rank * kSlotBytes;

  const size_t first = count * blockIdx.x / gridDim.x, last = count * (blockIdx.x + 1) / gridDim.x;
  const size_t even = (last - first + ranks - 1) / ranks;
  const size_t part = even < kSlotBytes / sizeof(T) ? even : kSlotBytes / sizeof(T);
  for (size_t piece = first; piece < last; piece += part * ranks) {
    const auto begin_of = [&](int r) { return piece + r * part < last ? piece + r * part : last; };
    const size_t mine = begin_of(rank), mine_end = begin_of(rank + 1);
    for (int k = 1 + static_cast<int>(threadIdx.x); k < ranks; k += kThreads) {
      const int peer = (rank + k) % ranks;
      const size_t begin = begin_of(peer);
      put(gin, world, peer, comm.resourceWindow, my_slot, at.send, at.send_offset + begin * sizeof(T),
          (begin_of(peer + 1) - begin) * sizeof(T), given);
    }
    gin.waitSignal(ncclCoopCta(), given, heard_given += ranks - 1);
    for (size_t element = mine + threadIdx.x; element < mine_end; element += kThreads) {
      const auto value_of = [&](int r) {
        return r == rank ? send[element] : reinterpret_cast<const T*>(slots + r * kSlotBytes)[element - mine];
      };
      Sum<T, T> sum;
      sum.template take<true>(value_of(0));
      for (int r = 1; r < ranks; ++r) sum.template take<false>(value_of(r));
      recv[element] = sum.word();
    }
    __threadfence_system();  // Orders the stores before another thread lets the network read them.
    __syncthreads();
    for (int k = 1 + static_cast<int>(threadIdx.x); k < ranks; k += kThreads)
      put(gin, world, (rank + k) % ranks, at.recv, at.recv_offset + mine * sizeof(T), at.recv,
          at.recv_offset + mine * sizeof(T), (mine_end - mine) * sizeof(T), summed);
    gin.waitSignal(ncclCoopCta(), summed, heard_summed += ranks - 1);
  }
  gin.flush(ncclCoopCta());
  if (threadIdx.x == 0) {
    *gin.getSignalShadowPtr(given) = heard_given;
    *gin.getSignalShadowPtr(summed) = heard_summed;
  }
}

struct Handle {
  CollbenchDeviceFunctions functions;
  void* comm;
  int ranks;
  int reach;
  ncclDevResourceHandle_t scratch;
  ncclDevComm device;
};

int refuse(char* why, size_t why_bytes, const char* sentence) {
  std::snprintf(why, why_bytes, "%s", sentence);
  return -1;
}

/// Returns an ncclDevCommRequirements with the initial values that the NCCL version in use defines.
ncclDevCommRequirements no_requirements() {
#ifdef NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER
  ncclDevCommRequirements wanted = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
#else
  ncclDevCommRequirements wanted{};
#endif
  return wanted;
}

/// Requests network connections from every rank to every other, because puts need them. From NCCL 2.29 on
/// this is a connection type (1 is NCCL_GIN_CONNECTION_FULL); earlier versions have a flag. The overloads
/// select the one that exists.
template <class Requirements>
auto require_full_connections(Requirements& wanted, int) -> decltype(void(wanted.ginConnectionType)) {
  wanted.ginConnectionType = static_cast<decltype(wanted.ginConnectionType)>(1);
}
template <class Requirements>
void require_full_connections(Requirements& wanted, long) {
  wanted.ginForceEnable = true;
}

/// Loads the kernels into the device. CUDA would load them at their first launch, but that must not happen
/// while a CUDA graph is recorded.
template <class T>
cudaError_t load_reductions() {
  const void* const kernels[] = {reinterpret_cast<const void*>(all_reduce_lsa<T, uint4, true>),
                                 reinterpret_cast<const void*>(all_reduce_lsa<T, uint4, false>),
                                 reinterpret_cast<const void*>(all_reduce_lsa<T, T, true>),
                                 reinterpret_cast<const void*>(all_reduce_lsa<T, T, false>),
                                 reinterpret_cast<const void*>(all_reduce_gin<T>)};
  cudaFuncAttributes attributes;
  for (const void* kernel : kernels)
    if (const cudaError_t result = cudaFuncGetAttributes(&attributes, kernel); result != cudaSuccess)
      return result;
  return cudaSuccess;
}

template <class Word>
cudaError_t load_moves() {
  cudaFuncAttributes attributes;
  const cudaError_t result =
      cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(all_to_all_lsa<Word>));
  if (result != cudaSuccess) return result;
  return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(all_to_all_gin<Word>));
}

cudaError_t load_all() {
  for (const auto load :
       {load_reductions<float>, load_reductions<__half>, load_reductions<__nv_bfloat16>, load_moves<uint4>,
        load_moves<uint64_t>, load_moves<uint32_t>, load_moves<uint16_t>, load_moves<uint8_t>})
    if (const cudaError_t result = load(); result != cudaSuccess) return result;
  return cudaSuccess;
}

/// Returns the number of thread blocks for `words` words. It must be equal on all ranks, because block i of a
/// rank has a barrier with block i of the others.
int blocks_for(size_t words) {
  constexpr size_t kPerBlock = 2 * kThreads;
  const size_t wanted = (words + kPerBlock - 1) / kPerBlock;
  return wanted < 1 ? 1 : wanted > kMaxBlocks ? kMaxBlocks : static_cast<int>(wanted);
}

Buffers buffers_of(const CollbenchDeviceCall& call) {
  return {static_cast<ncclWindow_t>(call.send_window), static_cast<ncclWindow_t>(call.recv_window),
          call.send_offset, call.recv_offset};
}

template <class T, class Word>
void reduce_by(const Handle& handle, const CollbenchDeviceCall& call) {
  const auto stream = static_cast<cudaStream_t>(call.stream);
  const size_t ranks = static_cast<size_t>(handle.ranks);
  const size_t words = call.count * sizeof(T) / sizeof(Word);
  const bool in_place = call.send_window == call.recv_window && call.send_offset == call.recv_offset;
  if (!in_place && call.count * sizeof(T) * (ranks - 1) <= kOneShotBytes)
    all_reduce_lsa<T, Word, true>
        <<<blocks_for(words), kThreads, 0, stream>>>(handle.device, buffers_of(call), call.count);
  else
    all_reduce_lsa<T, Word, false>
        <<<blocks_for(words / ranks), kThreads, 0, stream>>>(handle.device, buffers_of(call), call.count);
}

template <class T>
void reduce(const Handle& handle, const CollbenchDeviceCall& call) {
  if (handle.reach == kCollbenchDeviceGin) {
    const size_t wanted = call.count * sizeof(T) / (size_t{64} << 10);
    const int blocks = wanted < 1 ? 1 : wanted > kGinBlocks ? kGinBlocks : static_cast<int>(wanted);
    all_reduce_gin<T><<<blocks, kThreads, 0, static_cast<cudaStream_t>(call.stream)>>>(
        handle.device, buffers_of(call), call.count, handle.scratch);
  } else if ((call.send_offset | call.recv_offset) % sizeof(uint4) == 0) {
    reduce_by<T, uint4>(handle, call);
  } else {
    reduce_by<T, T>(handle, call);
  }
}

template <class Word>
void move(const Handle& handle, const CollbenchDeviceCall& call) {
  const size_t words = call.count * call.element_bytes / sizeof(Word);
  const auto stream = static_cast<cudaStream_t>(call.stream);
  if (handle.reach == kCollbenchDeviceGin)
    all_to_all_gin<Word>
        <<<1 + blocks_for(words), kThreads, 0, stream>>>(handle.device, buffers_of(call), words);
  else
    all_to_all_lsa<Word><<<blocks_for(words), kThreads, 0, stream>>>(handle.device, buffers_of(call), words);
}

/// Runs an alltoall with the longest machine words to which all parts are aligned.
void move_aligned(const Handle& handle, const CollbenchDeviceCall& call) {
  const size_t places = call.send_offset | call.recv_offset | (call.count * call.element_bytes);
  if (places % 16 == 0) return move<uint4>(handle, call);
  if (places % 8 == 0) return move<uint64_t>(handle, call);
  if (places % 4 == 0) return move<uint32_t>(handle, call);
  if (places % 2 == 0) return move<uint16_t>(handle, call);
  move<uint8_t>(handle, call);
}

}  // namespace

#define COLLBENCH_EXPORT extern "C" __attribute__((visibility("default")))

COLLBENCH_EXPORT void collbench_device_destroy(void* opaque, int with_nccl) {
  auto* handle = static_cast<Handle*>(opaque);
  if (with_nccl != 0) handle->functions.destroy(handle->comm, &handle->device);
  delete handle;
}

COLLBENCH_EXPORT int collbench_device_create(const CollbenchDeviceFunctions* functions, void* comm, int ranks,
                                             int reach, void** opaque, char* why, size_t why_bytes) {
  if (ranks > kMaxRanks) {
    std::snprintf(why, why_bytes, "%d ranks are too many for the kernels on NCCL's device API, which take %d",
                  ranks, kMaxRanks);
    return -1;
  }
  if (const cudaError_t result = load_all(); result != cudaSuccess) {
    std::snprintf(why, why_bytes, "the kernels on NCCL's device API do not load on this GPU: %s",
                  cudaGetErrorString(result));
    return -1;
  }
  auto* handle = new (std::nothrow) Handle{*functions, comm, ranks, reach, {}, {}};
  if (handle == nullptr) return refuse(why, why_bytes, "out of memory");
  ncclDevCommRequirements wanted = no_requirements();
  ncclDevResourceRequirements scratch{};
  if (reach == kCollbenchDeviceGin) {
    require_full_connections(wanted, 0);
    wanted.barrierCount = 1;
    wanted.ginSignalCount = kSignals;
    scratch.bufferSize = kGinBlocks * static_cast<size_t>(ranks) * kSlotBytes;
    scratch.bufferAlign = 128;
    scratch.outBufferHandle = &handle->scratch;
    wanted.resourceRequirementsList = &scratch;
  } else {
    wanted.lsaBarrierCount = kMaxBlocks;
  }
  if (const int result = functions->create(comm, &wanted, &handle->device); result != 0) {
    delete handle;
    return result;
  }
  if (reach == kCollbenchDeviceLsa && handle->device.lsaSize != ranks) {
    std::snprintf(why, why_bytes,
                  "loads and stores reach %d of %d ranks: LSA kernels need CUDA P2P between all GPUs "
                  "(transport p2p, one "
                  "machine or one NVLink domain)",
                  handle->device.lsaSize, ranks);
    collbench_device_destroy(handle, 1);
    return -1;
  }
  *opaque = handle;
  return 0;
}

COLLBENCH_EXPORT int collbench_device_launch(void* opaque, const CollbenchDeviceCall* call, char* why,
                                             size_t why_bytes) {
  const Handle& handle = *static_cast<const Handle*>(opaque);
  if (call->collective == kCollbenchDeviceAlltoall)
    move_aligned(handle, *call);
  else if (call->type == kCollbenchDeviceFloat32)
    reduce<float>(handle, *call);
  else if (call->type == kCollbenchDeviceFloat16)
    reduce<__half>(handle, *call);
  else
    reduce<__nv_bfloat16>(handle, *call);
  const cudaError_t result = cudaGetLastError();
  if (result == cudaSuccess) return 0;
  std::snprintf(why, why_bytes, "a kernel on NCCL's device API cannot be launched: %s",
                cudaGetErrorString(result));
  return -1;
}

// The engine looks up these functions by name, so a changed signature must not compile.
static_assert(std::is_same_v<decltype(&collbench_device_create), CollbenchDeviceCreate>);
static_assert(std::is_same_v<decltype(&collbench_device_launch), CollbenchDeviceLaunch>);
static_assert(std::is_same_v<decltype(&collbench_device_destroy), CollbenchDeviceDestroy>);
