#pragma once
// Completion queue entries that the card writes into the client's memory.
#include <cstdint>

#include "emulated/softmlx5/nic/card.h"

namespace collbench::softmlx5 {

struct Completion {
  std::uint8_t entry_opcode = 0;  // value of mlx5::EntryOpcode
  std::uint8_t syndrome = 0;
  std::uint8_t work_opcode = 0;
  std::uint32_t queue = 0;
  std::uint16_t counter = 0;
  std::uint32_t bytes = 0;
  std::uint32_t immediate = 0;
};

struct CompletionQueue {
  CompletionQueueSetup setup;
  std::uint32_t produced = 0;  // entries written so far
  std::uint32_t users = 0;     // queue pairs that use this queue
  bool overrun = false;        // true: an entry would have overwritten an unread one; the queue is unusable

  /// Writes a completion queue entry; the data that the entry reports is in memory before. False if the queue
  /// is overrun: the client has not read the entry that would be overwritten, or the CUDA driver refused a
  /// copy. All later calls then fail too.
  bool push(const Completion& completion) noexcept;
  /// True if the completion with this index has been written. Indexes count all completions from 0, as in the
  /// WAIT operation.
  [[nodiscard]] bool has_passed(std::uint32_t index) const noexcept {
    return static_cast<std::int32_t>(produced - index) > 0;
  }
};

}  // namespace collbench::softmlx5
