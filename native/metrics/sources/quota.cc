// Time that CPU quotas of our control group and its ancestors kept our processes from running
// (Documentation/admin-guide/cgroup-v2.rst, cpu.stat; Documentation/scheduler/sched-bwc.rst for version 1).
#include "core/error.h"
#include "metrics/control_groups.h"
#include "metrics/kernel_file.h"
#include "metrics/sources/openers.h"
#include "metrics/text.h"

namespace collbench::metrics {
namespace {

/// Returns the time in ns, summed over CPUs, that the group was throttled. It is in the line "throttled_usec
/// N" (control groups version 2) or "throttled_time N" (version 1); kAbsent without either.
double throttled_ns(std::string_view text) {
  double ns = kAbsent;
  each_whole_line(text, [&](std::string_view line) {
    const std::string_view name = take_word(line);
    if (name == "throttled_usec") ns = take_value(line) * 1e3;
    if (name == "throttled_time") ns = take_value(line);
  });
  return ns;
}

class QuotaSource : public Source {
 public:
  explicit QuotaSource(const Roots& roots) {
    for (const std::string& group : control_groups(roots, "cpu")) {
      KernelFile file(group + "/cpu.stat");
      if (has_cpu_quota(group) && throttled_ns(file.read().value_or(std::string_view{})) >= 0)
        files_.push_back(std::move(file));
    }
    if (files_.empty())
      throw Error(ErrorCode::kUnavailable, "no control group of ours has a quota of processor time");
    add_counter("cgroup.throttled", "ns");
  }
  void read(double* values) override {
    double sum = 0;
    for (KernelFile& file : files_) {
      const auto text = file.read();
      if (!text) fail("cpu.stat", file.error());
      sum += throttled_ns(text.value_or(std::string_view{}));
    }
    *values = sum;
  }

 private:
  std::vector<KernelFile> files_;
};

}  // namespace

std::unique_ptr<Source> open_quota(const SourceContext& context) {
  return std::make_unique<QuotaSource>(context.roots);
}

}  // namespace collbench::metrics
