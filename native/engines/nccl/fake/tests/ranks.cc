#include "engines/nccl/fake/tests/ranks.h"

#include <thread>

namespace fake_test {

const collbench::nccl::NcclApi& nccl() {
  cuda();
  return collbench::nccl::open_nccl(FAKE_NCCL);
}

NcclUniqueId make_id() {
  NcclUniqueId id;
  must(nccl().get_unique_id(&id), "ncclGetUniqueId");
  return id;
}

FakeRank::FakeRank(int its_rank, int its_ranks, const NcclUniqueId& id, int device)
    : OnDevice(device < 0 ? its_rank : device), rank(its_rank), ranks(its_ranks), id_(id) {}

FakeRank::~FakeRank() {
  if (comm != nullptr) nccl().destroy(comm);
}

int FakeRank::init(NcclConfig config) { return nccl().init_rank(&comm, ranks, id_, rank, &config); }

int FakeRank::settle(NcclComm* which) const {
  int state = kInProgress;
  while (state == kInProgress) must(nccl().async_error(which, &state), "ncclCommGetAsyncError");
  return state;
}

void with_bare_ranks(int ranks, const std::function<void(FakeRank&)>& body, const std::vector<int>& devices) {
  const NcclUniqueId id = make_id();
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r)
    threads.emplace_back([&, r] {
      FakeRank rank(r, ranks, id, devices.empty() ? -1 : devices[static_cast<std::size_t>(r)]);
      body(rank);
    });
  for (std::thread& thread : threads) thread.join();
}

void with_ranks(int ranks, const std::function<void(FakeRank&)>& body) {
  with_bare_ranks(ranks, [&](FakeRank& rank) {
    must(rank.init(), "ncclCommInitRankConfig");
    body(rank);
  });
}

}  // namespace fake_test
