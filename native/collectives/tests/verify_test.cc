#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "collectives/pattern.h"

using namespace collbench;

namespace {

template <class T>
std::vector<T> right_output(const Pattern& pattern, int rank, std::uint64_t iteration) {
  std::vector<T> out(shape_of(pattern.operation, rank, pattern.ranks).recv_elements);
  expected_output(pattern, rank, iteration, 0, out.size(), out.data());
  return out;
}

Pattern pattern_of(CollectiveKind kind, DataType dtype, std::size_t count) {
  Pattern pattern;
  pattern.operation.kind = kind;
  pattern.operation.dtype = dtype;
  pattern.operation.count = count;
  pattern.ranks = 3;
  pattern.seed = 5;
  return pattern;
}

}  // namespace

TEST_CASE(
    "right output of every collective and rank is found right, and only what a rank must own is compared") {
  for (int k = 0; k < kCollectiveKindCount; ++k)
    for (int rank = 0; rank < 3; ++rank) {
      Pattern pattern = pattern_of(static_cast<CollectiveKind>(k), DataType::kFloat32, 10'001);
      pattern.operation.root = 2;
      const auto out = right_output<float>(pattern, rank, 4);
      const Verification seen = verify(pattern, rank, 4, out.data());
      CHECK(seen.wrong == 0);
      CHECK(seen.compared == out.size());
      CHECK(seen.note.empty());
    }
  const Pattern reduce = pattern_of(CollectiveKind::kReduce, DataType::kFloat32, 10);
  CHECK(verify(reduce, 1, 0, nullptr).compared == 0);
  const Pattern nothing = pattern_of(CollectiveKind::kAllgather, DataType::kFloat32, 0);
  CHECK(verify(nothing, 1, 0, nullptr).compared == 0);
}

TEST_CASE(
    "one planted wrong element is reported with its index, what was wanted and what came, 64 bits exactly") {
  const Pattern pattern = pattern_of(CollectiveKind::kAllgather, DataType::kInt64, 5000);
  auto out = right_output<std::int64_t>(pattern, 0, 2);
  const std::int64_t wanted = out[12'345];
  out[12'345] ^= std::int64_t{1} << 62;
  const Verification seen = verify(pattern, 0, 2, out.data());
  CHECK(seen.wrong == 1);
  CHECK(seen.compared == 15'000);
  CHECK(seen.first_index == 12'345);
  CHECK(seen.wanted == std::to_string(wanted));
  CHECK(seen.got == std::to_string(out[12'345]));
  CHECK(seen.note.empty());
}

TEST_CASE("a stale result is recognised as that of the iteration before") {
  const Pattern pattern = pattern_of(CollectiveKind::kAllreduce, DataType::kBfloat16, 100);
  const auto out = right_output<std::uint16_t>(pattern, 0, 8);
  const Verification seen = verify(pattern, 0, 9, out.data());
  CHECK(seen.wrong == 100);
  CHECK(seen.first_index == 0);
  CHECK(seen.note == "the value of iteration 8");
}

TEST_CASE("data of one rank alone are recognised, in reducescatter at the part's place") {
  for (const CollectiveKind kind : {CollectiveKind::kAllreduce, CollectiveKind::kReducescatter}) {
    const Pattern pattern = pattern_of(kind, DataType::kFloat64, 100);
    auto out = right_output<double>(pattern, 2, 9);
    const std::size_t base = kind == CollectiveKind::kReducescatter ? 200 : 0;
    input_elements(pattern, 1, 9, base + 50, 10, out.data() + 50);
    const Verification seen = verify(pattern, 2, 9, out.data());
    CHECK(seen.wrong == 10);
    CHECK(seen.first_index == 50);
    CHECK(seen.note == "the value of rank 1 only");
  }
}

TEST_CASE("in place, gather's and scatter's root keeps its own part where NCCL has it") {
  Pattern pattern = pattern_of(CollectiveKind::kGather, DataType::kInt32, 50);
  pattern.operation.in_place = true;
  pattern.operation.root = 2;
  std::vector<std::int32_t> memory(150), own(50);
  CHECK(in_place_offset(pattern.operation, 2) == 100);
  prepare_buffers(pattern, 2, 3, memory.data() + 100, memory.data());
  const Verification before = verify(pattern, 2, 3, memory.data());
  CHECK(before.wrong == 100);
  for (int r = 0; r < 2; ++r) fill_input(pattern, r, 3, memory.data() + r * 50);
  CHECK(verify(pattern, 2, 3, memory.data()).wrong == 0);

  pattern.operation.kind = CollectiveKind::kScatter;
  prepare_buffers(pattern, 2, 3, memory.data(), memory.data() + 100);
  std::vector<std::int32_t> whole(150);
  fill_input(pattern, 2, 3, whole.data());
  CHECK(memory == whole);
  CHECK(verify(pattern, 2, 3, memory.data() + 100).wrong == 0);
  prepare_buffers(pattern, 1, 3, own.data(), own.data());  // The other ranks have only their part.
  CHECK(verify(pattern, 1, 3, own.data()).wrong == 50);
  CHECK(verify(pattern, 1, 3, whole.data() + 50).wrong == 0);
}

TEST_CASE("sendrecv, alltoall and hypercube move what their names say") {
  Pattern pattern = pattern_of(CollectiveKind::kSendrecv, DataType::kUint64, 9);
  const auto sent_by = [&](int rank) {
    std::vector<std::uint64_t> data(shape_of(pattern.operation, rank, pattern.ranks).send_elements);
    fill_input(pattern, rank, 6, data.data());
    return data;
  };
  CHECK(right_output<std::uint64_t>(pattern, 0, 6) == sent_by(2));
  CHECK(right_output<std::uint64_t>(pattern, 1, 6) == sent_by(0));
  pattern.operation.kind = CollectiveKind::kAlltoall;
  std::vector<std::uint64_t> wanted;
  for (int r = 0; r < 3; ++r) {
    const auto data = sent_by(r);
    wanted.insert(wanted.end(), data.begin() + 9, data.begin() + 18);
  }
  CHECK(right_output<std::uint64_t>(pattern, 1, 6) == wanted);
  pattern.operation.kind = CollectiveKind::kHypercube;
  pattern.ranks = 4;
  const auto hypercube = right_output<std::uint64_t>(pattern, 3, 6);
  pattern.operation.kind = CollectiveKind::kAllgather;
  CHECK(hypercube == right_output<std::uint64_t>(pattern, 3, 6));
}

TEST_CASE("in place, preparing leaves the input whole and poisons the rest") {
  Pattern pattern = pattern_of(CollectiveKind::kAllgather, DataType::kInt32, 50);
  pattern.operation.in_place = true;
  std::vector<std::int32_t> recv(150), want(50);
  prepare_buffers(pattern, 1, 3, recv.data() + 50, recv.data());
  fill_input(pattern, 1, 3, want.data());
  CHECK(std::memcmp(recv.data() + 50, want.data(), 200) == 0);
  CHECK(verify(pattern, 0, 3, recv.data()).wrong == 100);
}
