#include "metrics/sampler.h"

#include <time.h>

#include <algorithm>
#include <array>

#include "core/clock.h"
#include "core/error.h"
#include "core/text.h"
#include "metrics/text.h"

namespace collbench::metrics {

namespace {

/// Largest share of a CPU core's time that reading one source may take; a source that takes more is read less
/// often. All sources together then stay below 5 %. This matters for slow sources, e.g. /proc/net/dev with a
/// hundred interfaces, or adapters that ask their firmware. If the user selects some of the sources, the
/// shares of all sources are divided among these.
constexpr double kMaxShare = 0.002;
constexpr std::int64_t kLongestPeriodNs = 1'000'000'000;

/// Number of trial readings that measure how long reading a source takes. The thread sleeps for kNap before
/// each one, as it does before readings of the run: caches are then cold and the core is idle. Without the
/// sleep, reading would take a fraction of that time.
constexpr std::size_t kTrials = 5;
constexpr timespec kNap{0, 1'000'000};

/// Returns n such that reading the source at every n-th tick of the sampler costs little CPU time. It
/// respects the source's shortest period. The cost alone never delays a reading beyond a second.
/// @param cost_ns time that one reading of the source takes
/// @param interval_ns time between two ticks; 0 = not known, n is 1
/// @param share largest share of a CPU core's time that reading may take
std::uint32_t ticks_between(const SourceEntry& entry, std::int64_t cost_ns, std::int64_t interval_ns,
                            double share) {
  if (interval_ns <= 0) return 1;
  const auto affordable_ns =
      std::min(static_cast<std::int64_t>(static_cast<double>(cost_ns) / share), kLongestPeriodNs);
  const std::int64_t period_ns = std::max(entry.min_period_ns, affordable_ns);
  return static_cast<std::uint32_t>(std::max<std::int64_t>((period_ns + interval_ns - 1) / interval_ns, 1));
}

}  // namespace

std::string source_names() { return join(sources(), &SourceEntry::name); }

bool is_source(std::string_view name) {
  return std::any_of(sources().begin(), sources().end(),
                     [&](const SourceEntry& entry) { return entry.name == name; });
}

Sampler::Sampler(const SamplerOptions& options) {
  for (const std::string& name : options.names)
    if (!is_source(name)) absent_.push_back({name, "there is no such source; there are: " + source_names()});
  for (const SourceEntry& entry : sources()) {
    if (!options.names.empty() &&
        std::find(options.names.begin(), options.names.end(), entry.name) == options.names.end())
      continue;
    try {
      selected_.push_back({&entry, entry.open({options.roots, options.ranks}), 1, 0});
    } catch (const Error& error) {
      absent_.push_back({std::string(entry.name), error.what()});
    }
  }
  pace(options.interval_ns, options.names.empty() ? kMaxShare
                                                  : kMaxShare * static_cast<double>(sources().size()) /
                                                        static_cast<double>(options.names.size()));
  for (const SelectedSource& one : selected_)
    for (MetricChannel channel : one.source->channels()) {
      channel.every_ticks = one.every_ticks;
      channels_.push_back(std::move(channel));
    }
}

void Sampler::pace(std::int64_t interval_ns, double share) {
  std::vector<std::array<std::int64_t, kTrials>> costs_ns(selected_.size());
  std::vector<double> values;
  for (std::size_t trial = 0; trial < kTrials && interval_ns > 0; ++trial) {
    clock_nanosleep(CLOCK_MONOTONIC, 0, &kNap, nullptr);
    for (std::size_t i = 0; i < selected_.size(); ++i) {
      values.resize(selected_[i].source->channels().size());
      const std::int64_t before = now_ns();
      selected_[i].source->read(values.data());
      costs_ns[i][trial] = now_ns() - before;
    }
  }
  for (std::size_t i = 0; i < selected_.size(); ++i) {
    std::sort(costs_ns[i].begin(), costs_ns[i].end());
    selected_[i].every_ticks =
        ticks_between(*selected_[i].entry, costs_ns[i][kTrials / 2], interval_ns, share);
    // Slow sources are read at different ticks, so that no tick has all of them.
    selected_[i].turn = static_cast<std::uint32_t>(i) % selected_[i].every_ticks;
  }
}

Sampler::Reading Sampler::read(double* values, bool whole) {
  Reading reading{now_ns(), 0};
  for (const SelectedSource& one : selected_) {
    const std::size_t count = one.source->channels().size();
    if (whole || tick_ == 0 || tick_ % one.every_ticks == one.turn)
      one.source->read(values);
    else
      std::fill_n(values, count, kAbsent);
    values += count;
  }
  ++tick_;
  reading.cost_ns = now_ns() - reading.start_ns;
  return reading;
}

std::optional<SourceFailure> Sampler::take_failure() {
  for (SelectedSource& one : selected_) {
    const char* reason = one.told ? nullptr : one.source->failure();
    if (reason == nullptr) continue;
    one.told = true;
    return SourceFailure{std::string(one.entry->name), reason};
  }
  return std::nullopt;
}

}  // namespace collbench::metrics
