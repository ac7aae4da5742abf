#include "collectives/pattern.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "collectives/half.h"
#include "collectives/pattern_kernels.h"

using namespace collbench;

namespace {

Pattern pattern_of(DataType dtype, ReduceOp op, int ranks, std::size_t count,
                   CollectiveKind kind = CollectiveKind::kAllreduce) {
  Pattern pattern;
  pattern.operation.kind = kind;
  pattern.operation.dtype = dtype;
  pattern.operation.op = op;
  pattern.operation.count = count;
  pattern.ranks = ranks;
  pattern.seed = 42;
  return pattern;
}

std::vector<std::byte> input(const Pattern& pattern, int rank, std::uint64_t iteration) {
  std::vector<std::byte> data(shape_of(pattern.operation, rank, pattern.ranks).send_elements *
                              size_of(pattern.operation.dtype));
  fill_input(pattern, rank, iteration, data.data());
  return data;
}

std::vector<std::byte> expected(const Pattern& pattern, int rank, std::uint64_t iteration) {
  const std::size_t n = shape_of(pattern.operation, rank, pattern.ranks).recv_elements;
  std::vector<std::byte> data(n * size_of(pattern.operation.dtype));
  expected_output(pattern, rank, iteration, 0, n, data.data());
  return data;
}

bool same_element(const std::vector<std::byte>& a, const std::vector<std::byte>& b, std::size_t i,
                  std::size_t size) {
  return std::memcmp(a.data() + i * size, b.data() + i * size, size) == 0;
}

template <class T>
T combine(ReduceOp op, T a, T b) {
  using U = std::make_unsigned_t<T>;
  switch (op) {
    case ReduceOp::kProd:
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    case ReduceOp::kMin:
      return std::min(a, b);
    case ReduceOp::kMax:
      return std::max(a, b);
    default:
      return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  }
}
double combine(ReduceOp op, double a, double b) {
  switch (op) {
    case ReduceOp::kProd:
      return a * b;
    case ReduceOp::kMin:
      return std::min(a, b);
    case ReduceOp::kMax:
      return std::max(a, b);
    default:
      return a + b;
  }
}
float combine(ReduceOp op, float a, float b) {
  switch (op) {
    case ReduceOp::kProd:
      return a * b;
    case ReduceOp::kMin:
      return std::min(a, b);
    case ReduceOp::kMax:
      return std::max(a, b);
    default:
      return a + b;
  }
}

/// Reduces in the given order in the type itself, rounding after each step as an engine does, and counts
/// differences.
template <class T, class W, class Load, class Store>
std::size_t mismatches(const Pattern& pattern, const std::vector<int>& order, Load load, Store store) {
  const std::size_t n = pattern.operation.count;
  std::vector<T> acc(n);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto data = input(pattern, order[k], 7);
    std::vector<T> values(n);
    std::memcpy(values.data(), data.data(), data.size());
    for (std::size_t i = 0; i < n; ++i)
      acc[i] = k == 0 ? values[i]
                      : store(static_cast<W>(combine(pattern.operation.op, load(acc[i]), load(values[i]))));
  }
  if (pattern.operation.op == ReduceOp::kAvg)
    for (T& v : acc) v = store(static_cast<W>(load(v) / static_cast<W>(pattern.ranks)));
  const auto want = expected(pattern, 0, 7);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    wrong += std::memcmp(&acc[i], want.data() + i * sizeof(T), sizeof(T)) != 0;
  return wrong;
}

template <class T>
std::size_t plain(const Pattern& pattern, const std::vector<int>& order) {
  const auto same = [](T v) { return v; };
  return mismatches<T, T>(pattern, order, same, same);
}

std::size_t mismatches_in(const Pattern& p, const std::vector<int>& order) {
  switch (p.operation.dtype) {
    case DataType::kInt8:
      return plain<std::int8_t>(p, order);
    case DataType::kUint8:
      return plain<std::uint8_t>(p, order);
    case DataType::kInt32:
      return plain<std::int32_t>(p, order);
    case DataType::kUint32:
      return plain<std::uint32_t>(p, order);
    case DataType::kInt64:
      return plain<std::int64_t>(p, order);
    case DataType::kUint64:
      return plain<std::uint64_t>(p, order);
    case DataType::kFloat16:
      return mismatches<std::uint16_t, float>(p, order, float_of_half, half_of_float);
    case DataType::kBfloat16:
      return mismatches<std::uint16_t, float>(p, order, float_of_bfloat16, bfloat16_of_float);
    case DataType::kFloat32:
      return plain<float>(p, order);
    case DataType::kFloat64:
      return plain<double>(p, order);
    default:
      break;
  }
  return 1;
}

}  // namespace

TEST_CASE(
    "input differs by rank and by neighbouring iteration at every index, and by index and seed overall") {
  for (int d = 0; d < kHostDataTypeCount; ++d) {
    for (int o = 0; o < kHostReduceOpCount; ++o) {
      const auto dtype = static_cast<DataType>(d);
      const std::size_t size = size_of(dtype);
      CAPTURE(kDataTypes[d].name);
      CAPTURE(kReduceOps[o]);
      Pattern pattern = pattern_of(dtype, static_cast<ReduceOp>(o), 4, 3001);
      const auto base = input(pattern, 0, 5);
      const auto rank = input(pattern, 1, 5);
      const auto iteration = input(pattern, 0, 6);
      std::size_t equal = 0;
      for (std::size_t i = 0; i < 3001; ++i)
        equal += same_element(base, rank, i, size) || same_element(base, iteration, i, size);
      CHECK(equal == 0);
      std::size_t repeats = 0;
      for (std::size_t i = 1; i < 3001; ++i)
        repeats += std::memcmp(base.data() + i * size, base.data() + (i - 1) * size, size) == 0;
      CHECK(repeats < 3001 / 4);
      pattern.seed = 43;
      CHECK(input(pattern, 0, 5) != base);
    }
  }
}

TEST_CASE("what must come out differs from one iteration to the next") {
  for (int d = 0; d < kHostDataTypeCount; ++d)
    for (int o = 0; o < kHostReduceOpCount; ++o)
      for (const int ranks : {1, 2, 3, 4, 7}) {
        CAPTURE(kDataTypes[d].name);
        CAPTURE(kReduceOps[o]);
        CAPTURE(ranks);
        const Pattern p = pattern_of(static_cast<DataType>(d), static_cast<ReduceOp>(o), ranks, 500);
        CHECK(expected(p, 0, 1) != expected(p, 0, 2));
      }
}

TEST_CASE("every reduction is exact in every type, whatever the order of the ranks") {
  std::mt19937 random(1);
  for (int d = 0; d < kHostDataTypeCount; ++d)
    for (int o = 0; o < kHostReduceOpCount; ++o)
      for (const int ranks : {1, 2, 3, 4, 7, 16, 64}) {
        CAPTURE(kDataTypes[d].name);
        CAPTURE(kReduceOps[o]);
        CAPTURE(ranks);
        const Pattern p = pattern_of(static_cast<DataType>(d), static_cast<ReduceOp>(o), ranks, 2500);
        std::vector<int> order(static_cast<std::size_t>(ranks));
        for (int r = 0; r < ranks; ++r) order[static_cast<std::size_t>(r)] = r;
        for (int shuffles = 0; shuffles < 3; ++shuffles) {
          CHECK(mismatches_in(p, order) == 0);
          std::shuffle(order.begin(), order.end(), random);
        }
      }
}

TEST_CASE("the poison is never right") {
  for (int d = 0; d < kHostDataTypeCount; ++d)
    for (int o = 0; o < kHostReduceOpCount; ++o)
      for (const CollectiveKind kind : {CollectiveKind::kAllreduce, CollectiveKind::kBroadcast})
        for (const int ranks : {1, 2, 7}) {
          CAPTURE(kDataTypes[d].name);
          CAPTURE(kReduceOps[o]);
          CAPTURE(ranks);
          const Pattern p = pattern_of(static_cast<DataType>(d), static_cast<ReduceOp>(o), ranks, 2048, kind);
          std::vector<std::byte> data(2048 * size_of(p.operation.dtype));
          poison(p.operation, data.data(), data.size());
          const Verification seen = verify(p, 0, 3, data.data());
          CHECK(seen.compared == 2048);
          CHECK(seen.wrong == 2048);
          CHECK(seen.note == "the value before the transfer (poison)");
        }
}

TEST_CASE("each instruction set yields the same values") {
  const std::uint64_t offsets[3] = {11, 0x1234'5678'9ABC'DEF1ULL, 77};
  for (int d = 0; d < kHostDataTypeCount; ++d)
    for (int o = 0; o < kHostReduceOpCount; ++o) {
      const bool floating = d >= static_cast<int>(DataType::kFloat16);
      ValueRequest q;
      q.op = static_cast<ReduceOp>(o);
      q.form =
          q.op == ReduceOp::kProd ? (floating ? ValueForm::kPower : ValueForm::kWide) : ValueForm::kSmall;
      q.bits = q.form == ValueForm::kPower ? 2 : 5;
      q.count = 1237;
      q.offsets = offsets;
      q.ranks = 3;
      q.divisor = q.op == ReduceOp::kAvg ? 3 : 0;
      std::vector<std::byte> want(q.count * kDataTypes[d].bytes);
      pattern_kernels_base().values[d](q, want.data());
      for (int isa = 1; isa <= static_cast<int>(best_isa()); ++isa) {
        CAPTURE(isa);
        std::vector<std::byte> got(want.size());
        pattern_kernels(static_cast<Isa>(isa)).values[d](q, got.data());
        CHECK(got == want);
      }
    }
}

TEST_CASE("values do not depend on how a vector is cut, nor repeat after 2^32 elements") {
  const Pattern p = pattern_of(DataType::kInt32, ReduceOp::kSum, 2, std::size_t{1} << 33);
  const std::size_t start = (std::size_t{1} << 32) - 1000;
  std::vector<std::int32_t> whole(5000), parts(5000), low(4000);
  input_elements(p, 1, 9, start, 5000, whole.data());
  input_elements(p, 1, 9, start, 777, parts.data());
  input_elements(p, 1, 9, start + 777, 5000 - 777, parts.data() + 777);
  CHECK(whole == parts);
  input_elements(p, 1, 9, 0, 4000, low.data());
  CHECK(std::vector<std::int32_t>(whole.begin() + 1000, whole.end()) != low);
}

TEST_CASE("every half converts to float and back, and rounding is to nearest even") {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const auto half = static_cast<std::uint16_t>(h);
    const float value = float_of_half(half);
    if (std::isnan(value)) {
      CHECK((half & 0x7C00U) == 0x7C00U);
      CHECK(std::isnan(float_of_half(half_of_float(value))));
      continue;
    }
    CHECK(half_of_float(value) == half);
    if ((half & 0x7FFFU) >= 0x7BFFU) continue;
    const float above = float_of_half(static_cast<std::uint16_t>(half + 1));
    const float middle = value + (above - value) / 2;
    CHECK(half_of_float(middle) == ((half & 1U) == 0 ? half : half + 1));
  }
  CHECK(float_of_half(0x3C00) == 1.0F);
  CHECK(float_of_half(0x0001) == 0x1p-24F);
  CHECK(half_of_float(65519.0F) == 0x7BFF);
  CHECK(half_of_float(65520.0F) == 0x7C00);
  CHECK(bfloat16_of_float(1.0F + 0x1p-8F) == 0x3F80);
  CHECK(bfloat16_of_float(1.0F + 0x3p-8F) == 0x3F82);
  CHECK(std::isnan(float_of_bfloat16(bfloat16_of_float(std::nanf("")))));
}
