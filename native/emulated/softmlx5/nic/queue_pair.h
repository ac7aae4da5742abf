#pragma once
// State of one queue pair: its setup, its entries in flight as initiator, and requests that wait for it as
// target.
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "emulated/softmlx5/nic/card.h"
#include "emulated/softmlx5/nic/frame.h"
#include "emulated/softmlx5/nic/wqe.h"

namespace collbench::softmlx5 {

struct CardConnection;

/// A work queue entry that was sent and is not completed: the answer has not arrived, or an earlier entry
/// must complete first.
struct PendingEntry {
  std::uint16_t counter = 0;
  std::uint8_t opcode = 0;
  std::uint8_t syndrome = 0;
  bool is_done = false;
  bool wants_completion = false;
  std::uint16_t lid = 0;  // LID of the card that answers
  std::uint32_t bytes = 0;
  std::vector<DataPiece> into;  // destination of the answer to a READ or an atomic
  std::uint64_t arrived = 0;    // bytes of the answer that have arrived
  std::uint32_t operand_bytes = 0;
};

/// A request from another card that waits, because no receive is posted for it or an earlier request waits.
struct ParkedRequest {
  FrameHeader header;
  std::vector<std::byte> payload;
  std::int64_t deadline_ns = 0;  // 0 = no limit
  std::uint64_t moved = 0;       // same meaning as CardConnection::moved
};

/// A SEND that arrives in several frames, and the posted receive whose memory it fills.
struct IncomingMessage {
  Receive receive;
  std::uint64_t received = 0;
};

/// Receives posted to one queue pair, or to a shared receive queue (SRQ).
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

  // State as initiator.
  /// number of the next block to read from the send ring; does not wrap at the ring's end
  std::uint32_t next = 0;
  /// number of the block after the last entry that a doorbell announced; counts like `next`
  std::uint32_t producer = 0;
  std::int32_t lost_doorbell = -1;  // fault injection: doorbell record value that is ignored; -1 = none
  bool owns_uar = false;
  bool stopped = false;   // an entry in flight failed: later ones are not started
  bool has_work = false;  // `work` has been read and may be partly sent
  Work work;
  std::uint8_t fault = 0;    // syndrome of `work`, 0 = valid
  std::uint16_t to_lid = 0;  // LID of the target
  std::uint32_t to_queue = 0;
  bool from_gpu = false, flips = false;
  bool pulls = false;         // the target copies the data of `work` from this process
  std::uint64_t sent = 0;     // bytes of `work` that have been sent
  std::int64_t ready_ns = 0;  // link model: when the next slice of `work` may reserve the port
  std::uint16_t dc_lid = 0;   // DC: LID of the connected target
  std::uint32_t dc_target = 0;
  std::deque<PendingEntry> pending;
  std::vector<std::byte> ring_copy;  // copy of a ring in GPU memory, up to the last doorbell

  // State as target.
  std::map<std::pair<std::uint16_t, std::uint32_t>, IncomingMessage>
      receiving;  // messages being received, by LID and queue of the initiator
  std::deque<ParkedRequest> parked;

  [[nodiscard]] SendRing ring() const noexcept {
    return {setup.ring_on_gpu ? ring_copy.data() : setup.send_ring, setup.log_blocks,
            setup.kind == QueueKind::kDcInitiator, number};
  }
  [[nodiscard]] bool can_send() const noexcept { return setup.send_ring != nullptr; }
};

}  // namespace collbench::softmlx5
