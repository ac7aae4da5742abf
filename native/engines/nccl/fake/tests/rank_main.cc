// One rank as a separate process: fake_rank SCENARIO RANK RANKS ID. Exit code 0 = the scenario went as
// described.
//   sum        three allreduces, checked
//   survivor   allreduces until a peer is lost, then aborts: the stream must become idle
//   log        one allreduce and a send around the ring, for the log of NCCL_DEBUG
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "engines/nccl/fake/tests/ranks.h"

using namespace fake_test;

namespace {

int sum(FakeRank& rank) {
  for (int round = 0; round < 3; ++round) {
    auto* value = rank.upload<int>({rank.rank + 1});
    must(nccl().all_reduce(value, value, 1, kInt32, kSum, rank.comm, rank.stream), "ncclAllReduce");
    if (rank.download<int>(value, 1)[0] != rank.ranks * (rank.ranks + 1) / 2) return 1;
  }
  return 0;
}

int survivor(FakeRank& rank) {
  auto* value = static_cast<int*>(rank.memory(4));
  int state = 0;
  while (state == 0) {
    must(nccl().all_reduce(value, value, 1, kInt32, kSum, rank.comm, rank.stream), "ncclAllReduce");
    while (state == 0 && cuda().stream_query(rank.stream) == kNotReady)
      must(nccl().async_error(rank.comm, &state), "ncclCommGetAsyncError");
  }
  if (state != kRemoteError) return 1;
  if (cuda().stream_query(rank.stream) != kNotReady) return 2;
  must(nccl().abort(rank.comm), "ncclCommAbort");
  rank.comm = nullptr;
  return rank.drain();
}

int log(FakeRank& rank) {
  auto* value = static_cast<int*>(rank.memory(8));
  must(nccl().all_reduce(value, value, 2, kInt32, kSum, rank.comm, rank.stream), "ncclAllReduce");
  must(nccl().group_start(), "ncclGroupStart");
  must(nccl().send(value, 1, kInt32, (rank.rank + 1) % rank.ranks, rank.comm, rank.stream), "ncclSend");
  must(nccl().recv(value + 1, 1, kInt32, (rank.rank + rank.ranks - 1) % rank.ranks, rank.comm, rank.stream),
       "ncclRecv");
  must(nccl().group_end(), "ncclGroupEnd");
  return rank.drain();
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return 64;
  const std::string scenario = words[1];
  NcclUniqueId id{};
  std::strncpy(id.internal, words[4], sizeof id.internal - 1);
  FakeRank rank(std::atoi(words[2]), std::atoi(words[3]), id);
  if (const int result = rank.init(); result != 0) return 100 + result;
  return scenario == "sum" ? sum(rank) : scenario == "survivor" ? survivor(rank) : log(rank);
}
