// Included once by each pattern_kernels_*.cc. Everything here has internal linkage, for the reason given in
// half.h.
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "collectives/collective.h"
#include "collectives/half.h"
#include "collectives/pattern_form.h"
#include "collectives/pattern_kernels.h"

namespace collbench {
namespace {

/// Returns pseudorandom bits for an index. The function is lowbias32 of C. Wellons' hash-prospector, which
/// takes eight vector instructions.
inline std::uint32_t mixed(std::uint32_t x) noexcept {
  x ^= x >> 16;
  x *= 0x7FEB352DU;
  x ^= x >> 15;
  x *= 0x846CA68BU;
  return x ^ (x >> 16);
}

template <class X>
X scrambled(X x) noexcept {
  return static_cast<X>(mixed(static_cast<std::uint32_t>(x)));
}

template <class X>
[[gnu::noinline]] void mix_block(const ValueRequest& q, X* raw) noexcept {
  const std::uint32_t key = q.key;
  const std::uint32_t first = q.first;
  for (std::size_t i = 0; i < q.count; ++i) {
    const std::uint32_t bits = mixed((first + static_cast<std::uint32_t>(i)) ^ key);
    if constexpr (sizeof(X) == 8)
      raw[i] = bits * 0x9E37'79B9'7F4A'7C15ULL;
    else
      raw[i] = bits;
  }
}

/// Writes the reduction of all ranks' values of each element to `acc`. `raw` has each element's pseudorandom
/// bits; `make` computes a rank's value from these and from the rank's own bits; `combine` is the reduction.
template <class A, class X, class Make, class Combine>
void over_ranks(const ValueRequest& q, const X* raw, A* acc, Make make, Combine combine) noexcept {
  const auto first = static_cast<X>(q.offsets[0]);
  for (std::size_t i = 0; i < q.count; ++i) acc[i] = make(raw[i], static_cast<X>(raw[i] + first));
  for (int r = 1; r < q.ranks; ++r) {
    const auto offset = static_cast<X>(q.offsets[r]);
    for (std::size_t i = 0; i < q.count; ++i)
      acc[i] = combine(acc[i], make(raw[i], static_cast<X>(raw[i] + offset)));
  }
}

template <class A>
A product(A a, A b) noexcept {
  if constexpr (std::is_integral_v<A>)
    return static_cast<A>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}

/// Like over_ranks() for the reduction premulsum: each rank's value is multiplied by the rank's factor. If
/// the request has only one rank, the result is this rank's input, so the factor is not used.
template <class A, class X, class Make, class Combine>
void weighted_over_ranks(const ValueRequest& q, const X* raw, A* acc, Make make, Combine added) noexcept {
  for (std::size_t i = 0; i < q.count; ++i) acc[i] = A{0};
  for (int r = 0; r < q.ranks; ++r) {
    const auto offset = static_cast<X>(q.offsets[r]);
    const A factor = q.ranks == 1 ? A{1} : static_cast<A>(premul_factor(r));
    for (std::size_t i = 0; i < q.count; ++i)
      acc[i] = added(acc[i], product(make(raw[i], static_cast<X>(raw[i] + offset)), factor));
  }
}

template <class A, class X, class Make>
void over_ranks(const ValueRequest& q, const X* raw, A* acc, Make make) noexcept {
  const auto least = [](A a, A b) { return b < a ? b : a; };
  const auto most = [](A a, A b) { return a < b ? b : a; };
  const auto added = [](A a, A b) {
    if constexpr (std::is_integral_v<A>) {
      using U = std::make_unsigned_t<A>;
      return static_cast<A>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    } else {
      return a + b;
    }
  };
  switch (q.op) {
    case ReduceOp::kProd:
      return over_ranks(q, raw, acc, make, product<A>);
    case ReduceOp::kMin:
      return over_ranks(q, raw, acc, make, least);
    case ReduceOp::kMax:
      return over_ranks(q, raw, acc, make, most);
    case ReduceOp::kSum:
    case ReduceOp::kAvg:
      return over_ranks(q, raw, acc, make, added);
    case ReduceOp::kPremulsum:
      return weighted_over_ranks(q, raw, acc, make, added);
  }
}

/// Writes the reduction of all ranks' values of each element to `acc`; for averages it is the sum. `raw` has
/// each element's pseudorandom bits, from which every rank gets its own bits. If the request is scrambled,
/// these are mixed once more, and only bits in the mask `q.own` differ between ranks.
/// @param value computes a rank's value from its bits
template <class A, class X, class Value>
void over_all_ranks(const ValueRequest& q, const X* raw, A* acc, Value value) noexcept {
  const X own = sizeof(X) == 8 ? ~X{0} : static_cast<X>(q.own);
  if (q.scrambled)
    over_ranks(q, raw, acc, [=](X shared, X x) { return value((scrambled(x) & own) | (shared & ~own)); });
  else
    over_ranks(q, raw, acc, [=](X, X x) { return value(x); });
}

/// Computes integer values ((x & mask) << shift | lowest) - zero of the forms kSmall and kWide. Both share
/// these loops with different constants, because the loops are most of the compiled code.
template <class A, class X>
[[gnu::noinline]] void whole_values(const ValueRequest& q, const X* raw, A* acc) noexcept {
  const bool small = q.form == ValueForm::kSmall;
  const X mask = small ? (X{1} << q.bits) - 1 : ~X{0};
  const X zero = small && q.centred ? X{1} << (q.bits - 1) : X{0};
  const X lowest = !small && q.op == ReduceOp::kProd ? X{1} : X{0};
  const int shift = small ? 0 : 1;
  over_all_ranks(q, raw, acc, [=](X x) { return static_cast<A>((((x & mask) << shift) | lowest) - zero); });
}

/// Computes test data of form kPower into `acc`: plus or minus a power of two, so that products are exact.
template <class F, class X>
[[gnu::noinline]] void power_values(const ValueRequest& q, const X* raw, F* acc) noexcept {
  constexpr int kMantissaBits = sizeof(F) == 8 ? 52 : 23;
  constexpr X kBias = sizeof(F) == 8 ? 1023 : 127;
  const X mask = (X{1} << q.bits) - 1;
  const X zero = kBias - ((X{1} << q.bits) >> 1);
  over_all_ranks(q, raw, acc, [=](X x) {
    return std::bit_cast<F>((x << (sizeof(X) * 8 - 1)) | ((((x >> 1) & mask) + zero) << kMantissaBits));
  });
}

/// Computes values of form kMean: even ranks have the mean plus a deviation, the next odd rank has the mean
/// minus this deviation. A last rank without such a neighbour has no deviation. In half of the elements all
/// ranks except the first have 1 more. The sum is then a multiple of the number of ranks, or 1 less than a
/// multiple. So a missing or repeated element changes the average.
template <class T, class X>
[[gnu::noinline]] void mean_values(const ValueRequest& q, const X* raw, T* acc) noexcept {
  const X mask = (X{1} << q.bits) - 1;
  const X half = q.centred ? X{1} << (q.bits - 1) : X{0};
  const bool all = q.rank == kAllRanks;
  const bool is_last = q.rank == q.members - 1;
  const X times = all ? static_cast<X>(q.members) : X{1};
  const X more = all ? static_cast<X>(q.members - 1) : q.rank > 0 ? X{1} : X{0};
  const bool odd = q.rank % 2 != 0;
  const X sign = all || (is_last && !odd) ? X{0} : odd ? static_cast<X>(-1) : X{1};
  const auto pair = static_cast<X>(static_cast<std::uint64_t>(q.rank / 2) * kRankStep);
  for (std::size_t i = 0; i < q.count; ++i) {
    const X mean = (raw[i] & mask) - half;
    const X deviation = (scrambled(static_cast<X>(raw[i] + pair)) & kDeviationMask) - kDeviationMask / 2;
    acc[i] = static_cast<T>(times * mean + (raw[i] >> q.bits & 1) * more + sign * deviation);
  }
}

/// Computes values of form kSparse: most ranks have zero, three have plus or minus the same power of two.
/// Partial sums in any order are then zero or a power of two. Multiplying these by the rounded value 1/ranks
/// is exact. So dividing before or after adding gives the same result.
template <class F, class X>
[[gnu::noinline]] void sparse_values(const ValueRequest& q, const X* raw, F* acc) noexcept {
  constexpr int kMantissaBits = sizeof(F) == 8 ? 52 : 23;
  constexpr X kBias = sizeof(F) == 8 ? 1023 : 127;
  constexpr X kMask = (X{1} << kSparseBits) - 1;
  const auto members = static_cast<std::uint64_t>(q.members);
  const bool all = q.rank == kAllRanks;
  for (std::size_t i = 0; i < q.count; ++i) {
    const X bits = raw[i];
    const X negative = bits >> kSparseBits & 1;
    const auto power = std::bit_cast<F>(
        static_cast<X>((negative << (sizeof(X) * 8 - 1)) | (((bits & kMask) + kBias) << kMantissaBits)));
    const auto first = static_cast<int>((bits >> (sizeof(X) * 8 - 32)) * members >> 32);
    const int ahead = q.rank - first;
    const int place = ahead < 0 ? ahead + q.members : ahead;
    acc[i] = all || place < 2 ? power : place == 2 ? -power : F{0};
  }
}

template <class T>
void integer_values(const ValueRequest& q, void* out) {
  using X = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  // Quotients of up to 32 bits are exact after truncation in double, which has a vector division.
  using Q = std::conditional_t<sizeof(T) == 8, T, std::conditional_t<sizeof(T) == 4, double, float>>;
  X raw[kPatternBlock];
  mix_block(q, raw);
  T* acc = static_cast<T*>(out);
  if (q.form == ValueForm::kMean) {
    mean_values(q, raw, acc);
  } else {
    whole_values(q, raw, acc);
  }
  if (q.divisor == 0) return;
  const Q divisor = static_cast<Q>(q.divisor);
  for (std::size_t i = 0; i < q.count; ++i) acc[i] = static_cast<T>(static_cast<Q>(acc[i]) / divisor);
}

struct Half {
  static std::uint16_t store(float v) noexcept { return half_of_float(v); }
};
struct Bfloat {
  static std::uint16_t store(float v) noexcept { return bfloat16_of_float(v); }
};
struct Float8e4m3 {
  static std::uint8_t store(float v) noexcept { return float8e4m3_of_float(v); }
};
struct Float8e5m2 {
  static std::uint8_t store(float v) noexcept { return float8e5m2_of_float(v); }
};
struct Single {
  static float store(float v) noexcept { return v; }
};
struct Double {
  static double store(double v) noexcept { return v; }
};

template <class Format>
void float_values(const ValueRequest& q, void* out) {
  using F = std::conditional_t<std::is_same_v<Format, Double>, double, float>;
  using X = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  using A = std::make_signed_t<X>;
  using T = decltype(Format::store(F{}));
  X raw[kPatternBlock];
  mix_block(q, raw);
  T* result = static_cast<T*>(out);
  if (q.form == ValueForm::kPower) {
    F acc[kPatternBlock];
    power_values(q, raw, acc);
    for (std::size_t i = 0; i < q.count; ++i) result[i] = Format::store(acc[i]);
    return;
  }
  const F divisor = q.divisor == 0 ? F{1} : static_cast<F>(q.divisor);
  if (q.form == ValueForm::kSparse) {
    F acc[kPatternBlock];
    sparse_values(q, raw, acc);
    for (std::size_t i = 0; i < q.count; ++i) result[i] = Format::store(acc[i] / divisor);
    return;
  }
  A acc[kPatternBlock];
  whole_values(q, raw, acc);
  for (std::size_t i = 0; i < q.count; ++i) result[i] = Format::store(static_cast<F>(acc[i]) / divisor);
}

constexpr PatternKernels kKernels = {
    {integer_values<std::int8_t>, integer_values<std::uint8_t>, integer_values<std::int32_t>,
     integer_values<std::uint32_t>, integer_values<std::int64_t>, integer_values<std::uint64_t>,
     float_values<Half>, float_values<Bfloat>, float_values<Single>, float_values<Double>,
     float_values<Float8e4m3>, float_values<Float8e5m2>}};

}  // namespace
}  // namespace collbench
