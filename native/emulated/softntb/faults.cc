#include "emulated/softntb/faults.h"

#include "emulated/softcard/switches.h"

namespace collbench::softntb {
namespace {

std::uint64_t count(double value) { return static_cast<std::uint64_t>(value); }

constexpr softcard::Switch<AdapterFaults> kSwitches[] = {
    {"no-iommu", "", 0, 0, [](AdapterFaults& f, double) { f.no_iommu = true; }},
    {"bit-flip", "every", 1, 1, [](AdapterFaults& f, double v) { f.bit_flip.set(count(v)); }},
    {"swapped-halves", "every", 1, 1, [](AdapterFaults& f, double v) { f.swapped_halves.set(count(v)); }},
    {"lost-interrupt", "every", 1, 1, [](AdapterFaults& f, double v) { f.lost_interrupt.set(count(v)); }},
    {"link-down", "after-bytes", 0, 0,
     [](AdapterFaults& f, double v) { f.link_down_after_bytes = count(v); }},
    {"slow-link", "factor", 10, 1, [](AdapterFaults& f, double v) { f.slow_factor = v; }},
    {"no-segments", "after", 0, 0, [](AdapterFaults& f, double v) { f.segments_allowed = count(v); }},
    {"retriable", "every", 2, 1, [](AdapterFaults& f, double v) { f.retriable.set(count(v)); }},
};

}  // namespace

std::unique_ptr<AdapterFaults> parse_faults(std::string_view text, std::string* problem) {
  auto faults = std::make_unique<AdapterFaults>();
  if (!softcard::read_switches<AdapterFaults>(text, kSwitches, *faults, problem)) return nullptr;
  return faults;
}

}  // namespace collbench::softntb
