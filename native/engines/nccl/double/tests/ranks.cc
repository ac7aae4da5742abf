#include "engines/nccl/double/tests/ranks.h"

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace double_test {

void must(int result, const char* what) {
  if (result == 0) return;
  std::fprintf(stderr, "%s: %d, last NCCL error: %s\n", what, result, library().nccl.last_error(nullptr));
  std::abort();
}

NcclUniqueId make_id() {
  NcclUniqueId id;
  must(library().nccl.get_unique_id(&id), "ncclGetUniqueId");
  return id;
}

Rank::Rank(int its_rank, int its_ranks, const NcclUniqueId& id, int device)
    : rank(its_rank), ranks(its_ranks), id_(id), device_(device < 0 ? its_rank : device) {
  const CudaApi& cuda = library().cuda;
  void* context = nullptr;
  must(cuda.context_retain(&context, device_), "cuDevicePrimaryCtxRetain");
  must(cuda.context_use(context), "cuCtxSetCurrent");
  must(cuda.stream_create(&stream, 1), "cuStreamCreate");
}

Rank::~Rank() {
  const CudaApi& cuda = library().cuda;
  if (comm != nullptr) library().nccl.destroy(comm);
  cuda.stream_destroy(stream);
  for (const std::uint64_t at : memory_) cuda.free(at);
  cuda.context_release(device_);
}

int Rank::init(NcclConfig config) { return library().nccl.init_rank(&comm, ranks, id_, rank, &config); }

int Rank::settle(NcclComm* which) const {
  int state = kInProgress;
  while (state == kInProgress) must(library().nccl.async_error(which, &state), "ncclCommGetAsyncError");
  return state;
}

void* Rank::memory(std::size_t bytes) {
  std::uint64_t at = 0;
  must(library().cuda.allocate(&at, bytes), "cuMemAlloc");
  memory_.push_back(at);
  return reinterpret_cast<void*>(at);
}

void Rank::copy_in(void* at, const void* from, std::size_t bytes) const {
  must(library().cuda.copy_to_device(reinterpret_cast<std::uint64_t>(at), from, bytes, stream), "copy");
}

void Rank::copy_out(void* to, const void* at, std::size_t bytes) const {
  must(library().cuda.copy_to_host(to, reinterpret_cast<std::uint64_t>(at), bytes, stream), "copy");
  must(drain(), "cuStreamSynchronize");
}

int Rank::drain() const { return library().cuda.stream_synchronize(stream); }

void with_bare_ranks(int ranks, const std::function<void(Rank&)>& body, const std::vector<int>& devices) {
  const NcclUniqueId id = make_id();
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      Rank rank(r, ranks, id, devices.empty() ? -1 : devices[static_cast<std::size_t>(r)]);
      body(rank);
    });
  for (std::thread& thread : threads) thread.join();
}

void with_ranks(int ranks, const std::function<void(Rank&)>& body) {
  with_bare_ranks(ranks, [&](Rank& rank) {
    must(rank.init(), "ncclCommInitRankConfig");
    body(rank);
  });
}

}  // namespace double_test
