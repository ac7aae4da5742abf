// Tests of groups, splits, non-blocking communicators, registration, and calls that are refused.
#include <doctest/doctest.h>

#include <numeric>
#include <thread>

#include "engines/nccl/fake/tests/ranks.h"

using namespace fake_test;

namespace {

int sum_of_ranks(FakeRank& rank, NcclComm* comm) {
  int* value = rank.upload<int>({rank.rank + 1});
  const int result = nccl().all_reduce(value, value, 1, kInt32, kSum, comm, rank.stream);
  if (result == kInProgress)
    must(rank.settle(comm), "ncclCommGetAsyncError");
  else
    must(result, "ncclAllReduce");
  return rank.download<int>(value, 1)[0];
}

}  // namespace

TEST_CASE("sends and receives of a group go together, whatever their order") {
  with_ranks(4, [](FakeRank& rank) {
    const int next = (rank.rank + 1) % 4, before = (rank.rank + 3) % 4;
    constexpr std::size_t kCount = 300'000;  // More elements than a socket buffers.
    std::vector<int> values(kCount, rank.rank);
    int* send = rank.upload(values);
    auto* recv = static_cast<int*>(rank.memory(2 * kCount * sizeof(int)));
    must(nccl().group_start(), "ncclGroupStart");
    must(nccl().send(send, kCount, kInt32, next, rank.comm, rank.stream), "ncclSend");
    must(nccl().group_start(), "ncclGroupStart");
    must(nccl().recv(recv, kCount, kInt32, before, rank.comm, rank.stream), "ncclRecv");
    must(nccl().group_end(), "ncclGroupEnd");
    must(nccl().recv(recv + kCount, 1, kInt32, rank.rank, rank.comm, rank.stream), "ncclRecv");
    must(nccl().send(send, 1, kInt32, rank.rank, rank.comm, rank.stream), "ncclSend");
    must(nccl().group_end(), "ncclGroupEnd");
    CHECK(rank.download<int>(recv, kCount) == std::vector<int>(kCount, before));
    CHECK(rank.download<int>(recv + kCount, 1)[0] == rank.rank);
    CHECK(nccl().group_end() == kInvalidUsage);
  });
}

TEST_CASE("several calls of a group run in their order") {
  with_ranks(2, [](FakeRank& rank) {
    int* value = rank.upload<int>({1});
    must(nccl().group_start(), "ncclGroupStart");
    for (int i = 0; i < 5; ++i)
      must(nccl().all_reduce(value, value, 1, kInt32, kSum, rank.comm, rank.stream), "ncclAllReduce");
    must(nccl().group_end(), "ncclGroupEnd");
    CHECK(rank.download<int>(value, 1)[0] == 32);
  });
}

TEST_CASE("one thread serves several devices") {
  const NcclUniqueId id = make_id();
  FakeRank first(0, 2, id), second(1, 2, id);
  const auto use = [](int device) {
    void* context = nullptr;
    must(cuda().context_retain(&context, device), "cuDevicePrimaryCtxRetain");
    must(cuda().context_release(device), "cuDevicePrimaryCtxRelease");
    must(cuda().context_use(context), "cuCtxSetCurrent");
  };
  must(nccl().group_start(), "ncclGroupStart");
  use(0);
  must(first.init(), "init 0");
  use(1);
  must(second.init(), "init 1");
  must(nccl().group_end(), "ncclGroupEnd");
  use(0);
  int* one = first.upload<int>({1});
  use(1);
  int* two = second.upload<int>({2});
  must(nccl().group_start(), "ncclGroupStart");
  must(nccl().all_reduce(one, one, 1, kInt32, kSum, first.comm, first.stream), "ncclAllReduce");
  must(nccl().all_reduce(two, two, 1, kInt32, kSum, second.comm, second.stream), "ncclAllReduce");
  must(nccl().group_end(), "ncclGroupEnd");
  CHECK(second.download<int>(two, 1)[0] == 3);
  use(0);
  CHECK(first.download<int>(one, 1)[0] == 3);
}

TEST_CASE("a split has the ranks of a colour, in the order of their keys") {
  with_ranks(4, [](FakeRank& rank) {
    NcclComm* child = nullptr;
    must(nccl().split(rank.comm, rank.rank == 3 ? -1 : rank.rank % 2, -rank.rank, &child, nullptr),
         "ncclCommSplit");
    CHECK((child == nullptr) == (rank.rank == 3));
    if (child != nullptr) {
      CHECK(sum_of_ranks(rank, child) == (rank.rank == 1 ? 2 : 1 + 3));
      if (rank.rank != 1) {
        // Rank 2 has the lower key, so it is first.
        int* gathered = rank.upload<int>({rank.rank, 0, 0});
        must(nccl().all_gather(gathered, gathered + 1, 1, kInt32, child, rank.stream), "ncclAllGather");
        CHECK(rank.download<int>(gathered + 1, 2) == std::vector<int>{2, 0});
      }
      must(nccl().destroy(child), "ncclCommDestroy");
    }
    CHECK(sum_of_ranks(rank, rank.comm) == 10);
  });
}

TEST_CASE("a non-blocking communicator is at it until it has been polled") {
  with_bare_ranks(3, [](FakeRank& rank) {
    NcclConfig config;
    config.blocking = 0;
    CHECK(rank.init(config) == kInProgress);
    CHECK(rank.settle(rank.comm) == 0);
    int* value = rank.upload<int>({1});
    CHECK(nccl().all_reduce(value, value, 1, kInt32, kSum, rank.comm, rank.stream) == kInProgress);
    CHECK(nccl().all_reduce(value, value, 1, kInt32, kSum, rank.comm, rank.stream) == kInvalidArgument);
    CHECK(rank.drain() == 0);
    CHECK(rank.download<int>(value, 1)[0] == 1);  // The operation is not on the stream yet.
    CHECK(rank.settle(rank.comm) == 0);
    CHECK(rank.download<int>(value, 1)[0] == 3);
    NcclComm* child = nullptr;
    CHECK(nccl().split(rank.comm, 0, rank.rank, &child, nullptr) == kInProgress);
    CHECK(rank.settle(rank.comm) == 0);
    CHECK(rank.settle(child) == 0);
    CHECK(sum_of_ranks(rank, child) == 6);
    CHECK(nccl().destroy(child) == 0);
    CHECK(nccl().finalize(rank.comm) == kInProgress);
    CHECK(rank.settle(rank.comm) == 0);
  });
}

TEST_CASE("two ranks on one device are refused on all ranks") {
  with_bare_ranks(3,
                  [](FakeRank& rank) {
                    CHECK(rank.init() == kInvalidUsage);
                    CHECK(rank.comm == nullptr);
                    CHECK(std::string(nccl().last_error(nullptr)).find("Duplicate GPU detected") == 0);
                  },
                  {0, 1, 0});
}

TEST_CASE("an unknown network is refused") {
  const Variable net("NCCL_NET", "Carrier pigeon");
  with_bare_ranks(1, [](FakeRank& rank) { CHECK(rank.init() == kInvalidUsage); });
}

TEST_CASE("an algorithm that a collective does not have is refused") {
  const Variable algorithm("NCCL_ALGO", "Tree");
  with_ranks(2, [](FakeRank& rank) {
    int* value = rank.upload<int>({1, 2});
    CHECK(nccl().all_reduce(value, value, 1, kInt32, kSum, rank.comm, rank.stream) == 0);
    CHECK(nccl().all_gather(value, value, 1, kInt32, rank.comm, rank.stream) == kInvalidUsage);
  });
}

TEST_CASE("a configuration is checked") {
  FakeRank rank(0, 1, make_id());
  NcclConfig config;
  config.magic = 0;
  CHECK(rank.init(config) == kInvalidArgument);
  config = {};
  config.size = 8;
  CHECK(rank.init(config) == kInvalidArgument);
  config = {};
  config.blocking = 2;
  CHECK(rank.init(config) == kInvalidArgument);
  config.blocking = INT_MIN;
  CHECK(rank.init(config) == 0);
  {
    const Variable old("NCCL_FAKE_VERSION", "21400");
    NcclComm* comm = nullptr;
    CHECK(nccl().init_rank(&comm, 1, make_id(), 0, &config) == kInvalidArgument);
  }
  CHECK(rank.comm != nullptr);
}

TEST_CASE("calls that cannot be are refused") {
  with_ranks(2, [](FakeRank& rank) {
    int* value = rank.upload<int>({1, 2});
    CHECK(nccl().all_reduce(value, value, 1, 12, kSum, rank.comm, rank.stream) == kInvalidArgument);
    CHECK(nccl().all_reduce(value, value, 1, kInt32, 77, rank.comm, rank.stream) == kInvalidArgument);
    CHECK(nccl().broadcast(value, value, 1, kInt32, 2, rank.comm, rank.stream) == kInvalidArgument);
    CHECK(nccl().all_reduce(value, value, 1, kInt32, kSum, nullptr, rank.stream) == kInvalidArgument);
    CHECK(nccl().all_reduce(value, value, 1, kInt32, kSum, rank.comm, value) == kCudaError);
    CHECK(nccl().group_start() == 0);
    CHECK(nccl().send(value, 1, kInt32, 9, rank.comm, rank.stream) == kInvalidArgument);
    CHECK(nccl().group_end() == kInvalidArgument);
    CHECK(sum_of_ranks(rank, rank.comm) == 3);
  });
  std::thread([] {
    NcclComm* comm = nullptr;
    NcclConfig config;
    // The thread has no current context.
    CHECK(nccl().init_rank(&comm, 1, make_id(), 0, &config) == kCudaError);
  }).join();
  CHECK(std::string(nccl().error_string(kInvalidUsage)).find("invalid usage") == 0);
}

TEST_CASE("no call takes a communicator that is none, or one that is gone") {
  with_ranks(1, [](FakeRank& rank) {
    NcclComm* gone = rank.comm;
    CHECK(nccl().destroy(rank.comm) == 0);
    rank.comm = nullptr;
    for (NcclComm* comm : {static_cast<NcclComm*>(nullptr), gone}) {
      void* handle = nullptr;
      NcclComm* child = nullptr;
      int number = 0;
      CHECK(nccl().all_reduce(nullptr, nullptr, 1, kInt32, kSum, comm, rank.stream) == kInvalidArgument);
      CHECK(nccl().split(comm, 0, 0, &child, nullptr) == kInvalidArgument);
      CHECK(nccl().async_error(comm, &number) == kInvalidArgument);
      CHECK(nccl().premulsum_create(&number, &number, kInt32, 1, comm) == kInvalidArgument);
      CHECK(nccl().op_destroy(5, comm) == kInvalidArgument);
      CHECK(nccl().register_buffer(comm, nullptr, 0, &handle) == kInvalidArgument);
      CHECK(nccl().deregister_buffer(comm, nullptr) == kInvalidArgument);
      CHECK(nccl().register_window(comm, nullptr, 0, &handle, 0) == kInvalidArgument);
      CHECK(nccl().deregister_window(comm, nullptr) == kInvalidArgument);
      CHECK(nccl().finalize(comm) == kInvalidArgument);
      CHECK(nccl().destroy(comm) == kInvalidArgument);
      CHECK(nccl().abort(comm) == kInvalidArgument);
    }
  });
}

TEST_CASE("a rank that its communicator does not have is refused") {
  for (const auto& [rank, ranks] : {std::pair{1, 1}, {-1, 1}, {0, 0}, {0, -1}}) {
    FakeRank one(0, 1, make_id());
    NcclConfig config;
    CHECK(nccl().init_rank(&one.comm, ranks, make_id(), rank, &config) == kInvalidArgument);
    CHECK(one.comm == nullptr);
  }
}

TEST_CASE("an older NCCL knows no 8-bit floats") {
  const Variable old("NCCL_FAKE_VERSION", "22300");
  with_ranks(1, [](FakeRank& rank) {
    int version = 0;
    CHECK(nccl().get_version(&version) == 0);
    CHECK(version == 22300);
    void* value = rank.memory(8);
    CHECK(nccl().all_reduce(value, value, 1, 10, kSum, rank.comm, rank.stream) == kInvalidArgument);
  });
}

TEST_CASE("only memory of ncclMemAlloc can be registered, windows on whole pages") {
  with_ranks(2, [](FakeRank& rank) {
    void *memory = nullptr, *handle = nullptr, *window = nullptr;
    must(nccl().allocate(&memory, 8192), "ncclMemAlloc");
    CHECK(nccl().register_buffer(rank.comm, memory, 8192, &handle) == 0);
    CHECK(nccl().deregister_buffer(rank.comm, handle) == 0);
    CHECK(nccl().deregister_buffer(rank.comm, handle) == kInvalidArgument);
    CHECK(nccl().register_buffer(rank.comm, rank.memory(8192), 8192, &handle) == kInvalidArgument);
    CHECK(nccl().register_buffer(rank.comm, memory, 8193, &handle) == kInvalidArgument);
    CHECK(nccl().register_window(rank.comm, memory, 8192, &window, 1) == 0);
    CHECK(nccl().deregister_window(rank.comm, window) == 0);
    // An error on one rank is an error on all.
    CHECK(nccl().register_window(rank.comm, memory, rank.rank == 0 ? 8192 : 100, &window, 1) ==
          kInvalidArgument);
    auto* value = static_cast<int*>(memory);
    const int one = 1;
    rank.copy_in(value, &one, sizeof one);
    must(nccl().all_reduce(value, value, 1, kInt32, kSum, rank.comm, rank.stream), "ncclAllReduce");
    CHECK(rank.download<int>(value, 1)[0] == 2);
    CHECK(nccl().free(memory) == 0);
    CHECK(nccl().free(memory) == kCudaError);
  });
}

TEST_CASE("ranks in different operations find out") {
  with_ranks(2, [](FakeRank& rank) {
    int* value = rank.upload<int>({1, 2, 3, 4});
    must(nccl().all_reduce(value, value, rank.rank == 0 ? 2 : 4, kInt32, kSum, rank.comm, rank.stream),
         "ncclAllReduce");
    CHECK(cuda().stream_query(rank.stream) == kNotReady);
    int state = 0;
    while (state == 0) must(nccl().async_error(rank.comm, &state), "ncclCommGetAsyncError");
    CHECK((state == kInternalError || state == kRemoteError));
    CHECK(nccl().abort(rank.comm) == 0);
    rank.comm = nullptr;
    CHECK(rank.drain() == 0);
  });
}
