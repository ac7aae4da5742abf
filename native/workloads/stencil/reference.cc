#include "workloads/stencil/reference.h"

#include <algorithm>

namespace collbench::stencil {
namespace {

std::uint64_t mixed(std::uint64_t z) {
  z += 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

/// Returns the rectangle `part` extended by `margin` grid points on every side, but not beyond `domain`.
Rectangle grown(const Rectangle& part, std::int64_t margin, const Rectangle& domain) {
  const std::int64_t left = std::max(part.x - margin, domain.x), top = std::max(part.y - margin, domain.y);
  const std::int64_t right = std::min(part.x + part.width + margin, domain.x + domain.width);
  const std::int64_t bottom = std::min(part.y + part.height + margin, domain.y + domain.height);
  return {left, top, right - left, bottom - top};
}

}  // namespace

InitialValues::InitialValues(std::uint64_t seed, std::uint64_t iteration)
    : key(mixed(mixed(seed) + iteration)) {}

template <class T>
void Patch<T>::resize(const Rectangle& inner) {
  inner_ = inner;
  values_.resize(static_cast<std::size_t>((inner.width + 2) * (inner.height + 2)));
}

template <class T>
void Reference<T>::compute(const Rectangle& part, std::uint64_t iterations) {
  const Rectangle all = grown(part, static_cast<std::int64_t>(iterations), domain_);
  for (Patch<T>& patch : patches_) {
    patch.resize(all);
    for (std::int64_t y = all.y - 1; y <= all.y + all.height; ++y) {
      T* const row = patch.row(y);
      for (std::int64_t i = 0; i < all.width + 2; ++i) row[i] = first_.at<T>(all.x - 1 + i, y);
    }
  }
  now_ = 0;
  for (std::uint64_t left = iterations; left > 0; --left) {
    Patch<T>&from = patches_[now_], &to = patches_[1 - now_];
    const Rectangle reached = grown(part, static_cast<std::int64_t>(left) - 1, domain_);
    const std::int64_t begin = reached.x - all.x + 1, end = begin + reached.width;
    for (std::int64_t y = reached.y; y < reached.y + reached.height; ++y) {
      const T* const north = from.row(y - 1);
      const T* const row = from.row(y);
      const T* const south = from.row(y + 1);
      T* const made = to.row(y);
      for (std::int64_t i = begin; i < end; ++i)
        made[i] = average(north[i], south[i], row[i - 1], row[i + 1]);
    }
    now_ = 1 - now_;
  }
}

template class Patch<float>;
template class Patch<double>;
template class Reference<float>;
template class Reference<double>;

}  // namespace collbench::stencil
