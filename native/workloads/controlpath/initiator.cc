#include "workloads/controlpath/initiator.h"

#include <string_view>

#include "core/clock.h"

namespace collbench::controlpath {
namespace {

constexpr std::string_view kStepNames[] = {"post", "launch",     "compute", "handover", "trigger",
                                           "ring", "completion", "stream",  "resume",   "finish"};

/// Returns true if an operation on this path has this step as a time of its own. In a GPU's stream, what
/// happens between two kernels cannot be observed, so kStream replaces the steps there.
bool has_step(Path path, OperationStep step, DeviceKind device) noexcept {
  const bool in_stream = path == Path::kStream && device == DeviceKind::kGpu;
  switch (step) {
    case OperationStep::kHandover:
      return path == Path::kHost || path == Path::kProxy;
    case OperationStep::kTrigger:
      return path == Path::kTriggered;
    case OperationStep::kRing:
    case OperationStep::kCompletion:
      return !in_stream;
    case OperationStep::kStream:
      return in_stream;
    case OperationStep::kResume:
      return path == Path::kHost || path == Path::kProxy || (path == Path::kStream && !in_stream);
    default:
      return true;
  }
}

}  // namespace

void StepTimes::add_time(OperationStep step, std::int64_t& since) {
  const std::int64_t now = now_ns();
  (*this)[step] += now - since;
  since = now;
}

void StepTimes::take(OperationColumns& columns, Path path, DeviceKind device) const {
  for (std::size_t n = 0; n < step_ns.size(); ++n)
    if (has_step(path, static_cast<OperationStep>(n), device))
      columns[std::string(kStepNames[n])].push_back(step_ns[n]);
  columns["total"].push_back(total_ns);
  if (device == DeviceKind::kGpu) columns["clock"].push_back(clock_ns);
  columns["doorbells"].push_back(static_cast<std::int64_t>(counted.doorbells));
  columns["entries"].push_back(static_cast<std::int64_t>(counted.entries));
  columns["completions"].push_back(static_cast<std::int64_t>(counted.completions));
  columns["launches"].push_back(launches);
  columns["wakeups"].push_back(wakeups);
}

}  // namespace collbench::controlpath
