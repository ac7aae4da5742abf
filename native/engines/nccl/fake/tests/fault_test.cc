#include <doctest/doctest.h>

#include "engines/nccl/fake/tests/ranks.h"

using namespace fake_test;

namespace {

/// Returns what six sums of 1 over two ranks leave in a buffer that held -1.
std::vector<int> six_sums(FakeRank& rank) {
  int* one = rank.upload<int>({1});
  std::vector<int> results;
  for (int i = 0; i < 6; ++i) {
    int* result = rank.upload<int>({-1});
    must(nccl().all_reduce(one, result, 1, kInt32, kSum, rank.comm, rank.stream), "ncclAllReduce");
    results.push_back(rank.download<int>(result, 1)[0]);
  }
  return results;
}

}  // namespace

TEST_CASE("drop leaves a receive buffer untouched, and nobody is told") {
  const Variable fault("NCCL_FAKE_FAULT", "drop:2");
  with_ranks(2, [](FakeRank& rank) {
    CHECK(six_sums(rank) ==
          (rank.rank == 1 ? std::vector<int>{2, -1, 2, -1, 2, -1} : std::vector<int>{2, 2, 2, 2, 2, 2}));
    int state = -1;
    CHECK(nccl().async_error(rank.comm, &state) == 0);
    CHECK(state == 0);
  });
}

TEST_CASE("bit-flip spoils one bit") {
  const Variable fault("NCCL_FAKE_FAULT", "bit-flip");
  with_ranks(2, [](FakeRank& rank) {
    const int flipped = 2 ^ 1 << 16;  // The flip is in the middle byte.
    CHECK(six_sums(rank) == (rank.rank == 1 ? std::vector<int>{2, 2, flipped, 2, 2, flipped}
                                            : std::vector<int>{2, 2, 2, 2, 2, 2}));
  });
}

TEST_CASE("a rank that hangs holds its stream and its peers' until they abort") {
  const Variable fault("NCCL_FAKE_FAULT", "hang:1:1");
  with_ranks(2, [](FakeRank& rank) {
    int* value = rank.upload<int>({1});
    must(rank.drain(), "cuStreamSynchronize");
    must(nccl().all_reduce(value, value, 1, kInt32, kSum, rank.comm, rank.stream), "ncclAllReduce");
    CHECK(cuda().stream_query(rank.stream) == kNotReady);
    int state = -1;
    CHECK(nccl().async_error(rank.comm, &state) == 0);
    CHECK(nccl().abort(rank.comm) == 0);
    CHECK(nccl().async_error(rank.comm, &state) == kInvalidArgument);
    rank.comm = nullptr;
    CHECK(rank.drain() == 0);
  });
}

TEST_CASE("a communicator can be made anew after an abort") {
  const NcclUniqueId second = make_id();
  with_ranks(2, [&](FakeRank& rank) {
    CHECK(nccl().abort(rank.comm) == 0);
    FakeRank again(rank.rank, 2, second);
    CHECK(again.init() == 0);
    CHECK(six_sums(again) == std::vector<int>(6, 2));
    rank.comm = nullptr;
  });
}

TEST_CASE("an init that waits for a rank which never comes can be aborted") {
  FakeRank rank(0, 2, make_id());
  NcclConfig config;
  config.blocking = 0;
  CHECK(rank.init(config) == kInProgress);
  int state = 0;
  CHECK(nccl().async_error(rank.comm, &state) == 0);
  CHECK(state == kInProgress);
  CHECK(nccl().abort(rank.comm) == 0);
  rank.comm = nullptr;
}

TEST_CASE("memory that is not the device's spoils the device, not the process") {
  with_ranks(1, [](FakeRank& rank) {
    int host = 0;
    CHECK(nccl().all_reduce(&host, &host, 1, kInt32, kSum, rank.comm, rank.stream) == 0);
    CHECK(rank.drain() == kIllegalAddress);
  });
}

TEST_CASE("a fault that is not known is refused, and one with too few, too many or impossible numbers") {
  for (const char* word : {"drop:often",
                           "drop:0",
                           "drop:1:2",
                           "drop:",
                           "bit-flip:0",
                           "fallback:7",
                           "detour:1",
                           "async-error",
                           "async-error:0",
                           "hang",
                           "hang:1",
                           "hang:1:0",
                           "hang:1:2:3",
                           "hang:-1:2",
                           "die:1",
                           "die:1:0",
                           "die:1:99999999999",
                           "die:1:2x",
                           "explode",
                           "drop,,detour",
                           "drop,"}) {
    INFO(word);
    const Variable fault("NCCL_FAKE_FAULT", word);
    with_bare_ranks(1, [](FakeRank& rank) { CHECK(rank.init() == kInvalidUsage); });
  }
}

TEST_CASE("faults stand in a list, and without number where they may") {
  for (const char* words : {"", "drop", "drop:2", "bit-flip:7,detour", "async-error:9,hang:0:8,die:3:9"}) {
    INFO(words);
    const Variable fault("NCCL_FAKE_FAULT", words);
    with_bare_ranks(1, [](FakeRank& rank) { CHECK(rank.init() == 0); });
  }
}
