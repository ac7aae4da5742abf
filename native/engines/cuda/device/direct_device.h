// Collectives in one or two hops by puts: every rank sends every other rank what it needs, with queue entries
// that the GPU writes itself. NVRTC compiles this text after the headers that it includes; the host compiler
// builds the twin, which runs on one thread.
#ifndef COLLBENCH_ENGINES_CUDA_DEVICE_DIRECT_DEVICE_H
#define COLLBENCH_ENGINES_CUDA_DEVICE_DIRECT_DEVICE_H

#include "engines/cuda/device/elements_device.h"

namespace collbench {
namespace gpu {

constexpr u32 kMaxBlocks = 64;
/// Maximum number of signals that a block sends to one peer in an operation: no collective uses more than two
/// of the three values of DirectPhase. Each signal produces one completion of the adapter.
constexpr u32 kMaxSignals = 2;

/// Meaning of a signal from a peer. kHere: the peer has started this operation, so data may be written into
/// its result. kFirstHop, kSecondHop: the peer's data of that hop have arrived here.
enum DirectPhase : u32 { kHere, kFirstHop, kSecondHop, kPhases };

/// Memory of a rank into which other ranks write their signals. A signal is the number of the operation
/// (epoch), stored by phase, sending rank and block. Signals are sent as RDMA writes, and `words` is their
/// source memory.
struct Inbox {
  u64 flags[kPhases][kMaxRanks][kMaxBlocks];
  u64 words[kMaxBlocks];  // Source of this rank's own signals.
};

/// Addresses and keys of one other rank's memory, with which this rank writes to it by RDMA.
struct DirectPeer {
  ibgda::KeyedAddress inbox;   // Address of the peer's Inbox.
  ibgda::KeyedAddress slots;   // Slots, one per sender; operations of odd and even number use different ones.
  ibgda::KeyedAddress target;  // Result buffer.
};

struct DirectArgs {
  u32 shape, type, op;
  u32 rank, ranks, root;
  u32 blocks, workers;  // `workers` is the number of threads per block.
  u32 width;            // Bytes of an element.
  /// Elements, as in NCCL's calls: kOneShot, kTwoShot, kBroadcast: the whole vector; others: one rank's part.
  u64 count;
  u64 epoch;                         // Number of the operation.
  ibgda::KeyedAddress send, result;  // This rank's buffers.
  u64 slot_bytes;                    // Length of a slot, which receives the data of one other rank.
  ibgda::QueueCursor* lanes;         // Send queues to other ranks, indexed by [block][rank].
  DirectCounters* counters;
  DirectMailbox* mailbox;
  DirectPeer peer[kMaxRanks];  // Indexed by rank, including this one.
};

/// Range of elements of a vector: [begin, begin + length).
struct Piece {
  u64 begin, length;
};

/// Returns the elements that rank `of` reduces in an allreduce in two hops, whose vector is divided among the
/// ranks. Each part begins at a multiple of 4 elements; the last parts may be shorter or empty.
COLLBENCH_ON_DEVICE Piece part_of(const DirectArgs& a, u32 of) {
  const u64 whole_words = (a.count + 3) / 4;
  const u64 part = (whole_words + a.ranks - 1) / a.ranks * 4;
  const u64 begin = part * of < a.count ? part * of : a.count;
  const u64 end = begin + part < a.count ? begin + part : a.count;
  return {begin, end - begin};
}

/// Returns the range that thread block `block` processes when `length` elements are divided among all blocks.
/// Ranges begin at multiples of 32 elements; the last ones may be shorter or empty.
COLLBENCH_ON_DEVICE Piece slice_of(const DirectArgs& a, u32 block, u64 length) {
  const u64 share = ((length + a.blocks - 1) / a.blocks + 31) / 32 * 32;
  const u64 begin = share * block < length ? share * block : length;
  const u64 end = begin + share < length ? begin + share : length;
  return {begin, end - begin};
}

/// Returns the elements of this rank's input that are sent to rank `to` in the first hop.
COLLBENCH_ON_DEVICE Piece input_part(const DirectArgs& a, u32 to) {
  switch (a.shape) {
    case kTwoShot:
      return part_of(a, to);
    case kReduceScatter:
    case kSpread:
      return {a.count * to, a.count};
    default:
      return {0, a.count};
  }
}

COLLBENCH_ON_DEVICE bool lands_in_slot(const DirectArgs& a) { return a.shape <= kReduceScatter; }

/// Copies `bytes` from address `from` to address `to`. All threads of a block call it together.
/// @param me index of the thread
COLLBENCH_ON_DEVICE void copy(const DirectArgs& a, u32 me, u64 to, u64 from, u64 bytes) {
  u64 done = 0;
  if (((to | from) & (sizeof(Wide) - 1)) == 0) {
    const u64 words = bytes / sizeof(Wide);
    copy_words<Wide>(a.workers, me, to, from, {0, words});
    done = words * sizeof(Wide);
  }
  copy_words<unsigned char>(a.workers, me, to, from, {done, bytes});
}

COLLBENCH_ON_DEVICE Inbox* inbox_of(const DirectArgs& a) {
  return reinterpret_cast<Inbox*>(a.peer[a.rank].inbox.address);
}

COLLBENCH_ON_DEVICE ibgda::QueueCursor& lane_to(const DirectArgs& a, u32 block, u32 peer) {
  return a.lanes[block * a.ranks + peer];
}

/// Writes queue entries that send `bytes` bytes at `from` to memory `to` of rank `peer`. One thread of the
/// block calls it. The adapter starts only when the signal that follows rings its doorbell.
COLLBENCH_ON_DEVICE void put(const DirectArgs& a, u32 block, u32 peer, const ibgda::KeyedAddress& to,
                             const ibgda::KeyedAddress& from, u64 bytes) {
  constexpr u64 kMost = 1U << 30;
  ibgda::QueueCursor& lane = lane_to(a, block, peer);
  for (u64 at = 0; at < bytes; at += kMost) {
    const u64 left = bytes - at;
    ibgda::write_put(lane.view, lane.next++, {to.address + at, to.key}, {from.address + at, from.key},
                     static_cast<u32>(left < kMost ? left : kMost), false);
  }
}

/// Sends the signal of a phase (DirectPhase) to a peer and rings the doorbell. One thread calls it. When the
/// peer sees the signal, all data that this block put before it have arrived.
/// @param bytes length of the data that this block has put since its last signal to the peer, for the traffic
/// counters
COLLBENCH_ON_DEVICE void signal(const DirectArgs& a, u32 block, u32 peer, u32 phase, u64 bytes) {
  const u64 offset = ((static_cast<u64>(phase) * kMaxRanks + a.rank) * kMaxBlocks + block) * sizeof(u64);
  const u64 at = a.peer[peer].inbox.address + offset;
  const ibgda::KeyedAddress& own = a.peer[a.rank].inbox;
  const u64 word = reinterpret_cast<u64>(&inbox_of(a)->words[block]);
  ibgda::QueueCursor& lane = lane_to(a, block, peer);
  ibgda::write_put(lane.view, lane.next++, {at, a.peer[peer].inbox.key}, {word, own.key}, sizeof(u64), true);
  ibgda::ring_put(lane.view, lane.next);
  ibgda::add_to_counter(&a.counters->bytes_sent, bytes);
  ibgda::add_to_counter(&a.counters->messages_sent, 1);
}

/// Returns true if a wait must end because its data will never come: the host has set `stop`, or the adapter
/// has rejected a queue entry. A rejection found on this block's queues is stored in the mailbox, for all
/// blocks and the host.
COLLBENCH_ON_DEVICE bool is_over(const DirectArgs& a, u32 block) {
  for (u32 peer = 0; peer < a.ranks; ++peer) {
    if (peer == a.rank) continue;
    const ibgda::QueueCursor& lane = lane_to(a, block, peer);
    for (u32 signal = 0; signal < kMaxSignals; ++signal) {
      const u32 seen = ibgda::read_completion(lane.view, lane.taken + signal);
      if (seen > ibgda::kGood) ibgda::store_word(&a.mailbox->syndrome, seen);
    }
  }
  return ibgda::load_word(&a.mailbox->stop) != 0 || ibgda::load_word(&a.mailbox->syndrome) != 0;
}

template <class Done>
COLLBENCH_ON_DEVICE bool wait_until(const DirectArgs& a, u32 block, Done done) {
  constexpr u32 kLooks = 1024;
  ibgda::WaitPause rest;
  for (u32 looks = 1; !done(); ++looks) {
    if (looks % kLooks == 0 && is_over(a, block)) return false;
    rest.step();
  }
  return true;
}

/// Waits for the signal of rank `source` for a phase (DirectPhase). One thread of the block calls it. Returns
/// early, without counting, if is_over().
/// @param bytes length of the data that arrived with the signal, for the traffic counters
COLLBENCH_ON_DEVICE void await_signal(const DirectArgs& a, u32 block, u32 source, u32 phase, u64 bytes) {
  const Inbox* const inbox = inbox_of(a);
  if (!wait_until(a, block, [&] { return ibgda::load_word(&inbox->flags[phase][source][block]) >= a.epoch; }))
    return;
  ibgda::order_stores();
  ibgda::add_to_counter(&a.counters->bytes_received, bytes);
  ibgda::add_to_counter(&a.counters->messages_received, 1);
}

/// Waits until the adapter has completed all puts of this block, so that their source memory may be
/// overwritten. One thread of the block calls it. Returns early if is_over().
/// @param signals number of signals that were sent to each peer in this operation
COLLBENCH_ON_DEVICE void await_completions(const DirectArgs& a, u32 block, u32 signals) {
  for (u32 n = 1; n < a.ranks; ++n) {
    ibgda::QueueCursor& lane = lane_to(a, block, (a.rank + n) % a.ranks);
    for (u32 signal = 0; signal < signals; ++signal) {
      u32 seen = ibgda::kNoCompletion;
      const bool came = wait_until(a, block, [&] {
        seen = ibgda::read_completion(lane.view, lane.taken);
        return seen != ibgda::kNoCompletion;
      });
      if (!came) return;
      ++lane.taken;
      if (seen != ibgda::kGood) ibgda::store_word(&a.mailbox->syndrome, seen);
    }
  }
}

/// Reduces the share of thread `me` of `length` elements over all ranks; all a.workers threads must call it.
/// Inputs are at address `own` (this rank's) and at byte offset `in_slot` of the slots (other ranks'). The
/// result is stored at address `to`. The order of ranks is the same everywhere, so all ranks get identical
/// bits.
template <class T>
COLLBENCH_ON_DEVICE void reduce(const DirectArgs& a, u32 me, u64 to, u64 own, u64 in_slot, u64 length,
                                u32 op) {
  using Word = typename WordOf<sizeof(T)>::Word;
  const u64 slots = a.peer[a.rank].slots.address;
  for (u64 i = me; i < length; i += a.workers) {
    const auto of = [&](u32 rank) {
      return rank == a.rank ? reinterpret_cast<const Word*>(own)[i]
                            : fresh(reinterpret_cast<const Word*>(slots + rank * a.slot_bytes + in_slot) + i);
    };
    Word sum = of(0);
    for (u32 rank = 1; rank < a.ranks; ++rank) sum = combined_words<T>(sum, of(rank), op);
    reinterpret_cast<Word*>(to)[i] = sum;
  }
}

COLLBENCH_ON_DEVICE void reduce_any(const DirectArgs& a, u32 me, u64 to, u64 own, u64 in_slot, u64 length) {
#ifdef __CUDACC__
  reduce<TypeOf<COLLBENCH_TYPE>::Element>(a, me, to, own, in_slot, length, COLLBENCH_OP);
#else
  with_type(a.type, [&](auto element) { reduce<decltype(element)>(a, me, to, own, in_slot, length, a.op); });
#endif
}

COLLBENCH_ON_DEVICE bool sends_data(const DirectArgs& a) { return a.shape != kBroadcast || a.rank == a.root; }

/// Runs the part of one collective that belongs to thread `me` of block `block`. Each block sends a share of
/// this rank's data to every peer by RDMA writes, waits for the data of the peers, and reduces if needed. In
/// a collective of two hops it then sends the reduced part to every peer.
COLLBENCH_ON_DEVICE void run_block(const DirectArgs& a, u32 block, u32 me) {
  const u64 width = a.width;
  const u64 mine = input_part(a, a.rank).length;  // Elements that each rank sends to this one.
  if (!lands_in_slot(a) && me == 0)
    for (u32 n = 1; n < a.ranks; ++n) signal(a, block, (a.rank + n) % a.ranks, kHere, 0);
  // First hop.
  for (u32 n = 1; n < a.ranks; ++n) {
    const u32 to = (a.rank + n) % a.ranks;
    const Piece part = input_part(a, to);
    const Piece slice = slice_of(a, block, part.length);
    const u64 bytes = sends_data(a) ? slice.length * width : 0;
    const ibgda::KeyedAddress from = {a.send.address + (part.begin + slice.begin) * width, a.send.key};
    const DirectPeer& peer = a.peer[to];
    if (!lands_in_slot(a) && bytes > 0) {
      if (me == 0) await_signal(a, block, to, kHere, 0);
      block_barrier();
    }
    const ibgda::KeyedAddress into =
        lands_in_slot(a)
            ? ibgda::KeyedAddress{peer.slots.address + a.rank * a.slot_bytes + slice.begin * width,
                                  peer.slots.key}
            : ibgda::KeyedAddress{peer.target.address +
                                      ((a.shape == kBroadcast ? 0 : a.rank * a.count) + slice.begin) * width,
                                  peer.target.key};
    if (me != 0) continue;
    if (bytes > 0) put(a, block, to, into, from, bytes);
    signal(a, block, to, kFirstHop, bytes);
  }
  // The own part is copied while the others' parts are under way.
  const Piece own = slice_of(a, block, mine);
  const u64 own_input = a.send.address + (input_part(a, a.rank).begin + own.begin) * width;
  u64 landing = a.result.address + own.begin * width;
  if (a.shape == kTwoShot) landing += part_of(a, a.rank).begin * width;
  if (a.shape == kGather || a.shape == kSpread) landing += a.rank * a.count * width;
  if (!lands_in_slot(a) && sends_data(a) && landing != own_input)
    copy(a, me, landing, own_input, own.length * width);
  for (u32 n = 1; n < a.ranks && me == 0; ++n) {
    const u32 source = (a.rank + n) % a.ranks;
    const bool is_given = a.shape != kBroadcast || source == a.root;
    await_signal(a, block, source, kFirstHop, is_given ? own.length * width : 0);
  }
  // The result of an in-place call replaces the input that the hop sends.
  const bool replaces_input = a.shape == kOneShot && landing == own_input;
  if (replaces_input && me == 0) await_completions(a, block, 1);
  block_barrier();
  if (lands_in_slot(a)) reduce_any(a, me, landing, own_input, own.begin * width, own.length);
  // Second hop.
  if (a.shape == kTwoShot) {
    ibgda::order_stores();
    block_barrier();
    for (u32 n = 1; n < a.ranks; ++n) {
      const u32 to = (a.rank + n) % a.ranks;
      const u64 bytes = own.length * width;
      const u64 offset = landing - a.result.address;
      const ibgda::KeyedAddress into = {a.peer[to].target.address + offset, a.peer[to].target.key};
      if (me != 0) continue;
      if (bytes > 0) put(a, block, to, into, {landing, a.result.key}, bytes);
      signal(a, block, to, kSecondHop, bytes);
    }
    for (u32 n = 1; n < a.ranks && me == 0; ++n) {
      const u32 source = (a.rank + n) % a.ranks;
      await_signal(a, block, source, kSecondHop,
                   slice_of(a, block, part_of(a, source).length).length * width);
    }
  }
  if (!replaces_input && me == 0)
    await_completions(a, block, a.shape == kTwoShot || !lands_in_slot(a) ? 2 : 1);
}

/// Stores the operation's number (a.epoch), which is the value of a signal, in the memory from which the
/// adapter sends this block's signals.
COLLBENCH_ON_DEVICE void set_word(const DirectArgs& a, u32 block) { inbox_of(a)->words[block] = a.epoch; }

#ifdef __CUDACC__
extern "C" __global__ void collbench_direct(const __grid_constant__ DirectArgs a) {
  if (threadIdx.x == 0) set_word(a, blockIdx.x);
  run_block(a, blockIdx.x, threadIdx.x);
}
#endif

}  // namespace gpu
}  // namespace collbench
#endif
