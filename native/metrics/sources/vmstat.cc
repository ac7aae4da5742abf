// /proc/vmstat: swapping, page faults, pages moved between NUMA nodes (mm/vmstat.c names them).
#include <array>

#include "metrics/keyed_source.h"
#include "metrics/sources/openers.h"

namespace collbench::metrics {
namespace {

constexpr std::array<KeyedValue, 15> kEvents = {{
    {"numa_hit", "vmstat.numaHit", "pages"},
    {"numa_miss", "vmstat.numaMiss", "pages"},
    {"numa_foreign", "vmstat.numaForeign", "pages"},
    {"pswpin", "vmstat.pswpin", "pages"},
    {"pswpout", "vmstat.pswpout", "pages"},
    {"pgfault", "vmstat.pgfault", "faults"},
    {"pgmajfault", "vmstat.pgmajfault", "faults"},
    {"numa_pte_updates", "vmstat.numaPteUpdates", "pages"},
    {"numa_hint_faults", "vmstat.numaHintFaults", "faults"},
    {"numa_pages_migrated", "vmstat.numaPagesMigrated", "pages"},
    {"pgmigrate_success", "vmstat.pgmigrateSuccess", "pages"},
    {"pgmigrate_fail", "vmstat.pgmigrateFail", "pages"},
    {"compact_stall", "vmstat.compactStall", "stalls"},
    {"thp_fault_alloc", "vmstat.thpFaultAlloc", "pages"},
    {"thp_split_page", "vmstat.thpSplitPage", "pages"},
}};

}  // namespace

std::unique_ptr<Source> open_vmstat(const SourceContext& context) {
  return std::make_unique<KeyedSource>(context.roots.proc + "/vmstat", kEvents);
}

}  // namespace collbench::metrics
