// Functions that the engine calls.
namespace {

struct Handle {
  World world;
  int reached;
  uint64_t* mail_signals;  // Signals for messages.cuh.
  uint64_t* scope_signals;  // Signals for scopes.cuh.
  uint64_t scope_turn;
  std::vector<uint64_t> sent, received;  // Sequences of messages so far, by peer.
};

int refuse(char* why, size_t why_bytes, const char* what, const char* reason) {
  std::snprintf(why, why_bytes, "%s: %s", what, reason);
  return -1;
}

template <class T>
cudaError_t all_reduce(const World& world, const CollbenchNvshmemCall& call) {
  const size_t bytes = call.count * sizeof(T);
  const size_t words = (bytes + sizeof(uint4) - 1) / sizeof(uint4);
  const auto* send = static_cast<const uint4*>(call.send);
  auto* recv = static_cast<uint4*>(call.recv);
  const size_t pairs = (bytes + sizeof(uint2) - 1) / sizeof(uint2);
  const size_t per = (pairs + call.point.blocks - 1) / call.point.blocks;
  const bool fits = per <= kPackets;
  switch (call.algorithm) {
    case kCollbenchNvshmemOneShot:
      if (fits)
        return start(one_shot_packets<T>, call.point, call.stream, world,
                     reinterpret_cast<const uint2*>(send), reinterpret_cast<uint2*>(recv),
                     static_cast<int>(pairs), static_cast<int>(per), call.op);
      return start(shot_direct<T, false>, call.point, call.stream, world, send, recv, words, call.op);
    case kCollbenchNvshmemTwoShot:
      if (fits)
        return start(two_shot_packets<T>, call.point, call.stream, world,
                     reinterpret_cast<const uint2*>(send), reinterpret_cast<uint2*>(recv),
                     static_cast<int>(pairs), static_cast<int>(per), call.op);
      return start(shot_direct<T, true>, call.point, call.stream, world, send, recv, words, call.op);
    case kCollbenchNvshmemSimpleRing:
      return start(simple_ring<T>, call.point, call.stream, world, send, recv, words,
                   call.point.packet_bytes, call.op);
    case kCollbenchNvshmemTree:
      return start(tree<T>, call.point, call.stream, world, send, recv, words, call.point.packet_bytes,
                   call.op);
    default:
      return start(ring<T>, call.point, call.stream, world, send, recv, words, call.point.packet_bytes,
                   call.op, call.algorithm == kCollbenchNvshmemAlternatingRings ? 1 : 0);
  }
}

bool aligned_to(size_t bytes, const CollbenchNvshmemCall& call) {
  return (reinterpret_cast<size_t>(call.send) | reinterpret_cast<size_t>(call.recv) |
          (call.count * call.element_bytes)) %
             bytes ==
         0;
}

template <class T>
cudaError_t reduce(const World& world, const CollbenchNvshmemCall& call) {
  if (call.collective == kCollbenchNvshmemAllreduce) return all_reduce<T>(world, call);
  if (aligned_to(sizeof(uint4), call))
    return start(take_part<T, uint4>, call.point, call.stream, world, static_cast<const uint4*>(call.send),
                 static_cast<uint4*>(call.recv), call.count * sizeof(T) / sizeof(uint4), call.op);
  return start(take_part<T, T>, call.point, call.stream, world, static_cast<const T*>(call.send),
               static_cast<T*>(call.recv), call.count, call.op);
}

template <class Word>
cudaError_t move(const World& world, const CollbenchNvshmemCall& call) {
  return start(give_parts<Word>, call.point, call.stream, world, static_cast<const Word*>(call.send),
               static_cast<Word*>(call.recv), call.count * call.element_bytes / sizeof(Word), call.collective,
               call.root);
}

cudaError_t own_call(const World& world, const CollbenchNvshmemCall& call) {
  if (call.collective != kCollbenchNvshmemAllreduce && call.collective != kCollbenchNvshmemReducescatter) {
    if (aligned_to(16, call)) return move<uint4>(world, call);
    return aligned_to(4, call) ? move<uint32_t>(world, call) : move<uint8_t>(world, call);
  }
  switch (call.type) {
    case kCollbenchNvshmemFloat16:
      return reduce<__half>(world, call);
    case kCollbenchNvshmemBfloat16:
      return reduce<__nv_bfloat16>(world, call);
    case kCollbenchNvshmemFloat64:
      return reduce<double>(world, call);
    case kCollbenchNvshmemInt32:
      return reduce<int32_t>(world, call);
    case kCollbenchNvshmemInt64:
      return reduce<int64_t>(world, call);
    default:
      return reduce<float>(world, call);
  }
}

/// Allocates symmetric memory and fills it with zeros before any rank returns; null if none is left. All
/// ranks must call it together.
void* allocate_zeroed(size_t bytes) {
  void* const memory = nvshmem_malloc(bytes);
  if (memory == nullptr) return nullptr;
  cudaMemset(memory, 0, bytes);
  cudaDeviceSynchronize();
  nvshmem_barrier_all();
  return memory;
}

}  // namespace

#define COLLBENCH_EXPORT extern "C" __attribute__((visibility("default")))

COLLBENCH_EXPORT size_t collbench_nvshmem_id_bytes() { return sizeof(nvshmemx_uniqueid_t); }

COLLBENCH_EXPORT int collbench_nvshmem_make_id(void* id, char* why, size_t why_bytes) {
  nvshmemx_uniqueid_t made = NVSHMEMX_UNIQUEID_INITIALIZER;
  if (nvshmemx_get_uniqueid(&made) != 0) return refuse(why, why_bytes, "nvshmemx_get_uniqueid", "no unique id");
  std::memcpy(id, &made, sizeof made);
  return 0;
}

COLLBENCH_EXPORT void collbench_nvshmem_version(char* text, size_t bytes) {
  int major = 0, minor = 0, patch = 0;
  nvshmemx_vendor_get_version_info(&major, &minor, &patch);
  std::snprintf(text, bytes, "%d.%d.%d", major, minor, patch);
}

COLLBENCH_EXPORT void collbench_nvshmem_destroy(void* opaque, int orderly) {
  auto* handle = static_cast<Handle*>(opaque);
  if (handle == nullptr) return;
  if (orderly != 0) {
    cudaFree(handle->world.notes);
    nvshmem_free(handle->world.peer_flags);
    nvshmem_free(handle->world.packets);
    nvshmem_free(handle->world.slots);
    nvshmem_free(handle->mail_signals);
    nvshmem_free(handle->scope_signals);
    nvshmem_finalize();
  }
  delete handle;
}

COLLBENCH_EXPORT int collbench_nvshmem_create(const void* id, int rank, int ranks, void** opaque, char* why,
                                              size_t why_bytes) {
  nvshmemx_uniqueid_t given = NVSHMEMX_UNIQUEID_INITIALIZER;
  std::memcpy(&given, id, sizeof given);
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  if (nvshmemx_set_attr_uniqueid_args(rank, ranks, &given, &attributes) != 0 ||
      nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes) != 0)
    return refuse(why, why_bytes, "nvshmemx_init_attr", "NVSHMEM does not start; NVSHMEM_DEBUG=WARN says more");
  auto* handle = new (std::nothrow) Handle{};
  if (handle == nullptr) return refuse(why, why_bytes, "the nvshmem engine", "out of memory");
  World& world = handle->world;
  world.rank = rank;
  world.ranks = ranks;
  handle->sent.resize(ranks);
  handle->received.resize(ranks);
  world.peer_flags = static_cast<PeerFlags*>(allocate_zeroed(sizeof(PeerFlags)));
  world.packets = static_cast<uint4*>(allocate_zeroed(packets_bytes(ranks)));
  world.slots = static_cast<char*>(allocate_zeroed(slots_bytes()));
  handle->mail_signals =
      static_cast<uint64_t*>(allocate_zeroed(size_t{kMaxBlocks} * ranks * sizeof(uint64_t)));
  handle->scope_signals = static_cast<uint64_t*>(allocate_zeroed(kMaxCallers * sizeof(uint64_t)));
  if (world.peer_flags == nullptr || world.packets == nullptr || world.slots == nullptr ||
      handle->mail_signals == nullptr || handle->scope_signals == nullptr)
    return refuse(why, why_bytes, "nvshmem_malloc", "no symmetric memory for the kernels' own use");
  if (cudaMalloc(reinterpret_cast<void**>(&world.notes), sizeof(Notes)) != cudaSuccess ||
      cudaMemset(world.notes, 0, sizeof(Notes)) != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess)
    return refuse(why, why_bytes, "cudaMalloc", cudaGetErrorString(cudaGetLastError()));
  for (int peer = 0; peer < ranks && ranks <= kMaxRanks; ++peer) {
    char* const there = static_cast<char*>(nvshmem_ptr(world.peer_flags, peer));
    if (there == nullptr) continue;
    world.to[peer] = there - reinterpret_cast<char*>(world.peer_flags);
    if (peer != rank) ++handle->reached;
  }
  *opaque = handle;
  return 0;
}

COLLBENCH_EXPORT int collbench_nvshmem_reached(void* handle) { return static_cast<Handle*>(handle)->reached; }
COLLBENCH_EXPORT void* collbench_nvshmem_allocate(void*, size_t bytes) { return allocate_zeroed(bytes); }
COLLBENCH_EXPORT void collbench_nvshmem_free(void*, void* memory) { nvshmem_free(memory); }

COLLBENCH_EXPORT int collbench_nvshmem_launch(void* opaque, const CollbenchNvshmemCall* call, char* why,
                                              size_t why_bytes) {
  const Handle& handle = *static_cast<const Handle*>(opaque);
  if (call->algorithm == kCollbenchNvshmemVendor)
    return vendor_call(*call) == 0 ? 0 : refuse(why, why_bytes, "NVSHMEM", "a collective on a stream failed");
  if (call->point.blocks < 1 || call->point.blocks > kMaxBlocks || call->point.threads < 32 ||
      call->point.threads > kMaxThreads || call->point.packet_bytes < sizeof(uint4) ||
      call->point.packet_bytes > kSlotBytes)
    return refuse(why, why_bytes, "the kernels on NVSHMEM", "no such grid, block or packet");
  const cudaError_t result = own_call(handle.world, *call);
  return result == cudaSuccess ? 0
                               : refuse(why, why_bytes, "a kernel on NVSHMEM cannot be launched",
                                        cudaGetErrorString(result));
}

COLLBENCH_EXPORT int collbench_nvshmem_transfer(void* opaque, const CollbenchNvshmemTransfer* transfer,
                                                char* why, size_t why_bytes) {
  Handle& handle = *static_cast<Handle*>(opaque);
  Mail mail{};
  mail.lots = transfer->lots;
  mail.signal = transfer->signal;
  mail.packet_bytes = transfer->point.packet_bytes;
  mail.signals = handle.mail_signals;
  std::memcpy(mail.lot, transfer->lot, sizeof mail.lot);
  for (int n = 0; n < mail.lots; ++n) {
    const CollbenchNvshmemLot& lot = mail.lot[n];
    uint64_t& sequences = (lot.from != nullptr ? handle.sent : handle.received)[lot.peer];
    if (lot.first == 0) ++sequences;
    mail.turn[n] = sequences;
  }
  const cudaError_t result =
      start(move_lots, transfer->point, transfer->stream, mail, handle.world.rank);
  return result == cudaSuccess ? 0
                               : refuse(why, why_bytes, "the kernel for messages cannot be launched",
                                        cudaGetErrorString(result));
}

COLLBENCH_EXPORT int collbench_nvshmem_one_sided(void* opaque, const CollbenchNvshmemOneSided* wanted,
                                                 char* why, size_t why_bytes) {
  Handle& handle = *static_cast<Handle*>(opaque);
  if (wanted->callers > kMaxCallers) return refuse(why, why_bytes, "callers", "65536 at most");
  const cudaError_t result = queue_one_sided(handle.world, *wanted, handle.scope_signals, handle.scope_turn);
  return result == cudaSuccess ? 0
                               : refuse(why, why_bytes, "one-sided operations cannot be launched",
                                        cudaGetErrorString(result));
}

// The engine looks up these functions by name, so a changed signature must not compile.
static_assert(std::is_same_v<decltype(&collbench_nvshmem_make_id), CollbenchNvshmemMakeId>);
static_assert(std::is_same_v<decltype(&collbench_nvshmem_create), CollbenchNvshmemCreate>);
static_assert(std::is_same_v<decltype(&collbench_nvshmem_launch), CollbenchNvshmemLaunch>);
static_assert(std::is_same_v<decltype(&collbench_nvshmem_transfer), CollbenchNvshmemMove>);
static_assert(std::is_same_v<decltype(&collbench_nvshmem_one_sided), CollbenchNvshmemReach>);
static_assert(std::is_same_v<decltype(&collbench_nvshmem_destroy), CollbenchNvshmemDestroy>);
