// Included once by each kernels_*.cc. Everything here has internal linkage, for the reason given in
// collectives/half.h.
#include <cstddef>
#include <cstdint>
#include <type_traits>
#if defined(__F16C__)
#include <immintrin.h>
#endif

#include "collectives/half.h"
#include "engines/cpu/kernels.h"

// Tells the compiler that iterations are independent even if `out` is an input. Otherwise its overlap check
// would send in-place calls to a scalar loop.
#if defined(__clang__)
#define CB_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define CB_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace collbench::cpu {
namespace {

struct Sum {
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
    } else {
      return a + b;
    }
  }
};
struct Prod {
  template <class T>
  static T apply(T a, T b) noexcept {
    if constexpr (sizeof(T) == 8 && std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
    else
      return a * b;
  }
};
struct Min {
  template <class T>
  static T apply(T a, T b) noexcept {
    return b < a ? b : a;
  }
};
struct Max {
  template <class T>
  static T apply(T a, T b) noexcept {
    return a < b ? b : a;
  }
};

template <class T, class Op>
void combine(void* out, const void* a, const void* b, std::size_t count) {
  T* o = static_cast<T*>(out);
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  CB_INDEPENDENT
  for (std::size_t i = 0; i < count; ++i) o[i] = Op::apply(x[i], y[i]);
}

template <class T>
void divide(void* data, std::size_t count, int divisor) {
  // Truncated quotients of up to 32 bits are exact in the wider float type, which has a vector division.
  using Q = std::conditional_t<std::is_integral_v<T> && sizeof(T) == 4, double,
                               std::conditional_t<std::is_integral_v<T> && sizeof(T) == 1, float, T>>;
  T* d = static_cast<T*>(data);
  const Q by = static_cast<Q>(divisor);
  for (std::size_t i = 0; i < count; ++i) d[i] = static_cast<T>(static_cast<Q>(d[i]) / by);
}

/// Number of 16-bit elements that are converted to float32 at a time; this many fit into the first-level
/// cache.
constexpr std::size_t kWideBlock = 512;

struct HalfFormat {
  static void widen(float* out, const std::uint16_t* in, std::size_t n) noexcept {
    std::size_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
      _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
#endif
    for (; i < n; ++i) out[i] = float_of_half(in[i]);
  }
  static void narrow(std::uint16_t* out, const float* in, std::size_t n) noexcept {
    std::size_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                       _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (; i < n; ++i) out[i] = half_of_float(in[i]);
  }
};
struct BfloatFormat {
  static void widen(float* out, const std::uint16_t* in, std::size_t n) noexcept {
    for (std::size_t i = 0; i < n; ++i) out[i] = float_of_bfloat16(in[i]);
  }
  static void narrow(std::uint16_t* out, const float* in, std::size_t n) noexcept {
    for (std::size_t i = 0; i < n; ++i) out[i] = bfloat16_of_float(in[i]);
  }
};

template <class Format, class Op>
void combine_wide(void* out, const void* a, const void* b, std::size_t count) {
  float wide_a[kWideBlock];
  float wide_b[kWideBlock];
  auto* o = static_cast<std::uint16_t*>(out);
  const auto* x = static_cast<const std::uint16_t*>(a);
  const auto* y = static_cast<const std::uint16_t*>(b);
  for (std::size_t at = 0; at < count; at += kWideBlock) {
    const std::size_t n = count - at < kWideBlock ? count - at : kWideBlock;
    Format::widen(wide_a, x + at, n);
    Format::widen(wide_b, y + at, n);
    for (std::size_t i = 0; i < n; ++i) wide_a[i] = Op::apply(wide_a[i], wide_b[i]);
    Format::narrow(o + at, wide_a, n);
  }
}

template <class Format>
void divide_wide(void* data, std::size_t count, int divisor) {
  float wide[kWideBlock];
  auto* d = static_cast<std::uint16_t*>(data);
  const float by = static_cast<float>(divisor);
  for (std::size_t at = 0; at < count; at += kWideBlock) {
    const std::size_t n = count - at < kWideBlock ? count - at : kWideBlock;
    Format::widen(wide, d + at, n);
    for (std::size_t i = 0; i < n; ++i) wide[i] /= by;
    Format::narrow(d + at, wide, n);
  }
}

#define CB_PLAIN(T) {combine<T, Sum>, combine<T, Prod>, combine<T, Min>, combine<T, Max>, combine<T, Sum>}
#define CB_WIDE(F)                                                                          \
  {combine_wide<F, Sum>, combine_wide<F, Prod>, combine_wide<F, Min>, combine_wide<F, Max>, \
   combine_wide<F, Sum>}

constexpr Kernels kKernels = {
    {CB_PLAIN(std::int8_t), CB_PLAIN(std::uint8_t), CB_PLAIN(std::int32_t), CB_PLAIN(std::uint32_t),
     CB_PLAIN(std::int64_t), CB_PLAIN(std::uint64_t), CB_WIDE(HalfFormat), CB_WIDE(BfloatFormat),
     CB_PLAIN(float), CB_PLAIN(double)},
    {divide<std::int8_t>, divide<std::uint8_t>, divide<std::int32_t>, divide<std::uint32_t>,
     divide<std::int64_t>, divide<std::uint64_t>, divide_wide<HalfFormat>, divide_wide<BfloatFormat>,
     divide<float>, divide<double>}};

#undef CB_PLAIN
#undef CB_WIDE
#undef CB_INDEPENDENT

}  // namespace
}  // namespace collbench::cpu
