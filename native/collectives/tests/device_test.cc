// Tests of the kernels' functions, compiled for the host, against pattern.cc.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "collectives/device/args.h"
#include "collectives/pattern.h"
#include "core/error.h"

using namespace collbench;

namespace {

constexpr device::U64 kWorkers = 3;

bool is_exact(const Pattern& pattern) {
  try {
    check_exact(pattern);
    check_runnable(pattern.operation, pattern.ranks);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<Pattern> patterns(std::size_t count) {
  std::vector<Pattern> all;
  for (int k = 0; k < kCollectiveKindCount; ++k)
    for (int d = 0; d < kDataTypeCount; ++d)
      for (int o = 0; o < kReduceOpCount; ++o)
        for (const int ranks : {1, 2, 3, 4, 7, 8, 64}) {
          Pattern pattern;
          pattern.operation.kind = static_cast<CollectiveKind>(k);
          pattern.operation.dtype = static_cast<DataType>(d);
          pattern.operation.op = static_cast<ReduceOp>(o);
          pattern.operation.root = ranks - 1;
          pattern.operation.count = count;
          pattern.ranks = ranks;
          pattern.seed = 0x1234'5678'9ABC'DEF0ULL;
          if ((reduces(pattern.operation.kind) || o == 0) && is_exact(pattern)) all.push_back(pattern);
        }
  return all;
}

std::string text_of(const Pattern& pattern, int rank) {
  return std::string(name_of(pattern.operation.kind)) + " " + std::string(name_of(pattern.operation.dtype)) +
         " " + std::string(name_of(pattern.operation.op)) + " rank " + std::to_string(rank) + " of " +
         std::to_string(pattern.ranks);
}

/// Buffer for tests: aligned for whole vectors, or one element further.
struct TestBuffer {
  explicit TestBuffer(std::size_t bytes) : memory(bytes + 64) {}
  std::byte* at(std::size_t shift) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.data() + (16 - address % 16) % 16 + shift;
  }
  std::vector<std::byte> memory;
};

std::string differences(const Pattern& pattern, int rank, std::uint64_t iteration) {
  const std::size_t element = size_of(pattern.operation.dtype);
  const device::PatternArgs args = pattern_args(pattern, rank, iteration);
  std::vector<std::byte> send(args.send_elements * element), recv(args.recv_elements * element);
  fill_input(pattern, rank, iteration, send.data());
  expected_output(pattern, rank, iteration, 0, args.recv_elements, recv.data());
  for (const std::size_t shift : {std::size_t{0}, element}) {
    TestBuffer room(std::max(send.size(), recv.size()));
    std::byte* data = room.at(shift);
    for (device::U64 w = 0; w < kWorkers; ++w) fill_share(args, data, args.send_elements, w, kWorkers);
    if (!std::equal(send.begin(), send.end(), data)) return "input of " + text_of(pattern, rank);
    std::copy(recv.begin(), recv.end(), data);
    for (device::U64 w = 0; w < kWorkers; ++w)
      if (verify_share(args, data, args.recv_elements, w, kWorkers).count != 0)
        return "output of " + text_of(pattern, rank);
  }
  return {};
}

Pattern sum_of(DataType dtype, std::size_t count) {
  Pattern pattern;
  pattern.operation.dtype = dtype;
  pattern.operation.count = count;
  pattern.ranks = 3;
  return pattern;
}

}  // namespace

TEST_CASE("the kernels' input and expected output are the host's, bit for bit, in every operation") {
  const auto all = patterns(43);
  CHECK(all.size() > 12 * 8 * 4);
  for (const Pattern& pattern : all)
    for (const int rank : {0, pattern.ranks / 2, pattern.ranks - 1})
      for (const std::uint64_t iteration : {0ULL, 1ULL, 1'000'000'007ULL})
        CHECK(differences(pattern, rank, iteration) == "");
}

TEST_CASE("the kernels' values agree beyond 2^32 elements") {
  constexpr std::size_t kFar = (std::size_t{1} << 32) * 5 + 12'345;
  for (int d = 0; d < kDataTypeCount; ++d) {
    Pattern pattern = sum_of(static_cast<DataType>(d), kFar * 2);
    const std::size_t element = size_of(pattern.operation.dtype);
    const device::PatternArgs args = pattern_args(pattern, 1, 3);
    for (const std::size_t index : {kFar, (std::size_t{1} << 32) - 1, std::size_t{1} << 32}) {
      std::byte wanted[8], got[8];
      input_elements(pattern, 1, 3, index, 1, wanted);
      store_element(args, got, 0, device_input(args, index));
      CHECK(std::memcmp(wanted, got, element) == 0);
      expected_output(pattern, 1, 3, index, 1, wanted);
      store_element(args, got, 0, device_expected(args, index));
      CHECK(std::memcmp(wanted, got, element) == 0);
    }
  }
}

TEST_CASE("the kernels poison as the host does, and find all of the poison wrong") {
  for (const Pattern& pattern : patterns(21))
    for (const std::size_t shift : {std::size_t{0}, size_of(pattern.operation.dtype)}) {
      const device::PatternArgs args = pattern_args(pattern, pattern.ranks - 1, 2);
      const std::size_t bytes = args.recv_elements * size_of(pattern.operation.dtype);
      std::vector<std::byte> wanted(bytes + 1, std::byte{0x5A});
      poison(pattern.operation, wanted.data(), bytes);
      TestBuffer room(bytes + 1);
      std::byte* data = room.at(shift);
      data[bytes] = std::byte{0x5A};
      for (device::U64 w = 0; w < kWorkers; ++w) poison_share(args, data, bytes, w, kWorkers);
      CHECK(std::equal(wanted.begin(), wanted.end(), data));
      device::U64 wrong = 0;
      for (device::U64 w = 0; w < kWorkers; ++w)
        wrong += verify_share(args, data, args.recv_elements, w, kWorkers).count;
      CHECK(wrong == args.recv_elements);
    }
}

TEST_CASE("wrong elements are counted and the first is named, within vectors and behind them") {
  const Pattern pattern = sum_of(DataType::kFloat16, 1003);
  const device::PatternArgs args = pattern_args(pattern, 0, 0);
  TestBuffer room(1003 * 2);
  auto* data = reinterpret_cast<std::uint16_t*>(room.at(0));
  expected_output(pattern, 0, 0, 0, 1003, data);
  for (const std::size_t index : {501U, 502U, 1002U})
    data[index] = static_cast<std::uint16_t>(data[index] ^ 1U);
  device::U64 wrong = 0, first = ~0ULL;
  for (device::U64 w = 0; w < kWorkers; ++w) {
    const device::WrongElements seen = verify_share(args, data, 1003, w, kWorkers);
    wrong += seen.count;
    first = std::min(first, seen.first);
  }
  CHECK(wrong == 3);
  CHECK(first == 501);
}

TEST_CASE("the agent carries the kernels' source whole") {
  const std::string text = pattern_device_source();
  for (const char* kernel : {"collbench_fill", "collbench_poison", "collbench_verify", "collbench_hold"})
    CHECK(text.find(kernel) != std::string::npos);
  CHECK(text.find("#ifndef COLLBENCH_COLLECTIVES_DEVICE_PATTERN_DEVICE_H") != std::string::npos);
  CHECK(text.find("#include") == std::string::npos);
  CHECK(text.substr(text.size() - 7) == "#endif\n");
}
