// Workload whose unit is waiting, for tests: what is measured beyond `waitNs` is the cost of measuring.
// Verified by counting the waits.
#include "workloads/workload.h"

#include "core/clock.h"
#include "core/spin.h"

namespace collbench {
namespace null {
namespace {

constexpr Ability kNeeds[] = {Ability::kHostClock};
constexpr std::string_view kAxes[] = {"waitNs"};
constexpr std::int64_t kMaxNs = 1'000'000'000;  // Longest wait, because a wait cannot be cancelled.

std::int64_t wait_of(const Axes& axes) { return axes.whole("waitNs", 0, kMaxNs); }

class Null final : public Workload {
 public:
  explicit Null(std::int64_t wait_ns) : wait_ns_(wait_ns) {}

  void prepare(std::uint64_t, std::uint32_t units, std::uint32_t) override { wanted_ = count_ + units; }
  void run(std::uint32_t units) override {
    for (std::uint32_t n = 0; n < units; ++n, ++count_)
      for (const std::int64_t end = now_ns() + wait_ns_; now_ns() < end;) cpu_relax();
  }
  Verification verify(std::uint64_t) override {
    if (count_ == wanted_) return {1, 0, 0, "", "", ""};
    return {1, 1, 0, std::to_string(wanted_), std::to_string(count_), "waits of this rank so far"};
  }

 private:
  const std::int64_t wait_ns_;
  std::uint64_t count_ = 0, wanted_ = 0;
};

std::unique_ptr<Workload> create(const WorkloadContext& /*context*/, const Axes& axes) {
  return std::make_unique<Null>(wait_of(axes));
}

std::string words_of(const Axes& axes) { return "wait of " + std::to_string(wait_of(axes)) + " ns"; }

}  // namespace
}  // namespace null

WorkloadEntry null_workload() { return {"null", null::kNeeds, null::kAxes, null::create, null::words_of}; }

}  // namespace collbench
