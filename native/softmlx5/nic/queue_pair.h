#pragma once
// One queue pair: what it was made of, what it has under way as initiator, what waits for it as target.
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "softmlx5/nic/card.h"
#include "softmlx5/nic/frame.h"
#include "softmlx5/nic/wqe.h"

namespace collbench::softmlx5 {

struct Channel;

/// An entry that is under way, or waits for one before it.
struct Pending {
  std::uint16_t counter = 0;
  std::uint8_t opcode = 0;
  std::uint8_t syndrome = 0;
  bool is_done = false;
  bool wants_completion = false;
  std::uint16_t lid = 0;  // who answers
  std::uint32_t bytes = 0;
  std::vector<Piece> into;    // READ and atomics: where the answer goes
  std::uint64_t arrived = 0;  // bytes of it
  std::uint32_t operand_bytes = 0;
};

/// A request that came before there was a receive for it.
struct Parked {
  FrameHeader header;
  std::vector<std::byte> payload;
  std::int64_t deadline_ns = 0;  // 0 = for ever
  std::uint64_t moved = 0;       // as Channel::moved
};

/// A receive that a message is being written to.
struct Receiving {
  Receive receive;
  std::uint64_t received = 0;
};

struct ReceiveQueue {
  std::uint32_t domain = 0;
  bool is_shared = false;
  std::deque<Receive> posted;
};

struct QueuePair {
  std::uint32_t number = 0;
  QueuePairSetup setup;
  QueuePairFacts facts;
  unsigned receiver_retries = 7;
  QueueCounters counters;

  // initiator
  std::uint32_t next = 0;           // block, never wrapping at the ring's end
  std::uint32_t producer = 0;       // likewise, as the doorbell told it
  std::int32_t lost_doorbell = -1;  // fault: value of the record that is not looked at
  bool owns_uar = false;
  bool stopped = false;   // an entry under way is wrong: those after it are not begun
  bool has_work = false;  // `work` was read, and perhaps sent in part
  Work work;
  std::uint8_t fault = 0;    // what is wrong with it
  std::uint16_t to_lid = 0;  // where it goes
  std::uint32_t to_queue = 0;
  bool from_gpu = false, flips = false;
  std::uint64_t sent = 0;  // bytes of it
  std::int64_t wire_begin_ns = 0, wire_end_ns = 0;
  std::uint16_t dc_lid = 0;  // DC: the target it is connected to
  std::uint32_t dc_target = 0;
  std::deque<Pending> pending;
  std::vector<std::byte> ring_copy;  // of a ring in GPU memory, as far as doorbells told of it

  // target
  std::map<std::pair<std::uint16_t, std::uint32_t>, Receiving>
      receiving;  // by LID and queue of the initiator
  std::deque<Parked> parked;

  [[nodiscard]] SendRing ring() const noexcept {
    return {setup.ring_on_gpu ? ring_copy.data() : setup.send_ring, setup.log_blocks,
            setup.kind == QueueKind::kDcInitiator, number};
  }
  [[nodiscard]] bool can_send() const noexcept { return setup.send_ring != nullptr; }
};

}  // namespace collbench::softmlx5
