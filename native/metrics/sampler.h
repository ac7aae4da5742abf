#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metrics/sources.h"

namespace collbench::metrics {

struct SamplerOptions {
  std::vector<std::string> names;  // sources of the table; empty = all that this machine has
  std::int64_t interval_ns =
      0;  // from one read to the next as planned: slow sources sit out some; 0 = none does
  std::shared_ptr<RankSlots> ranks;
  Roots roots;
};

/// A source that is absent, whole or in part.
struct SourceFailure {
  std::string source, reason;
};

/// Reads all chosen sources into one row of numbers. One thread reads; allocates only while being made.
class Sampler {
 public:
  explicit Sampler(const SamplerOptions& options = {});

  [[nodiscard]] const std::vector<Channel>& channels() const noexcept { return channels_; }
  /// Sources that could not be opened, or are not in the table.
  [[nodiscard]] const std::vector<SourceFailure>& absent() const noexcept { return absent_; }

  struct Reading {
    std::int64_t start_ns = 0;  // CLOCK_MONOTONIC before the first file; the row is as old as this
    std::int64_t cost_ns = 0;   // what reading took: the sampler's own disturbance
  };
  /// @param values room for channels().size() numbers, in that order
  /// @param whole every source, also those whose turn it is not: the first and the last read of a run
  Reading read(double* values, bool whole = false);

  /// A source that failed while reading and was not told of yet. Any one thread.
  std::optional<SourceFailure> take_failure();

 private:
  struct Chosen {
    const SourceEntry* entry;
    std::unique_ptr<Source> source;
    std::uint32_t every_ticks, turn;
    bool told = false;
  };
  /// How often each source is to be read, from what reading it costs here.
  void pace(std::int64_t interval_ns);

  std::vector<Chosen> chosen_;
  std::vector<Channel> channels_;
  std::vector<SourceFailure> absent_;
  std::uint32_t tick_ = 0;
};

/// "cpu, memory, ...": the names of the table.
std::string source_names();
bool is_source(std::string_view name);

}  // namespace collbench::metrics
