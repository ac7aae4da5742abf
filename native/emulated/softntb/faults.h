#pragma once
// Faults that can be switched on to test whether a caller notices them. README.md of this room has a table of
// them.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "emulated/softcard/every_nth.h"

namespace collbench::softntb {

using softcard::EveryNth;

/// Faults to inject, from the environment variable SOFTNTB_FAULT. They are set once, when the library
/// is initialised.
struct AdapterFaults {
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  bool no_iommu = false;    // true: DMA of registered memory reports success and moves nothing
  EveryNth bit_flip;        // inverts a bit of the data of a DMA or SCIMemCpy
  EveryNth swapped_halves;  // exchanges the halves of a DMA's data
  EveryNth lost_interrupt;  // an interrupt reports success and does not arrive
  EveryNth retriable;       // SCICheckSequence returns SCI_SEQ_RETRIABLE
  double slow_factor = 1;   // factor by which the link is slower than its model
  std::uint64_t segments_allowed = kNever;       // segments until SCICreateSegment fails; kNever = no limit
  std::uint64_t link_down_after_bytes = kNever;  // bytes until the link fails; kNever = it does not

  /// Counts `bytes` as moved. True if the fault link-down (link fails after N bytes) is set and has occurred.
  bool link_down(std::uint64_t bytes) noexcept {
    if (link_down_after_bytes == kNever) return false;
    return moved_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes > link_down_after_bytes ||
           link_down_after_bytes == 0;
  }
  /// Counts one new segment. False if the fault that limits the number of segments forbids it.
  bool take_segment() noexcept {
    return segments_allowed == kNever || segments_.fetch_add(1, std::memory_order_relaxed) < segments_allowed;
  }

 private:
  std::atomic<std::uint64_t> moved_bytes_{0};
  std::atomic<std::uint64_t> segments_{0};
};

/// Parses a list of faults to inject such as "no-iommu,bit-flip:every=100"; empty = no fault.
/// @returns nullptr for an unknown fault or value; `problem` then lists what is allowed
std::unique_ptr<AdapterFaults> parse_faults(std::string_view text, std::string* problem);

}  // namespace collbench::softntb
