#pragma once
// The two 8-bit floating point types of NCCL: e4m3 (no infinities, largest 448) and e5m2 (largest 57344).
// Conversion rounds to nearest even and saturates, as the vendor's constructors do.
#include <cmath>
#include <cstdint>
#include <limits>

namespace collbench::nccl_fake {

template <int kMantissaBits, int kBias, std::uint8_t kLargest>
struct Float8 {
  static float to_float(std::uint8_t bits) {
    const int exponent = (bits & 0x7F) >> kMantissaBits, mantissa = bits & ((1 << kMantissaBits) - 1);
    float magnitude = 0;
    if ((bits & 0x7F) > kLargest)
      magnitude = kMantissaBits == 2 && (bits & 0x7F) == 0x7C ? std::numeric_limits<float>::infinity()
                                                              : std::numeric_limits<float>::quiet_NaN();
    else if (exponent == 0)
      magnitude = std::ldexp(static_cast<float>(mantissa), 1 - kBias - kMantissaBits);
    else
      magnitude =
          std::ldexp(static_cast<float>(mantissa + (1 << kMantissaBits)), exponent - kBias - kMantissaBits);
    return (bits & 0x80) != 0 ? -magnitude : magnitude;
  }

  static std::uint8_t of_float(float value) {
    const auto sign = static_cast<std::uint8_t>(std::signbit(value) ? 0x80 : 0);
    if (std::isnan(value)) return sign | 0x7F;
    const float magnitude = std::fabs(value);
    if (magnitude >= to_float(kLargest)) return sign | kLargest;
    if (magnitude == 0) return sign;
    // In units of the last place, rounding may carry into the next binade: the encoding is continuous there.
    const int exponent = std::max(std::ilogb(magnitude), 1 - kBias);
    const int units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, kMantissaBits - exponent)));
    const int bits = ((exponent + kBias - 1) << kMantissaBits) + units;
    return sign | static_cast<std::uint8_t>(bits);
  }
};
using Float8e4m3 = Float8<3, 7, 0x7E>;
using Float8e5m2 = Float8<2, 15, 0x7B>;

}  // namespace collbench::nccl_fake
