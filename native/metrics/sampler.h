#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metrics/sources.h"

namespace collbench::metrics {

struct SamplerOptions {
  /// names in the table of sources; empty = every source that this machine has
  std::vector<std::string> names;
  std::int64_t interval_ns =
      0;  // planned interval between reads, ns: slow sources skip some reads; 0 = no source skips
  std::shared_ptr<RankSlots> ranks;
  Roots roots;
};

/// A source that is missing, fully or in part.
struct SourceFailure {
  std::string source, reason;
};

/// Reads all selected sources into one row of numbers. One thread reads; memory is allocated only in the
/// constructor.
class Sampler {
 public:
  explicit Sampler(const SamplerOptions& options = {});

  [[nodiscard]] const std::vector<Channel>& channels() const noexcept { return channels_; }
  /// Sources that could not be opened or are not in the table.
  [[nodiscard]] const std::vector<SourceFailure>& absent() const noexcept { return absent_; }

  struct Reading {
    std::int64_t start_ns = 0;  // CLOCK_MONOTONIC before the first file is read; the row's time stamp
    std::int64_t cost_ns = 0;   // duration of the reading: the sampler's own disturbance
  };
  /// @param values room for channels().size() numbers, in that order
  /// @param whole read every source, also those that would skip this read: for the first and the last read of
  /// a run
  Reading read(double* values, bool whole = false);

  /// Next source that failed while reading and was not returned yet. For any one thread.
  std::optional<SourceFailure> take_failure();

 private:
  struct SelectedSource {
    const SourceEntry* entry;
    std::unique_ptr<Source> source;
    std::uint32_t every_ticks, turn;
    bool told = false;
  };
  /// Sets how often each source is read, from the time that reading it takes on this machine.
  void pace(std::int64_t interval_ns);

  std::vector<SelectedSource> selected_;
  std::vector<Channel> channels_;
  std::vector<SourceFailure> absent_;
  std::uint32_t tick_ = 0;
};

/// Names of all sources in the table: "cpu, memory, ...".
std::string source_names();
bool is_source(std::string_view name);

}  // namespace collbench::metrics
