#include "engines/cpu/kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "collectives/half.h"

using namespace collbench;
using cpu::kernels;

namespace {

template <class T>
T scalar(ReduceOp op, T a, T b) {
  if (op == ReduceOp::kMin) return std::min(a, b);
  if (op == ReduceOp::kMax) return std::max(a, b);
  if constexpr (std::is_integral_v<T>) {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    return static_cast<T>(op == ReduceOp::kProd ? x * y : x + y);
  } else {
    return op == ReduceOp::kProd ? a * b : a + b;
  }
}

/// Counts differences to the scalar result (NaN equals NaN), out of place, for out == a and out == b, and for
/// all short tails.
template <class T, class W, class Load, class Store>
std::size_t differences(Isa isa, DataType type, ReduceOp op, Load load, Store store) {
  std::mt19937_64 random(static_cast<std::uint64_t>(type) * 31 + static_cast<std::uint64_t>(op));
  const auto combine = kernels(isa).combine[static_cast<int>(type)][static_cast<int>(op)];
  std::size_t wrong = 0;
  for (const std::size_t n : {0UL, 1UL, 2UL, 7UL, 15UL, 31UL, 63UL, 511UL, 513UL, 65'536UL}) {
    std::vector<T> a(n), b(n), out(n + 1), in_a(n), in_b(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t bits = random();
      if (sizeof(T) == 2 && n == 65'536) bits = (bits << 16) | i;  // Every 16-bit pattern occurs once.
      std::memcpy(&a[i], &bits, sizeof(T));
      bits = random();
      std::memcpy(&b[i], &bits, sizeof(T));
    }
    std::memset(&out[n], 0x5A, sizeof(T));
    const T guard = out[n];
    in_a = a;
    in_b = b;
    combine(out.data(), a.data(), b.data(), n);
    combine(in_a.data(), in_a.data(), b.data(), n);
    combine(in_b.data(), a.data(), in_b.data(), n);
    wrong += std::memcmp(&out[n], &guard, sizeof(T)) != 0;
    for (std::size_t i = 0; i < n; ++i) {
      const T want = store(scalar<W>(op, load(a[i]), load(b[i])));
      for (const T got : {out[i], in_a[i], in_b[i]}) {
        if (std::memcmp(&got, &want, sizeof(T)) == 0) continue;
        if constexpr (std::is_floating_point_v<W>)
          if (std::isnan(load(got)) && std::isnan(load(want))) continue;
        ++wrong;
      }
    }
  }
  return wrong;
}

template <class T>
std::size_t plain(Isa isa, DataType type, ReduceOp op) {
  const auto same = [](T v) { return v; };
  return differences<T, T>(isa, type, op, same, same);
}

std::size_t differences_of(Isa isa, DataType type, ReduceOp op) {
  switch (type) {
    case DataType::kInt8:
      return plain<std::int8_t>(isa, type, op);
    case DataType::kUint8:
      return plain<std::uint8_t>(isa, type, op);
    case DataType::kInt32:
      return plain<std::int32_t>(isa, type, op);
    case DataType::kUint32:
      return plain<std::uint32_t>(isa, type, op);
    case DataType::kInt64:
      return plain<std::int64_t>(isa, type, op);
    case DataType::kUint64:
      return plain<std::uint64_t>(isa, type, op);
    case DataType::kFloat16:
      return differences<std::uint16_t, float>(isa, type, op, float_of_half, half_of_float);
    case DataType::kBfloat16:
      return differences<std::uint16_t, float>(isa, type, op, float_of_bfloat16, bfloat16_of_float);
    case DataType::kFloat32:
      return plain<float>(isa, type, op);
    case DataType::kFloat64:
      return plain<double>(isa, type, op);
    default:
      break;
  }
  return 1;
}

template <class T>
std::vector<T> divided(Isa isa, DataType type, std::vector<T> values, int by) {
  kernels(isa).divide[static_cast<int>(type)](values.data(), values.size(), by);
  return values;
}

}  // namespace

TEST_CASE(
    "every kernel of every instruction set agrees with the scalar operation, all 16-bit patterns included") {
  for (int isa = 0; isa <= static_cast<int>(best_isa()); ++isa)
    for (int d = 0; d < kHostDataTypeCount; ++d)
      for (int o = 0; o < kHostReduceOpCount; ++o) {
        CAPTURE(isa);
        CAPTURE(kDataTypeNames[d]);
        CAPTURE(kReduceOps[o]);
        CHECK(differences_of(static_cast<Isa>(isa), static_cast<DataType>(d), static_cast<ReduceOp>(o)) == 0);
      }
}

TEST_CASE("avg divides: integers truncate towards zero, floats round once") {
  for (int i = 0; i <= static_cast<int>(best_isa()); ++i) {
    const Isa isa = static_cast<Isa>(i);
    CHECK(divided<std::int8_t>(isa, DataType::kInt8, {-7, 7, -128, 127}, 3) ==
          std::vector<std::int8_t>{-2, 2, -42, 42});
    CHECK(divided<std::uint8_t>(isa, DataType::kUint8, {255, 2}, 3) == std::vector<std::uint8_t>{85, 0});
    CHECK(divided<std::int32_t>(isa, DataType::kInt32, {-2147483647, 2147483647}, 7) ==
          std::vector<std::int32_t>{-306783378, 306783378});
    CHECK(divided<std::uint32_t>(isa, DataType::kUint32, {4294967295U}, 2) ==
          std::vector<std::uint32_t>{2147483647U});
    CHECK(divided<std::int64_t>(isa, DataType::kInt64, {-9223372036854775807}, 2) ==
          std::vector<std::int64_t>{-4611686018427387903});
    CHECK(divided<float>(isa, DataType::kFloat32, {1.0F, -3.0F}, 3) ==
          std::vector<float>{1.0F / 3.0F, -1.0F});
    CHECK(divided<std::uint16_t>(isa, DataType::kFloat16, {0x3C00}, 3) == std::vector<std::uint16_t>{0x3555});
    CHECK(divided<std::uint16_t>(isa, DataType::kBfloat16, {0x3F80}, 3) ==
          std::vector<std::uint16_t>{0x3EAB});
  }
}
