#pragma once
// Faults that can be switched on to test whether a caller notices them. README.md of this room has a table of
// them.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "emulated/softcard/every_nth.h"

namespace collbench::softmlx5 {

/// Faults to inject, from the environment variable SOFTMLX5_FAULT. Occasions are counted per process.
struct CardFaults {
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  softcard::EveryNth lost_doorbell;                // a doorbell is ignored
  softcard::EveryNth bit_flip;                     // inverts a bit of the data of a message
  std::uint64_t completions_until_stuck = kNever;  // completions after which no more are written
  std::uint64_t requests_until_error = kNever;     // requests after which each fails
  std::uint64_t bytes_until_down = kNever;         // sent bytes after which the port is down
  double slow_factor = 1;                          // factor by which the link is slower than its model
};

/// Parses a list of faults to inject such as "lost-doorbell,bit-flip:every=100"; empty = no fault.
/// @returns nullptr for an unknown fault or value; `problem` then lists what is allowed
std::unique_ptr<CardFaults> parse_faults(std::string_view text, std::string* problem);

}  // namespace collbench::softmlx5
