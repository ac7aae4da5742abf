#include "softmlx5/nic/faults.h"

#include "softcard/switches.h"

namespace collbench::softmlx5 {
namespace {

std::uint64_t count(double value) { return static_cast<std::uint64_t>(value); }

constexpr softcard::Switch<Faults> kSwitches[] = {
    {"lost-doorbell", "every", 1, 1, [](Faults& f, double v) { f.lost_doorbell.set(count(v)); }},
    {"bit-flip", "every", 1, 1, [](Faults& f, double v) { f.bit_flip.set(count(v)); }},
    {"stuck-cq", "after", 0, 0, [](Faults& f, double v) { f.completions_until_stuck = count(v); }},
    {"qp-error", "after", 0, 0, [](Faults& f, double v) { f.requests_until_error = count(v); }},
    {"port-down", "after-bytes", 0, 0, [](Faults& f, double v) { f.bytes_until_down = count(v); }},
    {"slow-link", "factor", 10, 1, [](Faults& f, double v) { f.slow_factor = v; }},
};

}  // namespace

std::unique_ptr<Faults> parse_faults(std::string_view text, std::string* problem) {
  auto faults = std::make_unique<Faults>();
  if (!softcard::read_switches<Faults>(text, kSwitches, *faults, problem)) return nullptr;
  return faults;
}

}  // namespace collbench::softmlx5
