// Tests of every collective, type and reduction against a loop over the ranks' inputs.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "engines/nccl/fake/tests/ranks.h"

using namespace fake_test;

namespace {

constexpr int kTypes = 12;
constexpr std::size_t kBytes[kTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

/// Returns the bits of a number that the type holds exactly.
std::uint64_t encoded(int dtype, double value) {
  std::uint64_t bits = 0;
  const auto small_float = [&](int exponent_bits, int mantissa_bits) -> std::uint64_t {
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(value), &exponent);  // The value lies in [0.5, 1).
    if (fraction == 0) return 0;
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const auto mantissa = static_cast<std::uint64_t>(std::ldexp(2 * fraction - 1, mantissa_bits));
    return (value < 0 ? 1ULL << (exponent_bits + mantissa_bits) : 0) |
           static_cast<std::uint64_t>(exponent - 1 + bias) << mantissa_bits | mantissa;
  };
  if (dtype < 6) {
    const auto whole = static_cast<std::int64_t>(value);
    std::memcpy(&bits, &whole, kBytes[dtype]);
    return bits;
  }
  switch (dtype) {
    case 6:
      return small_float(5, 10);
    case 7:
      return small_float(8, 23);
    case 8:
      return small_float(11, 52);
    case 9:
      return small_float(8, 7);
    case 10:
      return small_float(4, 3);
    default:
      return small_float(5, 2);
  }
}

using Values = std::vector<double>;

std::vector<unsigned char> packed(int dtype, const Values& values) {
  std::vector<unsigned char> bytes(values.size() * kBytes[dtype]);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t bits = encoded(dtype, values[i]);
    std::memcpy(bytes.data() + i * kBytes[dtype], &bits, kBytes[dtype]);
  }
  return bytes;
}

/// Returns 1 or 2, so that sums of four and products of any number are exact in all types.
double input(int rank, std::size_t index) {
  return 1.0 + static_cast<double>((index * 7 + index / 3 + static_cast<std::size_t>(rank)) % 2);
}
Values inputs(int rank, std::size_t count) {
  Values values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(input(rank, i));
  return values;
}

double reduced(int op, bool is_float, int ranks, std::size_t index) {
  double value = input(0, index);
  for (int rank = 1; rank < ranks; ++rank) {
    const double other = input(rank, index);
    value = op == kProd  ? value * other
            : op == kMax ? std::fmax(value, other)
            : op == kMin ? std::fmin(value, other)
                         : value + other;
  }
  if (op == kAvg) value = is_float ? value / ranks : std::floor(value / ranks);
  return value;
}

/// Returns whether `memory` holds these values when the stream is done.
bool holds(const FakeRank& rank, const void* memory, int dtype, const Values& wanted) {
  return rank.download<unsigned char>(memory, wanted.size() * kBytes[dtype]) == packed(dtype, wanted);
}

void* uploaded(FakeRank& rank, int dtype, const Values& values) { return rank.upload(packed(dtype, values)); }

std::byte* at(void* memory, std::size_t bytes) { return static_cast<std::byte*>(memory) + bytes; }

}  // namespace

TEST_CASE("allreduce, reduce and reducescatter: all types, all reductions") {
  constexpr int kRanks = 4;
  with_ranks(kRanks, [](FakeRank& rank) {
    constexpr std::size_t kCount = 37;
    for (int dtype = 0; dtype < kTypes; ++dtype)
      for (int op = kSum; op <= kAvg; ++op) {
        CAPTURE(dtype);
        CAPTURE(op);
        Values wanted, wanted_all;
        for (std::size_t i = 0; i < kRanks * kCount; ++i)
          wanted_all.push_back(reduced(op, dtype >= 6, kRanks, i));
        wanted.assign(wanted_all.begin(), wanted_all.begin() + kCount);
        const std::size_t bytes = kBytes[dtype];
        const Values mine = inputs(rank.rank, kRanks * kCount);
        void* send = uploaded(rank, dtype, mine);
        void* recv = rank.memory(kCount * bytes);
        must(nccl().all_reduce(send, recv, kCount, dtype, op, rank.comm, rank.stream), "ncclAllReduce");
        CHECK(holds(rank, recv, dtype, wanted));
        void* root_recv = rank.memory(kCount * bytes);
        must(nccl().reduce(send, root_recv, kCount, dtype, op, 2, rank.comm, rank.stream), "ncclReduce");
        if (rank.rank == 2) CHECK(holds(rank, root_recv, dtype, wanted));
        // The result of an in-place call lies in the rank's own block.
        std::byte* block = at(send, static_cast<std::size_t>(rank.rank) * kCount * bytes);
        must(nccl().reduce_scatter(send, block, kCount, dtype, op, rank.comm, rank.stream),
             "ncclReduceScatter");
        const auto first = wanted_all.begin() + rank.rank * static_cast<std::ptrdiff_t>(kCount);
        CHECK(holds(rank, block, dtype, Values(first, first + kCount)));
        must(nccl().all_reduce(recv, recv, kCount, dtype, kMax, rank.comm, rank.stream), "ncclAllReduce");
        CHECK(holds(rank, recv, dtype, wanted));
      }
  });
}

TEST_CASE("reductions longer than a slice, and of an odd number of ranks") {
  with_ranks(3, [](FakeRank& rank) {
    constexpr std::size_t kCount = 500'001;
    std::vector<int> values(3 * kCount);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i) + rank.rank;
    int* send = rank.upload(values);
    auto* recv = static_cast<int*>(rank.memory(kCount * sizeof(int)));
    const auto wrong = [&](std::size_t offset) {
      const std::vector<int> got = rank.download<int>(recv, kCount);
      std::size_t count = 0;
      for (std::size_t i = 0; i < kCount; ++i)
        count += got[i] != 3 * static_cast<int>(i + offset) + 3 ? 1 : 0;
      return count;
    };
    must(nccl().all_reduce(send, recv, kCount, kInt32, kSum, rank.comm, rank.stream), "ncclAllReduce");
    CHECK(wrong(0) == 0);
    must(nccl().reduce_scatter(send, recv, kCount, kInt32, kSum, rank.comm, rank.stream),
         "ncclReduceScatter");
    CHECK(wrong(static_cast<std::size_t>(rank.rank) * kCount) == 0);
    must(nccl().reduce(send, recv, kCount, kInt32, kSum, 0, rank.comm, rank.stream), "ncclReduce");
    if (rank.rank == 0) CHECK(wrong(0) == 0);
  });
}

TEST_CASE("integers wrap, and averages are truncated towards zero") {
  with_ranks(3, [](FakeRank& rank) {
    auto* values = rank.upload<std::int8_t>({100, static_cast<std::int8_t>(rank.rank == 0 ? -8 : 0)});
    must(nccl().all_reduce(values, values, 1, 0, kSum, rank.comm, rank.stream), "ncclAllReduce");
    must(nccl().all_reduce(values + 1, values + 1, 1, 0, kAvg, rank.comm, rank.stream), "ncclAllReduce");
    CHECK(rank.download<std::int8_t>(values, 2) == std::vector<std::int8_t>{44, -2});
  });
}

TEST_CASE("an average of floats is a sum of rounded products, as NCCL's") {
  with_ranks(3, [](FakeRank& rank) {
    auto* value = rank.upload<float>({5.0F});
    must(nccl().all_reduce(value, value, 1, kFloat32, kAvg, rank.comm, rank.stream), "ncclAllReduce");
    const float third = 1.0F / 3.0F, product = 5.0F * third;
    CHECK(rank.download<float>(value, 1)[0] == product + product + product);
  });
}

TEST_CASE("collectives that only move data") {
  constexpr int kRanks = 3;
  with_ranks(kRanks, [](FakeRank& rank) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{70'000}}) {
      const std::size_t bytes = count * sizeof(float);
      const auto id = [](int from, int to, std::size_t i) {
        return static_cast<float>(from * 10 + to) + static_cast<float>(i % 1000) / 1024;
      };
      std::vector<float> mine, of_root, to_me, from_all;
      for (int peer = 0; peer < kRanks; ++peer)
        for (std::size_t i = 0; i < count; ++i) {
          mine.push_back(id(rank.rank, peer, i));
          from_all.push_back(id(peer, 0, i));
          to_me.push_back(id(peer, rank.rank, i));
          if (peer == 0) of_root.push_back(id(1, 0, i));
        }
      float* send = rank.upload(mine);
      auto* recv = static_cast<float*>(rank.memory(kRanks * bytes));
      const auto got = [&](std::size_t n) { return rank.download<float>(recv, n); };
      must(nccl().all_gather(send, recv, count, kFloat32, rank.comm, rank.stream), "ncclAllGather");
      CHECK(got(kRanks * count) == from_all);
      must(nccl().all_to_all(send, recv, count, kFloat32, rank.comm, rank.stream), "ncclAlltoAll");
      CHECK(got(kRanks * count) == to_me);
      must(nccl().broadcast(send, recv, count, kFloat32, 1, rank.comm, rank.stream), "ncclBroadcast");
      CHECK(got(count) == of_root);
      must(nccl().scatter(send, recv, count, kFloat32, 1, rank.comm, rank.stream), "ncclScatter");
      std::vector<float> scattered;
      for (std::size_t i = 0; i < count; ++i) scattered.push_back(id(1, rank.rank, i));
      CHECK(got(count) == scattered);
      must(nccl().gather(send, recv, count, kFloat32, 2, rank.comm, rank.stream), "ncclGather");
      if (rank.rank == 2) CHECK(got(kRanks * count) == from_all);
    }
  });
}

TEST_CASE("gather and allgather in place") {
  with_ranks(3, [](FakeRank& rank) {
    std::vector<int> blocks(3, -1);
    blocks[static_cast<std::size_t>(rank.rank)] = rank.rank + 5;
    int* data = rank.upload(blocks);
    must(nccl().all_gather(data + rank.rank, data, 1, kInt32, rank.comm, rank.stream), "ncclAllGather");
    CHECK(rank.download<int>(data, 3) == std::vector<int>{5, 6, 7});
  });
}

TEST_CASE("premultiplied sums: a factor per rank, from the host or from the device") {
  with_ranks(3, [](FakeRank& rank) {
    auto* values = rank.upload<double>({1.5, 2.5, 0, 0});
    double factor = rank.rank + 1;
    int from_host = 0, from_device = 0;
    must(nccl().premulsum_create(&from_host, &factor, kFloat64, 1, rank.comm), "ncclRedOpCreatePreMulSum");
    double* on_device = rank.upload<double>({factor});
    must(nccl().premulsum_create(&from_device, on_device, kFloat64, 0, rank.comm),
         "ncclRedOpCreatePreMulSum");
    factor = 99;  // The factor was read when the reduction was created.
    must(nccl().all_reduce(values, values + 2, 2, kFloat64, from_host, rank.comm, rank.stream),
         "ncclAllReduce");
    CHECK(rank.download<double>(values + 2, 2) == Values{9, 15});
    must(nccl().all_reduce(values, values + 2, 2, kFloat64, from_device, rank.comm, rank.stream),
         "ncclAllReduce");
    CHECK(rank.download<double>(values + 2, 2) == Values{9, 15});
    CHECK(nccl().all_reduce(values, values, 1, kFloat32, from_host, rank.comm, rank.stream) ==
          kInvalidArgument);
    CHECK(nccl().op_destroy(from_host, rank.comm) == 0);
    CHECK(nccl().op_destroy(from_host, rank.comm) == kInvalidArgument);
    CHECK(nccl().all_reduce(values, values, 1, kFloat64, from_host, rank.comm, rank.stream) ==
          kInvalidArgument);
  });
}

TEST_CASE("a count of zero is nothing to do") {
  with_ranks(2, [](FakeRank& rank) {
    CHECK(nccl().all_reduce(nullptr, nullptr, 0, kInt32, kSum, rank.comm, rank.stream) == 0);
    CHECK(rank.drain() == 0);
  });
}
