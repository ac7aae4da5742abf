#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "metrics/sources.h"

namespace collbench::metrics {

/// Reads all chosen sources into one row of numbers. Not thread-safe; allocates only while being made.
class Sampler {
 public:
  /// @param names sources of the table; empty = all that this kernel has
  /// @throws Error(kInvalidArgument) for a name that is not in the table, naming those that are
  explicit Sampler(const std::vector<std::string_view>& names = {});

  [[nodiscard]] const std::vector<Channel>& channels() const noexcept { return channels_; }

  struct Reading {
    std::int64_t start_ns = 0;  // CLOCK_MONOTONIC before the first file; the row is as old as this
    std::int64_t cost_ns = 0;   // what reading took: the sampler's own disturbance
  };
  /// @param values room for channels().size() numbers, in that order
  Reading read(double* values);

 private:
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<Channel> channels_;
};

}  // namespace collbench::metrics
