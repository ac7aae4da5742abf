#include "collectives/pattern.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "collectives/half.h"
#include "collectives/pattern_form.h"
#include "core/error.h"

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

bool is_exact(const Pattern& pattern) {
  try {
    check_exact(pattern);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Method by which an engine computes an average.
enum class AverageMethod {
  kDivide,    // Divides the sum by the number of ranks.
  kMultiply,  // Multiplies each input by the rounded 1/ranks, as NCCL's PreMulSum does with floats.
};

/// Counts differences to a reduction in the given order in the type itself, with rounding after each step as
/// in an engine.
template <class T, class W, class Load, class Store>
std::size_t mismatches(const Pattern& pattern, const std::vector<int>& order, AverageMethod averaging,
                       Load load, Store store) {
  const bool averages = pattern.operation.op == ReduceOp::kAvg;
  const std::size_t n = pattern.operation.count;
  std::vector<T> acc(n);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto data = input(pattern, order[k], 7);
    std::vector<T> values(n);
    std::memcpy(values.data(), data.data(), data.size());
    if (pattern.operation.op == ReduceOp::kPremulsum && order[k] % 2 == 1)
      for (T& v : values) v = store(static_cast<W>(combine(ReduceOp::kSum, load(v), load(v))));
    if (averages && averaging == AverageMethod::kMultiply)
      for (T& v : values)
        v = store(static_cast<W>(load(v) * load(store(W{1} / static_cast<W>(pattern.ranks)))));
    for (std::size_t i = 0; i < n; ++i)
      acc[i] = k == 0 ? values[i]
                      : store(static_cast<W>(combine(pattern.operation.op, load(acc[i]), load(values[i]))));
  }
  if (averages && averaging == AverageMethod::kDivide)
    for (T& v : acc) v = store(static_cast<W>(load(v) / static_cast<W>(pattern.ranks)));
  const auto want = expected(pattern, 0, 7);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    wrong += std::memcmp(&acc[i], want.data() + i * sizeof(T), sizeof(T)) != 0;
  return wrong;
}

template <class T>
std::size_t plain(const Pattern& pattern, const std::vector<int>& order, AverageMethod averaging) {
  const auto same = [](T v) { return v; };
  return mismatches<T, T>(pattern, order, averaging, same, same);
}

std::size_t mismatches_in(const Pattern& p, const std::vector<int>& order,
                          AverageMethod averaging = AverageMethod::kDivide) {
  switch (p.operation.dtype) {
    case DataType::kInt8:
      return plain<std::int8_t>(p, order, averaging);
    case DataType::kUint8:
      return plain<std::uint8_t>(p, order, averaging);
    case DataType::kInt32:
      return plain<std::int32_t>(p, order, averaging);
    case DataType::kUint32:
      return plain<std::uint32_t>(p, order, averaging);
    case DataType::kInt64:
      return plain<std::int64_t>(p, order, averaging);
    case DataType::kUint64:
      return plain<std::uint64_t>(p, order, averaging);
    case DataType::kFloat16:
      return mismatches<std::uint16_t, float>(p, order, averaging, float_of_half, half_of_float);
    case DataType::kBfloat16:
      return mismatches<std::uint16_t, float>(p, order, averaging, float_of_bfloat16, bfloat16_of_float);
    case DataType::kFloat32:
      return plain<float>(p, order, averaging);
    case DataType::kFloat64:
      return plain<double>(p, order, averaging);
    case DataType::kFloat8e4m3:
      return mismatches<std::uint8_t, float>(p, order, averaging, float_of_float8e4m3, float8e4m3_of_float);
    case DataType::kFloat8e5m2:
      return mismatches<std::uint8_t, float>(p, order, averaging, float_of_float8e5m2, float8e5m2_of_float);
  }
  return 1;
}

}  // namespace

TEST_CASE("input differs by neighbouring rank at every index, and by iteration, index and seed overall") {
  for (int d = 0; d < kDataTypeCount; ++d) {
    for (int o = 0; o < kReduceOpCount; ++o) {
      const auto dtype = static_cast<DataType>(d);
      const std::size_t size = size_of(dtype);
      CAPTURE(kDataTypeNames[d]);
      CAPTURE(kReduceOps[o]);
      Pattern pattern = pattern_of(dtype, static_cast<ReduceOp>(o), 4, 3001);
      const auto base = input(pattern, 0, 5);
      const auto rank = input(pattern, 1, 5);
      std::size_t equal = 0;
      for (std::size_t i = 0; i < 3001; ++i) equal += same_element(base, rank, i, size);
      if (!input_request(pattern).scrambled) CHECK(equal == 0);
      CHECK(base != rank);
      CHECK(base != input(pattern, 0, 6));
      std::size_t repeats = 0;
      for (std::size_t i = 1; i < 3001; ++i)
        repeats += std::memcmp(base.data() + i * size, base.data() + (i - 1) * size, size) == 0;
      CHECK(repeats < 3001 * 6 / 10);  // Some 8-bit floats have only one bit.
      pattern.seed = 43;
      CHECK(input(pattern, 0, 5) != base);
    }
  }
}

namespace {

/// Returns the share of elements that are equal in two results.
double share_alike(const std::vector<std::byte>& a, const std::vector<std::byte>& b, std::size_t size) {
  std::size_t alike = 0;
  for (std::size_t i = 0; i < a.size() / size; ++i) alike += same_element(a, b, i, size);
  return static_cast<double>(alike * size) / static_cast<double>(a.size());
}

std::size_t distinct(const std::vector<std::byte>& data, std::size_t size) {
  std::set<std::string> values;
  for (std::size_t at = 0; at < data.size(); at += size)
    values.emplace(reinterpret_cast<const char*>(data.data()) + at, size);
  return values.size();
}

}  // namespace

TEST_CASE("what comes out varies along the vector, and a result of any other iteration is wrong") {
  constexpr std::size_t kElements = 400;
  for (int d = 0; d < kDataTypeCount; ++d)
    for (int o = 0; o < kReduceOpCount; ++o)
      for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 56, 64, 100, 127, 128, 256, 1024}) {
        CAPTURE(kDataTypeNames[d]);
        CAPTURE(kReduceOps[o]);
        CAPTURE(ranks);
        const Pattern p = pattern_of(static_cast<DataType>(d), static_cast<ReduceOp>(o), ranks, kElements);
        if (!is_exact(p)) continue;
        const std::size_t size = size_of(p.operation.dtype);
        const auto result = expected(p, 0, 1);
        double most = 0;
        for (std::uint64_t iteration = 2; iteration <= 64; ++iteration)
          most = std::max(most, share_alike(result, expected(p, 0, iteration), size));
        CHECK(most < 0.75);  // With two values, one of them three times as frequent, 5 of 8 agree by chance.
        CHECK(distinct(result, size) >= 2);
        std::size_t changes = 0;
        for (std::size_t i = 1; i < kElements; ++i)
          changes += std::memcmp(result.data() + i * size, result.data() + (i - 1) * size, size) != 0;
        CHECK(changes > kElements / 3);
      }
}

TEST_CASE("every reduction is exact in every type, whatever the order of the ranks") {
  std::mt19937 random(1);
  for (int d = 0; d < kDataTypeCount; ++d)
    for (int o = 0; o < kReduceOpCount; ++o)
      for (const int ranks : {1, 2, 3, 4, 7, 16, 64}) {
        CAPTURE(kDataTypeNames[d]);
        CAPTURE(kReduceOps[o]);
        CAPTURE(ranks);
        const Pattern p = pattern_of(static_cast<DataType>(d), static_cast<ReduceOp>(o), ranks, 2500);
        if (!is_exact(p)) continue;
        std::vector<int> order(static_cast<std::size_t>(ranks));
        for (int r = 0; r < ranks; ++r) order[static_cast<std::size_t>(r)] = r;
        for (int shuffles = 0; shuffles < 3; ++shuffles) {
          CHECK(mismatches_in(p, order) == 0);
          std::shuffle(order.begin(), order.end(), random);
        }
      }
}

TEST_CASE("averages of floats are the same, divided at the end or multiplied first, over up to 1024 ranks") {
  std::mt19937 random(1);
  for (int d = static_cast<int>(DataType::kFloat16); d < kDataTypeCount; ++d)
    for (int ranks = 1; ranks <= 1024; ranks += ranks < 130 ? 1 : 47) {
      const Pattern p = pattern_of(static_cast<DataType>(d), ReduceOp::kAvg, ranks, 40);
      if (!is_exact(p)) continue;
      CAPTURE(kDataTypeNames[d]);
      CAPTURE(ranks);
      std::vector<int> order(static_cast<std::size_t>(ranks));
      for (int r = 0; r < ranks; ++r) order[static_cast<std::size_t>(r)] = r;
      std::shuffle(order.begin(), order.end(), random);
      CHECK(mismatches_in(p, order, AverageMethod::kDivide) == 0);
      CHECK(mismatches_in(p, order, AverageMethod::kMultiply) == 0);
    }
}

TEST_CASE("an average to which one rank did not come, or came twice, is wrong somewhere") {
  for (int d = 0; d < kDataTypeCount; ++d)
    for (const int ranks : {2, 3, 5, 7, 8, 31, 32, 41, 64, 100, 127, 128}) {
      const Pattern p = pattern_of(static_cast<DataType>(d), ReduceOp::kAvg, ranks, 3000);
      if (!is_exact(p)) continue;
      CAPTURE(kDataTypeNames[d]);
      CAPTURE(ranks);
      std::vector<int> order(static_cast<std::size_t>(ranks));
      for (const int rank : {0, ranks / 2, ranks - 1}) {
        for (int r = 0; r < ranks; ++r) order[static_cast<std::size_t>(r)] = r;
        order.push_back(rank);
        CHECK(mismatches_in(p, order) > 3000 / (4 * static_cast<std::size_t>(ranks)));
        order.pop_back();
        order.erase(order.begin() + rank);
        CHECK(mismatches_in(p, order) > 3000 / (4 * static_cast<std::size_t>(ranks)));
        order.push_back(rank);
      }
    }
}

TEST_CASE(
    "where the type cannot hold the result exactly, checking is refused with the limit, filling is not") {
  struct PatternCase {
    DataType dtype;
    ReduceOp op;
    int most;
  };
  const PatternCase rows[] = {
      {DataType::kFloat8e4m3, ReduceOp::kSum, 16},       {DataType::kFloat8e5m2, ReduceOp::kSum, 8},
      {DataType::kFloat8e4m3, ReduceOp::kPremulsum, 11}, {DataType::kFloat8e5m2, ReduceOp::kPremulsum, 5},
      {DataType::kFloat8e4m3, ReduceOp::kAvg, 64},       {DataType::kInt8, ReduceOp::kAvg, 128},
      {DataType::kBfloat16, ReduceOp::kSum, 256},        {DataType::kFloat16, ReduceOp::kSum, 2048}};
  for (const PatternCase& row : rows) {
    CAPTURE(name_of(row.dtype));
    CAPTURE(name_of(row.op));
    for (int ranks = 1; ranks <= row.most; ++ranks) CHECK(is_exact(pattern_of(row.dtype, row.op, ranks, 8)));
    CHECK_FALSE(is_exact(pattern_of(row.dtype, row.op, row.most + 1, 8)));
  }
  const Pattern p = pattern_of(DataType::kFloat8e4m3, ReduceOp::kSum, 17, 8);
  CHECK_THROWS_WITH_AS(
      expected(p, 0, 0),
      "sum of float8e4m3 over 17 ranks has no exact result to check against; the type holds it "
      "for up to 16 ranks. --check 0 measures without checking",
      Error);
  CHECK(input(p, 3, 0).size() == 8);
  CHECK(is_exact(pattern_of(DataType::kFloat8e5m2, ReduceOp::kMax, 1000, 8)));
  CHECK(is_exact(pattern_of(DataType::kFloat8e5m2, ReduceOp::kSum, 1000, 8, CollectiveKind::kAllgather)));
}

TEST_CASE("the poison is never right") {
  for (int d = 0; d < kDataTypeCount; ++d)
    for (int o = 0; o < kReduceOpCount; ++o)
      for (const CollectiveKind kind : {CollectiveKind::kAllreduce, CollectiveKind::kBroadcast})
        for (const int ranks : {1, 2, 7}) {
          CAPTURE(kDataTypeNames[d]);
          CAPTURE(kReduceOps[o]);
          CAPTURE(ranks);
          const Pattern p = pattern_of(static_cast<DataType>(d), static_cast<ReduceOp>(o), ranks, 2048, kind);
          if (!is_exact(p)) continue;
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
  for (int d = 0; d < kDataTypeCount; ++d)
    for (int o = 0; o < kReduceOpCount; ++o) {
      const bool floating = d >= static_cast<int>(DataType::kFloat16);
      ValueRequest q;
      q.op = static_cast<ReduceOp>(o);
      q.form = q.op == ReduceOp::kProd  ? (floating ? ValueForm::kPower : ValueForm::kWide)
               : q.op == ReduceOp::kAvg ? (floating ? ValueForm::kSparse : ValueForm::kMean)
                                        : ValueForm::kSmall;
      q.bits = q.form == ValueForm::kPower ? 2 : 5;
      q.count = 1237;
      q.offsets = offsets;
      q.ranks = 3;
      q.divisor = q.op == ReduceOp::kAvg ? 3 : 0;
      q.scrambled = d % 2 == 0;
      q.own = 3;
      q.members = 3;
      q.rank = d % 3 - 1;
      std::vector<std::byte> want(q.count * kDataTypeBytes[d]);
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
