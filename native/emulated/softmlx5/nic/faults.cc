#include "emulated/softmlx5/nic/faults.h"

#include "emulated/softcard/switches.h"

namespace collbench::softmlx5 {
namespace {

std::uint64_t count(double value) { return static_cast<std::uint64_t>(value); }

constexpr softcard::Switch<CardFaults> kSwitches[] = {
    {"lost-doorbell", "every", 1, 1, [](CardFaults& f, double v) { f.lost_doorbell.set(count(v)); }},
    {"bit-flip", "every", 1, 1, [](CardFaults& f, double v) { f.bit_flip.set(count(v)); }},
    {"stuck-cq", "after", 0, 0, [](CardFaults& f, double v) { f.completions_until_stuck = count(v); }},
    {"qp-error", "after", 0, 0, [](CardFaults& f, double v) { f.requests_until_error = count(v); }},
    {"port-down", "after-bytes", 0, 0, [](CardFaults& f, double v) { f.bytes_until_down = count(v); }},
    {"slow-link", "factor", 10, 1, [](CardFaults& f, double v) { f.slow_factor = v; }},
};

}  // namespace

std::unique_ptr<CardFaults> parse_faults(std::string_view text, std::string* problem) {
  auto faults = std::make_unique<CardFaults>();
  if (!softcard::read_switches<CardFaults>(text, kSwitches, *faults, problem)) return nullptr;
  return faults;
}

}  // namespace collbench::softmlx5
