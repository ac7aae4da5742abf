#include "metrics/sampler.h"

#include <algorithm>

#include "core/clock.h"
#include "core/error.h"
#include "metrics/text.h"

namespace collbench::metrics {

namespace {

/// One source takes at most this share of a core; it sits out ticks where it would take more. All of them
/// together stay below 5 %, whatever the machine: /proc/net/dev with a hundred interfaces, adapters that ask
/// their firmware.
constexpr double kMostShare = 0.002;
constexpr std::int64_t kLongestPeriodNs = 1'000'000'000;

/// Every how many ticks a source is read.
std::uint32_t ticks_between(const SourceEntry& entry, Source& source, std::int64_t interval_ns) {
  if (interval_ns <= 0) return 1;
  std::vector<double> values(source.channels().size());
  std::int64_t cost_ns = INT64_MAX;
  for (int i = 0; i < 3; ++i) {  // the first is slow: nothing is in the caches
    const std::int64_t before = now_ns();
    source.read(values.data());
    cost_ns = std::min(cost_ns, now_ns() - before);
  }
  const auto affordable_ns =
      std::min(static_cast<std::int64_t>(static_cast<double>(cost_ns) / kMostShare), kLongestPeriodNs);
  const std::int64_t period_ns = std::max(entry.least_period_ns, affordable_ns);
  return static_cast<std::uint32_t>(std::max<std::int64_t>((period_ns + interval_ns - 1) / interval_ns, 1));
}

}  // namespace

std::string source_names() {
  std::string names;
  for (const SourceEntry& entry : sources()) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

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
      auto source = entry.open({options.roots, options.ranks});
      const std::uint32_t every = ticks_between(entry, *source, options.interval_ns);
      for (Channel channel : source->channels()) {
        channel.every_ticks = every;
        channels_.push_back(std::move(channel));
      }
      // Slow sources take turns, so that no tick has to bear them all.
      const auto turn = static_cast<std::uint32_t>(chosen_.size()) % every;
      chosen_.push_back({&entry, std::move(source), every, turn});
    } catch (const Error& error) {
      absent_.push_back({std::string(entry.name), error.what()});
    }
  }
}

Sampler::Reading Sampler::read(double* values, bool whole) {
  Reading reading{now_ns(), 0};
  for (const Chosen& one : chosen_) {
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
  for (Chosen& one : chosen_) {
    const char* reason = one.told ? nullptr : one.source->failure();
    if (reason == nullptr) continue;
    one.told = true;
    return SourceFailure{std::string(one.entry->name), reason};
  }
  return std::nullopt;
}

}  // namespace collbench::metrics
