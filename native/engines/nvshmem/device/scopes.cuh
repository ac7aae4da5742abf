// One-sided operations by thread, warp or block, many per kernel, so that their time contains no launch.
namespace {

struct OneSided {
  int kind, mover, callers, repeats, window, peer, starts;
  size_t bytes, packet_bytes;
  char* local;
  char* remote;  // Address on this rank that corresponds to the peer's.
  char* far;  // The peer's memory as this rank's loads and stores address it.
  uint64_t* signals;  // Symmetric memory with one signal per caller.
  uint64_t turn;  // Value of the signals before.
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
                                           uint64_t value, int peer, int lane) {
  constexpr int kSet = NVSHMEM_SIGNAL_SET;
  if (bytes == 0) {
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

struct Seat {  // Number of the caller to which a thread belongs, and the thread's position in it.
  int caller, lane, width;
};
template <int kScope>
__device__ __forceinline__ Seat seat() {
  const int width = kScope == kCollbenchNvshmemThread ? 1 : kScope == kCollbenchNvshmemWarp ? 32 : blockDim.x;
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  return {thread / width, thread % width, width};
}

/// Executes one put, get, store, load or fetch-and-add for one caller (a thread, warp or block).
template <int kScope>
__device__ __forceinline__ void operate(const OneSided& work, const Seat& seat) {
  const size_t offset = seat.caller * work.bytes;
  char* const local = work.local + offset;
  char* const remote = work.remote + offset;
  auto* const words = reinterpret_cast<long long*>(local);
  auto* const there = reinterpret_cast<long long*>(remote);
  const size_t count = work.bytes / sizeof(long long);
  switch (work.kind) {
    case kCollbenchNvshmemPut:
      if (work.mover == kCollbenchNvshmemVector)
        copy_words(work.far + offset, local, work.bytes, seat.lane, seat.width);
      else
        put<kScope>(remote, local, work.bytes, work.peer);
      break;
    case kCollbenchNvshmemGet:
      if (work.mover == kCollbenchNvshmemVector)
        copy_words(local, work.far + offset, work.bytes, seat.lane, seat.width);
      else
        get<kScope>(local, remote, work.bytes, work.peer);
      break;
    case kCollbenchNvshmemP:
      for (size_t i = seat.lane; i < count; i += seat.width) nvshmem_longlong_p(there + i, words[i], work.peer);
      break;
    case kCollbenchNvshmemG:
      for (size_t i = seat.lane; i < count; i += seat.width) words[i] = nvshmem_longlong_g(there + i, work.peer);
      break;
    default:
      if (seat.lane == 0)
        *words = nvshmem_ulonglong_atomic_fetch_add(reinterpret_cast<unsigned long long*>(there), 1, work.peer);
  }
}

template <int kScope>
__global__ void __launch_bounds__(kMaxThreads) one_sided(const __grid_constant__ OneSided work) {
  begin_kernel();
  const Seat at = seat<kScope>();
  if (at.caller >= work.callers) return;
  for (int n = 1; n <= work.repeats; ++n) {
    operate<kScope>(work, at);
    if (n % work.window != 0 && n < work.repeats) continue;
    together<kScope>();
    if (at.lane == 0) nvshmem_quiet();
    together<kScope>();
  }
}

/// Round trips of put_signal: one rank puts data with a signal, and the other answers in the same way. With 0
/// bytes only the signal is stored. That avoids the fence between data and signal, which itself takes a round
/// trip.
template <int kScope>
__global__ void __launch_bounds__(kMaxThreads) round_trips(const __grid_constant__ OneSided work) {
  begin_kernel();
  const Seat at = seat<kScope>();
  if (at.caller >= work.callers) return;
  char* const local = work.local + at.caller * work.bytes;
  char* const remote = work.remote + at.caller * work.bytes;
  uint64_t* const signal = work.signals + at.caller;
  for (int n = 1; n <= work.repeats; ++n) {
    if (work.starts != 0)
      put_signal<kScope>(remote, local, work.bytes, signal, work.turn + n, work.peer, at.lane);
    if (at.lane == 0) nvshmem_signal_wait_until(signal, NVSHMEM_CMP_GE, work.turn + n);
    together<kScope>();
    if (work.starts == 0)
      put_signal<kScope>(remote, local, work.bytes, signal, work.turn + n, work.peer, at.lane);
  }
}

/// Puts or gets by bulk copies (TMA). Each block is a caller, and one thread of it does all the work.
__global__ void one_sided_bulk(const __grid_constant__ OneSided work) {
  extern __shared__ __align__(128) char shared[];
  begin_kernel();
  if (threadIdx.x != 0) return;
  const size_t offset = blockIdx.x * work.bytes;
  const bool puts = work.kind == kCollbenchNvshmemPut;
  char* const to = (puts ? work.far : work.local) + offset;
  const char* const from = (puts ? work.local : work.far) + offset;
  const bool aligned = (reinterpret_cast<size_t>(to) | reinterpret_cast<size_t>(from)) % sizeof(uint4) == 0;
  const size_t whole = aligned ? work.bytes / sizeof(uint4) * sizeof(uint4) : 0;
  Bulk bulk(shared, work.packet_bytes);
  for (int n = 1; n <= work.repeats; ++n) {
    bulk.copy(to, from, whole);
    copy_words(to + whole, from + whole, work.bytes - whole, 0, 1);
    if (n % work.window != 0 && n < work.repeats) continue;
    bulk.complete();
    nvshmem_quiet();
  }
}

/// Tells the peer, by one thread, that all work before this kernel on the stream is complete.
__global__ void notify(const __grid_constant__ OneSided work) {
  begin_kernel();
  nvshmem_quiet();
  nvshmemx_signal_op(work.signals, work.turn + 1, NVSHMEM_SIGNAL_SET, work.peer);
}
__global__ void await(const __grid_constant__ OneSided work) {
  begin_kernel();
  nvshmem_signal_wait_until(work.signals, NVSHMEM_CMP_GE, work.turn + 1);
  __threadfence_system();
}

constexpr int kMaxCallers = 1 << 16;

/// Queues one launch of one-sided operations on the stream in `wanted`.
/// @param turn value of the signals (counters in symmetric memory) before the launch; raised by the number of
/// signals that the launch sends or awaits, which is equal on both ranks
cudaError_t queue_one_sided(const World& world, const CollbenchNvshmemOneSided& wanted, uint64_t* signals,
                            uint64_t& turn) {
  const auto stream = static_cast<cudaStream_t>(wanted.stream);
  OneSided work{};
  work.kind = wanted.kind;
  work.mover = wanted.mover;
  work.callers = wanted.callers;
  work.repeats = wanted.repeats;
  work.window = wanted.window;
  work.peer = wanted.peer;
  work.starts = wanted.starts;
  work.bytes = wanted.bytes;
  work.packet_bytes = wanted.packet_bytes;
  work.local = static_cast<char*>(wanted.local);
  work.remote = static_cast<char*>(wanted.remote);
  work.far = work.remote + world.to[wanted.peer];
  work.signals = signals;
  work.turn = turn;
  const bool copies = wanted.kind == kCollbenchNvshmemPut || wanted.kind == kCollbenchNvshmemGet;
  if (copies && wanted.mover == kCollbenchNvshmemCopyEngine) {
    const bool puts = wanted.kind == kCollbenchNvshmemPut;
    for (int n = 0; n < wanted.repeats; ++n)
      if (const cudaError_t failed = cudaMemcpyAsync(puts ? work.far : work.local, puts ? work.local : work.far,
                                                     wanted.callers * wanted.bytes, cudaMemcpyDefault, stream);
          failed != cudaSuccess)
        return failed;
    return cudaSuccess;
  }
  if (copies && wanted.mover == kCollbenchNvshmemBulk) {
    if (wanted.packet_bytes == 0 || wanted.packet_bytes > kMaxBulk || wanted.packet_bytes % sizeof(uint4) != 0)
      return cudaErrorInvalidValue;
    const size_t shared = bulk_shared(wanted.packet_bytes);
    const cudaError_t allowed = cudaFuncSetAttribute(one_sided_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                     static_cast<int>(bulk_shared(kMaxBulk)));
    if (allowed != cudaSuccess) return allowed;
    return start_with(shared, one_sided_bulk, {wanted.callers, 32, 0}, stream, work);
  }
  if (wanted.kind == kCollbenchNvshmemNotify || wanted.kind == kCollbenchNvshmemAwait) {
    ++turn;
    return start(wanted.kind == kCollbenchNvshmemNotify ? notify : await, {1, 1, 0}, stream, work);
  }
  constexpr int kThreads = 256;
  const bool is_block = wanted.scope == kCollbenchNvshmemBlock;
  const int width = wanted.scope == kCollbenchNvshmemWarp ? 32 : 1;
  const int lanes = wanted.callers * width;
  const int threads = is_block ? wanted.threads : lanes < kThreads ? lanes : kThreads;
  const CollbenchNvshmemPoint point{is_block ? wanted.callers : (lanes + threads - 1) / threads, threads, 0};
  const bool answers = wanted.kind == kCollbenchNvshmemPutSignal;
  if (answers) turn += static_cast<uint64_t>(wanted.repeats);
  switch (wanted.scope) {
    case kCollbenchNvshmemThread:
      return start(answers ? round_trips<kCollbenchNvshmemThread> : one_sided<kCollbenchNvshmemThread>, point,
                   stream, work);
    case kCollbenchNvshmemWarp:
      return start(answers ? round_trips<kCollbenchNvshmemWarp> : one_sided<kCollbenchNvshmemWarp>, point,
                   stream, work);
    default:
      return start(answers ? round_trips<kCollbenchNvshmemBlock> : one_sided<kCollbenchNvshmemBlock>, point,
                   stream, work);
  }
}

}  // namespace
