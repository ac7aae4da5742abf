#pragma once
// Reference solution of the grid, computed by one rank from values that every rank knows. It repeats the
// iterations since the start on all points around a block that influence it.
#include <cstdint>
#include <vector>

#include "workloads/stencil/decomposition.h"

namespace collbench::stencil {

/// Values with which the grid starts, between 0 and 1, computed from seed and iteration. Points just outside
/// the grid keep their values.
struct InitialValues {
  std::uint64_t key;
  InitialValues(std::uint64_t seed, std::uint64_t iteration);
  template <class T>
  [[nodiscard]] T at(std::int64_t x, std::int64_t y) const noexcept {
    // 24 bits are exact in a float.
    constexpr T kStep = static_cast<T>(1.0 / (1 << 24));
    return static_cast<T>(bits(x, y) >> 8) * kStep;
  }

 private:
  [[nodiscard]] std::uint32_t bits(std::int64_t x, std::int64_t y) const noexcept {
    auto z = static_cast<std::uint32_t>(key) + static_cast<std::uint32_t>(x) * 0x9E3779B9U;
    z = (z ^ (z >> 16)) * 0x7FEB352DU;
    z = (z ^ (z >> 15)) + static_cast<std::uint32_t>(y) * 0x85EBCA6BU + static_cast<std::uint32_t>(key >> 32);
    z = (z ^ (z >> 16)) * 0x846CA68BU;
    return z ^ (z >> 16);
  }
};

/// Values of a rectangle `inner` and of the points around it, including corners.
template <class T>
class Patch {
 public:
  void resize(const Rectangle& inner);
  /// Returns the value at grid position (x, y). @param x from inner.x - 1 to inner.x + inner.width
  [[nodiscard]] T& at(std::int64_t x, std::int64_t y) noexcept { return *(row(y) + (x - inner_.x + 1)); }
  /// Returns the address of the value at (inner.x - 1, y).
  [[nodiscard]] T* row(std::int64_t y) noexcept {
    return values_.data() + static_cast<std::size_t>((y - inner_.y + 1) * (inner_.width + 2));
  }
  [[nodiscard]] const Rectangle& inner() const noexcept { return inner_; }

 private:
  Rectangle inner_;
  std::vector<T> values_;
};

template <class T>
class Reference {
 public:
  /// @param domain points that the iterations change: the whole grid, or one block if the halo around it
  /// never changes
  Reference(const InitialValues& first, const Rectangle& domain) : first_(first), domain_(domain) {}
  /// Computes the values of `part` after this number of iterations: after() then has them, and before() has
  /// the values of the iteration before.
  void compute(const Rectangle& part, std::uint64_t iterations);
  [[nodiscard]] Patch<T>& after() noexcept { return patches_[now_]; }
  [[nodiscard]] Patch<T>& before() noexcept { return patches_[1 - now_]; }

 private:
  const InitialValues first_;
  const Rectangle domain_;
  Patch<T> patches_[2];
  int now_ = 0;
};

}  // namespace collbench::stencil
