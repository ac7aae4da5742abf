// Included once by each pattern_kernels_*.cc; everything here has internal linkage (see half.h for the
// reason).
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "collectives/collective.h"
#include "collectives/half.h"
#include "collectives/pattern_kernels.h"

namespace collbench {
namespace {

/// lowbias32 of C. Wellons' hash-prospector: each index gives other bits, in eight vector instructions.
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
void mix_block(const ValueRequest& q, X* raw) noexcept {
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

/// acc[i] = the ranks' values combined, values made by `make` from the mixed bits.
template <class A, class X, class Make, class Combine>
void over_ranks(const ValueRequest& q, const X* raw, A* acc, Make make, Combine combine) noexcept {
  const auto first = static_cast<X>(q.offsets[0]);
  for (std::size_t i = 0; i < q.count; ++i) acc[i] = make(static_cast<X>(raw[i] + first));
  for (int r = 1; r < q.ranks; ++r) {
    const auto offset = static_cast<X>(q.offsets[r]);
    for (std::size_t i = 0; i < q.count; ++i) acc[i] = combine(acc[i], make(static_cast<X>(raw[i] + offset)));
  }
}

template <class A>
A product(A a, A b) noexcept {
  if constexpr (std::is_integral_v<A>)
    return static_cast<A>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}

/// A single rank is that rank's input (or the sum over rank 0 alone), which is not multiplied.
template <class A, class X, class Make, class Combine>
void weighted_over_ranks(const ValueRequest& q, const X* raw, A* acc, Make make, Combine added) noexcept {
  for (std::size_t i = 0; i < q.count; ++i) acc[i] = A{0};
  for (int r = 0; r < q.ranks; ++r) {
    const auto offset = static_cast<X>(q.offsets[r]);
    const A factor = q.ranks == 1 ? A{1} : static_cast<A>(premul_factor(r));
    for (std::size_t i = 0; i < q.count; ++i)
      acc[i] = added(acc[i], product(make(static_cast<X>(raw[i] + offset)), factor));
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
    case ReduceOp::kPremulSum:
      return weighted_over_ranks(q, raw, acc, make, added);
  }
}

template <class A, class X>
void small_values(const ValueRequest& q, const X* raw, A* acc) noexcept {
  const X mask = (X{1} << q.bits) - 1;
  const X half = q.centred ? X{1} << (q.bits - 1) : X{0};
  const auto value = [=](X x) { return static_cast<A>((x & mask) - half); };
  if (q.scrambled)
    over_ranks(q, raw, acc, [=](X x) { return value(scrambled(x)); });
  else
    over_ranks(q, raw, acc, value);
}

template <class T>
void integer_values(const ValueRequest& q, void* out) {
  using X = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  // Quotients of up to 32 bits are exact after truncation in double, which has a vector division.
  using Q = std::conditional_t<sizeof(T) == 8, T, std::conditional_t<sizeof(T) == 4, double, float>>;
  X raw[kPatternBlock];
  mix_block(q, raw);
  T* acc = static_cast<T*>(out);
  if (q.form == ValueForm::kSmall) {
    small_values(q, raw, acc);
  } else {
    const X odd = q.op == ReduceOp::kProd ? 1 : 0;
    const auto value = [=](X x) { return static_cast<T>((x << 1) | odd); };
    if (q.scrambled)
      over_ranks(q, raw, acc, [=](X x) { return value(scrambled(x)); });
    else
      over_ranks(q, raw, acc, value);
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
  constexpr int kMantissaBits = sizeof(F) == 8 ? 52 : 23;
  constexpr X kBias = sizeof(F) == 8 ? 1023 : 127;
  X raw[kPatternBlock];
  mix_block(q, raw);
  T* result = static_cast<T*>(out);
  if (q.form == ValueForm::kPower) {
    const X mask = (X{1} << q.bits) - 1;
    const X zero = kBias - ((X{1} << q.bits) >> 1);
    F acc[kPatternBlock];
    const auto value = [=](X x) {
      return std::bit_cast<F>((x << (sizeof(X) * 8 - 1)) | ((((x >> 1) & mask) + zero) << kMantissaBits));
    };
    if (q.scrambled)
      over_ranks(q, raw, acc, [=](X x) { return value(scrambled(x)); });
    else
      over_ranks(q, raw, acc, value);
    for (std::size_t i = 0; i < q.count; ++i) result[i] = Format::store(acc[i]);
    return;
  }
  A acc[kPatternBlock];
  small_values(q, raw, acc);
  const F divisor = q.divisor == 0 ? F{1} : static_cast<F>(q.divisor);
  const F scale = static_cast<F>(q.scale);
  for (std::size_t i = 0; i < q.count; ++i)
    result[i] = Format::store(static_cast<F>(acc[i]) * scale / divisor);
}

constexpr PatternKernels kKernels = {
    {integer_values<std::int8_t>, integer_values<std::uint8_t>, integer_values<std::int32_t>,
     integer_values<std::uint32_t>, integer_values<std::int64_t>, integer_values<std::uint64_t>,
     float_values<Half>, float_values<Bfloat>, float_values<Single>, float_values<Double>,
     float_values<Float8e4m3>, float_values<Float8e5m2>}};

}  // namespace
}  // namespace collbench
