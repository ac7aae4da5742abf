#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "metrics/sources.h"

namespace collbench::metrics {

/// Selection of the metric sources (such as "cpu" or "net") that a Sampler reads, and how often.
struct SamplerOptions {
  /// names of the metric sources to read; empty = every source that this machine has
  std::vector<std::string> names;
  std::int64_t interval_ns =
      0;  // planned interval between reads, ns: slow sources skip some reads; 0 = no source skips
  std::shared_ptr<RankSlots> ranks;
  Roots roots;
};

/// A metric source that cannot be read, or only in part: its name and the reason as text for users.
struct SourceFailure {
  std::string source, reason;
};

/// Reads the selected metric sources, such as "cpu", into an array with one number per channel. Only one
/// thread may call read(). Memory is allocated only in the constructor, so that readings disturb little.
class Sampler {
 public:
  explicit Sampler(const SamplerOptions& options = {});

  [[nodiscard]] const std::vector<MetricChannel>& channels() const noexcept { return channels_; }
  /// Returns the requested metric sources that could not be opened or do not exist, with the reasons.
  [[nodiscard]] const std::vector<SourceFailure>& absent() const noexcept { return absent_; }

  struct Reading {
    std::int64_t start_ns = 0;  // CLOCK_MONOTONIC before the first file is read; the row's time stamp
    std::int64_t cost_ns = 0;   // duration of the reading: the sampler's own disturbance
  };
  /// Reads those sources whose turn it is: all at the first call; then a fast source at every call, a slow
  /// one at every n-th call.
  /// @param values receives channels().size() numbers, in that order; NaN for a source that is not due
  /// @param whole true: reads every source, also those that are not due; used for the first and last reading
  /// of a run
  Reading read(double* values, bool whole = false);

  /// Returns the next source that cannot be read, fully or in part (Source::failure()), and was not returned
  /// before; nullopt if there is none. Any single thread may call it.
  std::optional<SourceFailure> take_failure();

 private:
  struct SelectedSource {
    const SourceEntry* entry;
    std::unique_ptr<Source> source;
    std::uint32_t every_ticks, turn;
    bool told = false;
  };
  /// Measures how long reading each source takes on this machine, and decides at every how many-th read() it
  /// is read. Slow sources are read less often, and at different calls.
  /// @param interval_ns planned interval between reads; 0 = every source is read at every call
  /// @param share largest share of a CPU core's time that reading one source may take
  void pace(std::int64_t interval_ns, double share);

  std::vector<SelectedSource> selected_;
  std::vector<MetricChannel> channels_;
  std::vector<SourceFailure> absent_;
  std::uint32_t tick_ = 0;
};

/// Returns the names of all metric sources of this build as one text, for messages: "cpu, memory, ...".
std::string source_names();
bool is_source(std::string_view name);

}  // namespace collbench::metrics
