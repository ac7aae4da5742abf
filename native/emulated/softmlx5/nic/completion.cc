#include <algorithm>

#include "emulated/softmlx5/nic/inside.h"
#include "vendor_api/mlx5/mlx5_formats.h"

namespace collbench::softmlx5 {

void Card::Inside::put_completion(std::uint32_t queue, const Completion& completion) {
  const auto found = completion_queues.find(queue);
  if (found == completion_queues.end()) return;
  if (completions++ >= faults->completions_until_stuck) return;
  found->second.push(completion);
}

void Card::Inside::complete(QueuePair& pair) {
  while (!pair.pending.empty() && pair.pending.front().is_done) {
    const PendingEntry done = std::move(pair.pending.front());
    pair.pending.pop_front();
    if (done.syndrome != 0) ++pair.counters.errors;
    if (done.wants_completion || done.syndrome != 0) {
      put_completion(pair.setup.send_completions,
                     {done.syndrome == 0 ? mlx5::kEntryRequest : mlx5::kEntryRequestError, done.syndrome,
                      done.opcode, pair.number, done.counter, done.bytes, 0});
    }
    if (done.syndrome == 0 || pair.facts.state == QueueState::kError) continue;
    pair.facts.state = QueueState::kError;
    flush(pair);
  }
}

void Card::Inside::fail(QueuePair& pair, std::uint8_t syndrome) {
  const auto oldest =
      std::ranges::find_if(pair.pending, [](const PendingEntry& one) { return !one.is_done; });
  if (oldest == pair.pending.end()) return;
  oldest->is_done = true;
  oldest->syndrome = syndrome;
  pair.stopped = true;
  complete(pair);
}

void Card::Inside::flush(QueuePair& pair) {
  for (PendingEntry& pending : pair.pending) {
    if (pending.syndrome == 0) pending.syndrome = mlx5::kFlushed;
    pending.is_done = true;
  }
  pair.has_work = false;
  complete(pair);
  while (pair.can_send() && pair.next != pair.producer) {
    const std::uint32_t blocks = blocks_at(pair.ring(), pair.next);
    ++pair.counters.errors;
    put_completion(pair.setup.send_completions, {mlx5::kEntryRequestError, mlx5::kFlushed, 0, pair.number,
                                                 static_cast<std::uint16_t>(pair.next), 0, 0});
    const std::uint32_t left = pair.producer - pair.next;
    pair.next += blocks == 0 || blocks > left ? left : blocks;
  }
  for (const ParkedRequest& parked : pair.parked) {
    const auto channel = std::ranges::find_if(fabric.incoming(), [&parked](const auto& one) {
      return one->lid == parked.header.lid && !one->is_lost;
    });
    const bool is_heard = channel != fabric.incoming().end() && (*channel)->out.has_room(0);
    if (is_heard) refuse(**channel, parked.header, mlx5::kTransportRetries);
  }
  pair.parked.clear();
  if (pair.setup.receives != 0) return pair.receiving.clear();
  ReceiveQueue& own = receive_queues[pair.number];
  for (auto& [source, one] : pair.receiving) own.posted.push_front(std::move(one.receive));
  pair.receiving.clear();
  for (const Receive& receive : own.posted) {
    put_completion(pair.setup.receive_completions,
                   {mlx5::kEntryReceiveError, mlx5::kFlushed, 0, pair.number, receive.counter, 0, 0});
  }
  own.posted.clear();
}

void Card::Inside::put_received(QueuePair& pair, const FrameHeader& header, std::uint64_t bytes) {
  const bool is_write = header.opcode == mlx5::kWriteImmediate;
  const bool has_immediate = is_write || header.opcode == mlx5::kSendImmediate;
  const auto opcode = is_write        ? mlx5::kEntryReceivedWriteImmediate
                      : has_immediate ? mlx5::kEntryReceivedSendImmediate
                                      : mlx5::kEntryReceivedSend;
  put_completion(pair.setup.receive_completions,
                 {opcode, 0, header.opcode, pair.number, pair.receiving[header.source()].receive.counter,
                  static_cast<std::uint32_t>(bytes), has_immediate ? header.immediate : 0});
  pair.receiving.erase(header.source());
}

}  // namespace collbench::softmlx5
