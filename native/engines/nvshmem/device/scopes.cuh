// One-sided operations by thread, warp or block, many in one kernel: no launch is in their time.
namespace {

struct OneSided {
  int kind, callers, repeats, peer, starts, rank;
  size_t bytes;
  char* local;
  char* remote;
  uint64_t* signals;  // symmetric, one for each caller
  uint64_t turn;      // value of the signals before
};

template <int kScope>
__device__ __forceinline__ void put(char* to, const char* from, size_t bytes, int peer) {
  if (kScope == kCollbenchNvshmemThread) nvshmem_putmem_nbi(to, from, bytes, peer);
  if (kScope == kCollbenchNvshmemWarp) nvshmemx_putmem_nbi_warp(to, from, bytes, peer);
  if (kScope == kCollbenchNvshmemBlock) nvshmemx_putmem_nbi_block(to, from, bytes, peer);
}
template <int kScope>
__device__ __forceinline__ void get(char* to, const char* from, size_t bytes, int peer) {
  if (kScope == kCollbenchNvshmemThread) nvshmem_getmem_nbi(to, from, bytes, peer);
  if (kScope == kCollbenchNvshmemWarp) nvshmemx_getmem_nbi_warp(to, from, bytes, peer);
  if (kScope == kCollbenchNvshmemBlock) nvshmemx_getmem_nbi_block(to, from, bytes, peer);
}
template <int kScope>
__device__ __forceinline__ void put_signal(char* to, const char* from, size_t bytes, uint64_t* signal,
                                           uint64_t value, int peer) {
  constexpr int kSet = NVSHMEM_SIGNAL_SET;
  if (bytes == 0) {  // nothing to wait for before the signal
    const int lane = kScope == kCollbenchNvshmemThread ? 0 : kScope == kCollbenchNvshmemWarp ? threadIdx.x % 32 : threadIdx.x;
    if (lane == 0) nvshmemx_signal_op(signal, value, kSet, peer);
    return;
  }
  if (kScope == kCollbenchNvshmemThread) nvshmem_putmem_signal(to, from, bytes, signal, value, kSet, peer);
  if (kScope == kCollbenchNvshmemWarp)
    nvshmemx_putmem_signal_warp(to, from, bytes, signal, value, kSet, peer);
  if (kScope == kCollbenchNvshmemBlock)
    nvshmemx_putmem_signal_block(to, from, bytes, signal, value, kSet, peer);
}
template <int kScope>
__device__ __forceinline__ void together() {
  if (kScope == kCollbenchNvshmemWarp) __syncwarp();
  if (kScope == kCollbenchNvshmemBlock) __syncthreads();
}

template <int kScope>
__global__ void __launch_bounds__(kMostThreads) one_sided(const __grid_constant__ OneSided work) {
  begin_kernel();
  const int width = kScope == kCollbenchNvshmemThread ? 1 : kScope == kCollbenchNvshmemWarp ? 32 : blockDim.x;
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int caller = thread / width, lane = thread % width;
  if (caller >= work.callers) return;
  char* const local = work.local + caller * work.bytes;
  char* const remote = work.remote + caller * work.bytes;
  auto* const words = reinterpret_cast<long long*>(local);
  auto* const far = reinterpret_cast<long long*>(remote);
  const size_t count = work.bytes / sizeof(long long);
  uint64_t* const signal = work.signals + caller;
  for (int n = 1; n <= work.repeats; ++n) {
    switch (work.kind) {
      case kCollbenchNvshmemPut:
        put<kScope>(remote, local, work.bytes, work.peer);
        break;
      case kCollbenchNvshmemGet:
        get<kScope>(local, remote, work.bytes, work.peer);
        break;
      case kCollbenchNvshmemP:
        for (size_t i = lane; i < count; i += width) nvshmem_longlong_p(far + i, words[i], work.peer);
        break;
      case kCollbenchNvshmemG:
        for (size_t i = lane; i < count; i += width) words[i] = nvshmem_longlong_g(far + i, work.peer);
        break;
      case kCollbenchNvshmemFetchAdd:
        if (lane == 0)
          *words = nvshmem_ulonglong_atomic_fetch_add(reinterpret_cast<unsigned long long*>(far), 1, work.peer);
        break;
      default:
        if (work.starts != 0)
          put_signal<kScope>(remote, local, work.bytes, signal, work.turn + n, work.peer);
        if (lane == 0) nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, work.turn + n);
        together<kScope>();
        if (work.starts == 0)
          put_signal<kScope>(remote, local, work.bytes, signal, work.turn + n, work.peer);
        continue;
    }
    together<kScope>();
    if (lane == 0) nvshmem_quiet();
    together<kScope>();
  }
}

}  // namespace
