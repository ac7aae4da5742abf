#pragma once
// Where the card writes what has become of work: entries in memory of the client.
#include <cstdint>

#include "softmlx5/nic/card.h"

namespace collbench::softmlx5 {

struct Completion {
  std::uint8_t entry_opcode = 0;  // mlx5::EntryOpcode
  std::uint8_t syndrome = 0;
  std::uint8_t work_opcode = 0;
  std::uint32_t queue = 0;
  std::uint16_t counter = 0;
  std::uint32_t bytes = 0;
  std::uint32_t immediate = 0;
};

struct CompletionQueue {
  CompletionQueueSetup setup;
  std::uint32_t produced = 0;  // entries so far
  std::uint32_t users = 0;     // queue pairs
  bool overrun = false;        // entries that the client had not read would have been lost: it is dead

  /// Writes the entry; what it tells of is in memory before. False at an overrun.
  bool push(const Completion& completion) noexcept;
  /// Has that index completed, counted as WAIT does?
  [[nodiscard]] bool has_passed(std::uint32_t index) const noexcept {
    return static_cast<std::int32_t>(produced - index) > 0;
  }
};

}  // namespace collbench::softmlx5
