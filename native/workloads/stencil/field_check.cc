#include "workloads/stencil/field_check.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <string>
#include <type_traits>

namespace collbench::stencil {
namespace {

/// Usual number of grid points for which the expected values are computed at a time (bands_of()).
constexpr std::int64_t kBandPoints = std::int64_t{1} << 18;
constexpr const char* kSideNames[] = {"north", "south", "west", "east"};

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// Returns a value as text, with so many digits that no other value of the type has the same text.
template <class T>
std::string describe(T value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", sizeof(T) == 8 ? 17 : 9, static_cast<double>(value));
  return text;
}

}  // namespace

std::vector<Rectangle> bands_of(const Rectangle& block, std::uint64_t iterations) {
  // Every band computes the points around it again, so it must not be too thin.
  const std::int64_t least = 8 * static_cast<std::int64_t>(iterations);
  const std::int64_t height = std::max({std::int64_t{1}, least, kBandPoints / block.width});
  std::vector<Rectangle> bands;
  for (std::int64_t y = 0; y < block.height; y += height)
    bands.push_back({block.x, block.y + y, block.width, std::min(height, block.height - y)});
  return bands;
}

template <class T>
void FieldCheck<T>::compare(T wanted, T got, std::int64_t x, std::int64_t y, int side) {
  using Bits = BitsOf<T>;
  if (std::bit_cast<Bits>(wanted) == std::bit_cast<Bits>(got)) return;
  if (result_.wrong++ > 0) return;
  result_.first_index = static_cast<std::uint64_t>(std::max<std::int64_t>(0, y * portion_.grid.width + x));
  result_.wanted = describe(wanted);
  result_.got = describe(got);
  result_.note = "point (" + std::to_string(x) + ", " + std::to_string(y) + ")";
  if (side < kSides)
    result_.note +=
        " of the halo from rank " + std::to_string(portion_.neighbours[side]) + " in the " + kSideNames[side];
  if (std::isnan(got)) result_.note += ", poison: never received";
}

template <class T>
void FieldCheck<T>::compare_halo(Patch<T>& wanted, const Rectangle& band) {
  const Rectangle& block = portion_.block;
  for (int side = 0; side < kSides; ++side) {
    const std::vector<T>& got = halos_[side];
    const Rectangle halo = halo_of(block, side);
    // The halo points next to this band: a row at its end, or as many points of a column as the band is high.
    const std::int64_t top = std::max(halo.y, side < kWest ? halo.y : band.y);
    const std::int64_t bottom = side < kWest ? halo.y + 1 : band.y + band.height;
    const bool is_here = side == kNorth   ? band.y == block.y
                         : side == kSouth ? band.y + band.height == block.y + block.height
                                          : true;
    if (got.empty() || !is_here) continue;
    for (std::int64_t y = top; y < bottom; ++y)
      for (std::int64_t x = halo.x; x < halo.x + halo.width; ++x) {
        ++result_.compared;
        compare(wanted.at(x, y), got[static_cast<std::size_t>(x - halo.x + y - halo.y)], x, y, side);
      }
  }
}

template <class T>
void FieldCheck<T>::compare_field(Patch<T>& wanted, const Rectangle& band, const std::vector<T>& got) {
  const T* row = got.data();
  for (std::int64_t y = band.y; y < band.y + band.height; ++y, row += band.width)
    for (std::int64_t i = 0; i < band.width; ++i)
      compare(wanted.at(band.x + i, y), row[i], band.x + i, y, kSides);
  result_.compared += static_cast<std::uint64_t>(band.width * band.height);
}

template class FieldCheck<float>;
template class FieldCheck<double>;

}  // namespace collbench::stencil
