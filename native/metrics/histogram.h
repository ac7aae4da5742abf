#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace collbench::metrics {

/// Counts numbers in fixed bins; negative ones count as 0. Numbers below 16 have a bin each; above, there are
/// 8 bins per power of two. So a quantile is at most 12.5 % too high. Not thread-safe.
class Histogram {
 public:
  void add(std::int64_t value) noexcept {
    const auto v = static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
    ++bins_[bin_of(v)];
    ++count_;
    max_ = std::max(max_, v);
  }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  [[nodiscard]] std::int64_t max() const noexcept { return static_cast<std::int64_t>(max_); }
  /// Returns the nearest-rank quantile: the upper end of the bin that contains it, but at most max(). 0 if
  /// nothing was counted.
  /// @param share 0 to 1
  [[nodiscard]] std::int64_t quantile(double share) const noexcept {
    const double rank = share * static_cast<double>(count_);
    std::uint64_t seen = 0;
    for (std::size_t bin = 0; bin < bins_.size(); ++bin)
      if ((seen += bins_[bin]) > 0 && static_cast<double>(seen) >= rank)
        return static_cast<std::int64_t>(std::min(last_of(bin), max_));
    return 0;
  }

 private:
  static constexpr std::size_t kExact = 16, kPerOctave = 8;
  static std::size_t bin_of(std::uint64_t value) noexcept {
    if (value < kExact) return static_cast<std::size_t>(value);
    const int octave = std::bit_width(value) - 1;  // at least 4
    return kExact + static_cast<std::size_t>(octave - 4) * kPerOctave +
           static_cast<std::size_t>((value >> (octave - 3)) & (kPerOctave - 1));
  }
  static std::uint64_t last_of(std::size_t bin) noexcept {
    if (bin < kExact) return bin;
    const std::size_t octave = (bin - kExact) / kPerOctave + 4, part = (bin - kExact) % kPerOctave;
    return ((kPerOctave + part + 1) << (octave - 3)) - 1;
  }
  std::array<std::uint64_t, kExact + 60 * kPerOctave> bins_{};
  std::uint64_t count_ = 0, max_ = 0;
};

}  // namespace collbench::metrics
