#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "collectives/half.h"

using namespace collbench;

namespace {

struct Format {
  int mantissa_bits;
  int bias;
  std::uint8_t largest;  // Code of the largest finite value.
  float (*load)(std::uint8_t);
  std::uint8_t (*store)(float);
};
constexpr Format kFormats[] = {{3, 7, 0x7E, float_of_float8e4m3, float8e4m3_of_float},
                               {2, 15, 0x7B, float_of_float8e5m2, float8e5m2_of_float}};

/// Returns the value by definition: (-1)^sign * 2^(exponent-bias) * 1.fraction; exponent 0 has no leading 1.
double value_of(const Format& format, std::uint32_t code) {
  const std::uint32_t steps = 1U << format.mantissa_bits;
  const int exponent = static_cast<int>((code & 0x7FU) / steps);
  const double fraction = (code & (steps - 1)) / static_cast<double>(steps);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, 1 - format.bias)
                                         : std::ldexp(1 + fraction, exponent - format.bias);
  return (code & 0x80U) != 0 ? -magnitude : magnitude;
}

}  // namespace

TEST_CASE("all 256 codes of both 8-bit floats have the value that their definition gives") {
  for (const Format& format : kFormats)
    for (std::uint32_t c = 0; c < 256; ++c) {
      const auto code = static_cast<std::uint8_t>(c);
      CAPTURE(format.bias);
      CAPTURE(c);
      if ((code & 0x7FU) <= format.largest) {
        CHECK(format.load(code) == static_cast<float>(value_of(format, c)));
        CHECK(std::signbit(format.load(code)) == (c >= 128));
        CHECK(format.store(format.load(code)) == code);
      } else if (format.bias == 15 && (code & 0x7FU) == 0x7C) {
        CHECK(std::isinf(format.load(code)));
      } else {
        CHECK(std::isnan(format.load(code)));
      }
    }
}

TEST_CASE("8-bit floats round to nearest even, and too large a value becomes the largest") {
  for (const Format& format : kFormats) {
    for (std::uint32_t c = 0; c < format.largest; ++c) {
      const auto low = static_cast<float>(value_of(format, c));
      const auto high = static_cast<float>(value_of(format, c + 1));
      const float middle = low + (high - low) / 2;
      CAPTURE(format.bias);
      CAPTURE(c);
      CHECK(format.store(middle) == (c % 2 == 0 ? c : c + 1));
      CHECK(format.store(std::nextafter(middle, 0.0F)) == c);
      CHECK(format.store(-std::nextafter(middle, high)) == (c + 1) + 0x80);
    }
    CHECK(format.store(1e30F) == format.largest);
    CHECK(format.store(-std::numeric_limits<float>::infinity()) == format.largest + 0x80);
    CHECK(std::isnan(format.load(format.store(std::nanf("")))));
  }
  CHECK(float_of_float8e4m3(0x7E) == 448.0F);
  CHECK(float_of_float8e5m2(0x7B) == 57344.0F);
}
