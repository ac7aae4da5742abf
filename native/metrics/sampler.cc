#include "metrics/sampler.h"

#include <algorithm>
#include <string>

#include "core/clock.h"
#include "core/error.h"

namespace collbench::metrics {

Sampler::Sampler(const std::vector<std::string_view>& names) {
  std::string known;
  for (const SourceEntry& entry : sources()) known += (known.empty() ? "" : ", ") + std::string(entry.name);
  for (const std::string_view name : names)
    if (std::none_of(sources().begin(), sources().end(),
                     [&](const SourceEntry& e) { return e.name == name; }))
      throw Error(ErrorCode::kInvalidArgument,
                  "metric source '" + std::string(name) + "' does not exist; there are: " + known);
  for (const SourceEntry& entry : sources()) {
    if (!names.empty() && std::find(names.begin(), names.end(), entry.name) == names.end()) continue;
    auto source = entry.open();
    if (source == nullptr) continue;
    channels_.insert(channels_.end(), source->channels().begin(), source->channels().end());
    sources_.push_back(std::move(source));
  }
}

Sampler::Reading Sampler::read(double* values) {
  Reading reading{now_ns(), 0};
  for (const auto& source : sources_) {
    source->read(values);
    values += source->channels().size();
  }
  reading.cost_ns = now_ns() - reading.start_ns;
  return reading;
}

}  // namespace collbench::metrics
