#include "workloads/controlpath/initiator.h"

#include <string_view>

#include "core/clock.h"

namespace collbench::controlpath {
namespace {

constexpr std::string_view kStepNames[] = {"post", "launch",     "compute", "handover", "trigger",
                                           "ring", "completion", "stream",  "resume",   "finish"};

/// A GPU's stream goes from one kernel to the next without telling anybody what it does on the way.
bool has_step(Path path, Step step, Device device) noexcept {
  const bool in_stream = path == Path::kStream && device == Device::kGpu;
  switch (step) {
    case Step::kHandover:
      return path == Path::kHost || path == Path::kProxy;
    case Step::kTrigger:
      return path == Path::kTriggered;
    case Step::kRing:
    case Step::kCompletion:
      return !in_stream;
    case Step::kStream:
      return in_stream;
    case Step::kResume:
      return path == Path::kHost || path == Path::kProxy || (path == Path::kStream && !in_stream);
    default:
      return true;
  }
}

}  // namespace

void Account::spend(Step step, std::int64_t& since) {
  const std::int64_t now = now_ns();
  (*this)[step] += now - since;
  since = now;
}

void Account::take(Columns& columns, Path path, Device device) const {
  for (std::size_t n = 0; n < step_ns.size(); ++n)
    if (has_step(path, static_cast<Step>(n), device))
      columns[std::string(kStepNames[n])].push_back(step_ns[n]);
  columns["total"].push_back(total_ns);
  if (device == Device::kGpu) columns["clock"].push_back(clock_ns);
  columns["doorbells"].push_back(static_cast<std::int64_t>(counted.doorbells));
  columns["entries"].push_back(static_cast<std::int64_t>(counted.entries));
  columns["completions"].push_back(static_cast<std::int64_t>(counted.completions));
  columns["launches"].push_back(launches);
  columns["wakeups"].push_back(wakeups);
}

}  // namespace collbench::controlpath
