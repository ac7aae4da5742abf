// Collectives by stores into other ranks' memory and loads from it. Blocks of equal number work together on
// all ranks; every counter only increases.
#ifndef COLLBENCH_ENGINES_CUDA_DEVICE_STORES_DEVICE_H
#define COLLBENCH_ENGINES_CUDA_DEVICE_STORES_DEVICE_H

#include "engines/cuda/device/elements_device.h"

namespace collbench {
namespace gpu {

constexpr u32 kMaxStoreBlocks = 128, kMaxStoreThreads = 1024;

/// Progress counters in each rank's memory, indexed by the rank that writes them and its thread block. Only
/// other ranks write them, and the values only increase.
struct ProgressFlags {
  u64 arrived[kMaxRanks][kMaxStoreBlocks];  // Twice the number of the operation; plus 1 at its end.
  u64 full[kMaxRanks][kMaxStoreBlocks];     // Number of pieces that the writer has stored in slots here.
  u64 landed[kMaxRanks][kMaxStoreBlocks];   // Number of pieces whose sums it has stored in the result here.
};
/// Bytes reserved for ProgressFlags, and bytes of a packet. Packet memory follows, with separate parts for
/// operations of even and odd number and for each hop.
constexpr u64 kProgressFlagBytes = 64U << 10, kPacketBytes = 16;
constexpr u32 kHops = 2;
static_assert(sizeof(ProgressFlags) <= kProgressFlagBytes, "the flags fit their memory");

/// Method by which a collective moves its data between GPUs.
enum StoreMethod : u32 {
  kByPackets,   // Packets of 8 bytes of data with flags.
  kByWords,     // Loads and stores of 16 bytes, between two barriers of all ranks.
  kByQuads,     // Like kByWords, but 4 bytes at a time, for data that are not aligned to 16 bytes.
  kByElements,  // Like kByWords, but one element at a time, or one byte if nothing is reduced.
  kBySlots      // Pieces of the vector through slots at the rank that reduces them.
};

struct StoreArgs {
  u32 shape, type, op, way;  // DirectShape, DirectType, DirectOp, StoreMethod.
  u32 rank, ranks, root;
  u32 blocks, workers;  // `workers` is the number of threads per block.
  /// Length in elements and in bytes. kOneShot, kTwoShot, kBroadcast: of the whole vector; others: of one
  /// rank's part.
  u64 count, bytes;
  u64 epoch;  // Number of the operation.
  u64 units;  // Number of whole units that threads work on: packets, words or elements.
  /// Units of a rank's part (kTwoShot; otherwise equal to `units`), and of a block's share of it.
  u64 per_part, per_block;
  u64 places;  // Packets that fit into the memory for one source in one hop.
  /// kBySlots only: length of a slot, which holds one piece; pieces of this operation in each block, and of
  /// all operations before.
  u64 slot_bytes, pieces, pieces_before;
  DirectCounters* counters;
  DirectMailbox* mailbox;
  u64 progress_flags[kMaxRanks], slots[kMaxRanks], sends[kMaxRanks],
      results[kMaxRanks];  // Indexed by rank, including this one.
};

/// Returns the number of the k-th rank after this one; rank 0 follows the last rank.
/// @param k 0 to a.ranks - 1
COLLBENCH_ON_DEVICE u32 next_rank(const StoreArgs& a, u32 k) {
  const u32 rank = a.rank + k;
  return rank < a.ranks ? rank : rank - a.ranks;
}
COLLBENCH_ON_DEVICE bool sends_data(const StoreArgs& a, u32 rank) {
  return a.shape != kBroadcast || rank == a.root;
}
/// Returns the byte offset in the result buffer at which the data of rank `source` are stored.
COLLBENCH_ON_DEVICE u64 landing_of(const StoreArgs& a, u32 source) {
  return a.shape == kBroadcast ? 0 : source * a.bytes;
}

COLLBENCH_ON_DEVICE void count_sent(const StoreArgs& a, u32 me, u64 bytes) {
  if (me != 0 || a.ranks == 1) return;
  ibgda::add_to_counter(&a.counters->bytes_sent, bytes);
  ibgda::add_to_counter(&a.counters->messages_sent, a.ranks - 1);
}
COLLBENCH_ON_DEVICE void count_received(const StoreArgs& a, u32 me, u64 bytes) {
  if (me != 0 || a.ranks == 1) return;
  ibgda::add_to_counter(&a.counters->bytes_received, bytes);
  ibgda::add_to_counter(&a.counters->messages_received, a.ranks - 1);
}

/// Polls until `done` returns true, then returns true. Returns false if the host has set `stop`, because the
/// launch ends.
template <class Done>
COLLBENCH_ON_DEVICE bool wait_until(const StoreArgs& a, Done done) {
  constexpr u32 kLooks = 1024;
  ibgda::WaitPause rest;
  for (u32 looks = 1; !done(); ++looks) {
    if (looks % kLooks == 0 && ibgda::load_word(&a.mailbox->stop) != 0) return false;
    rest.step();
  }
  return true;
}

#ifdef __CUDACC__
COLLBENCH_ON_DEVICE u64 load_acquire(const u64* at) {
  u64 value;
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
#else
  value = ibgda::load_word(at);
  __threadfence_system();
#endif
  return value;
}
#else
inline u64 load_acquire(const u64* at) { return ibgda::load_word(at); }
#endif

COLLBENCH_ON_DEVICE ProgressFlags* progress_flags_of(const StoreArgs& a, u32 rank) {
  return reinterpret_cast<ProgressFlags*>(a.progress_flags[rank]);
}

/// Writes `value` into this rank's counter in the ProgressFlags of every other rank. All threads of the block
/// call it together.
/// @param what counter: a member of ProgressFlags
/// @param orders true if a rank that sees `value` must also see all earlier stores of this block
template <class Table>
COLLBENCH_ON_DEVICE void signal_progress(const StoreArgs& a, u32 block, u32 me, Table ProgressFlags::* what,
                                         u64 value, bool orders) {
  block_barrier();
  for (u32 peer = me; peer < a.ranks; peer += a.workers) {
    if (peer == a.rank) continue;
    if (orders) ibgda::order_stores();
    ibgda::store_word(&(progress_flags_of(a, peer)->*what)[a.rank][block], value);
  }
}
/// Waits until every other rank has written at least `value` into its counter here, or the host has set
/// `stop`. All threads of the block call it together.
/// @param what counter: a member of ProgressFlags
template <class Table>
COLLBENCH_ON_DEVICE void await_progress(const StoreArgs& a, u32 block, u32 me, Table ProgressFlags::* what,
                                        u64 value) {
  for (u32 peer = me; peer < a.ranks; peer += a.workers) {
    if (peer == a.rank) continue;
    const u64* const word = &(progress_flags_of(a, a.rank)->*what)[peer][block];
    wait_until(a, [&] { return load_acquire(word) >= value; });
  }
  block_barrier();
}
COLLBENCH_ON_DEVICE void enter(const StoreArgs& a, u32 block, u32 me) {
  signal_progress(a, block, me, &ProgressFlags::arrived, 2 * a.epoch, false);
  await_progress(a, block, me, &ProgressFlags::arrived, 2 * a.epoch);
}
COLLBENCH_ON_DEVICE void leave(const StoreArgs& a, u32 block, u32 me) {
  signal_progress(a, block, me, &ProgressFlags::arrived, 2 * a.epoch + 1, true);
  await_progress(a, block, me, &ProgressFlags::arrived, 2 * a.epoch + 1);
}

/// Reduces kCount words (number i, i + a.workers, ...) over all ranks, in the order of ranks, and stores the
/// results to this rank (kToAll false) or to all ranks. The loads of a rank's words are issued together, so
/// that they overlap.
/// @param from function that returns the input array of a rank
/// @param to addresses of the result arrays, by rank @param offset position in the result arrays, in bytes
template <class T, class Word, bool kToAll, u32 kCount, class From>
COLLBENCH_ON_DEVICE void combine_at(const StoreArgs& a, u32 op, From from, const u64* to, u64 offset, u64 i) {
  Word sum[kCount];
  const Word* const first = from(0) + i;
  COLLBENCH_UNROLL
  for (u32 n = 0; n < kCount; ++n) sum[n] = fresh(first + n * a.workers);
  for (u32 rank = 1; rank < a.ranks; ++rank) {
    Word word[kCount];
    const Word* const other = from(rank) + i;
    COLLBENCH_UNROLL
    for (u32 n = 0; n < kCount; ++n) word[n] = fresh(other + n * a.workers);
    COLLBENCH_UNROLL
    for (u32 n = 0; n < kCount; ++n) sum[n] = combined_words<T>(sum[n], word[n], op);
  }
  for (u32 k = 0; k < (kToAll ? a.ranks : 1U); ++k) {
    Word* const into = reinterpret_cast<Word*>(to[next_rank(a, k)] + offset) + i;
    COLLBENCH_UNROLL
    for (u32 n = 0; n < kCount; ++n) into[n * a.workers] = sum[n];
  }
}
/// Reduces the words of a range over all ranks. All threads of the block call it together.
/// @param from function that returns the input array of a rank @param to result arrays, by rank
/// @param offset position in the result arrays, in bytes
template <class T, class Word, bool kToAll, class From>
COLLBENCH_ON_DEVICE void combine(const StoreArgs& a, u32 me, u32 op, From from, const u64* to, u64 offset,
                                 const Range& range) {
  u64 i = range.begin + me;
  for (; i + (kUnrolled - 1) * a.workers < range.end; i += kUnrolled * a.workers)
    combine_at<T, Word, kToAll, kUnrolled>(a, op, from, to, offset, i);
  for (; i < range.end; i += a.workers) combine_at<T, Word, kToAll, 1>(a, op, from, to, offset, i);
}

/// Allreduce: each rank loads its part of all ranks' inputs and stores the sums to all ranks. The elements
/// after the last whole word are handled by the last block of the last rank.
template <class T, class Word>
COLLBENCH_ON_DEVICE void two_shot_loads(const StoreArgs& a, u32 block, u32 me, u32 op) {
  const Range part = cut({0, a.units}, a.per_part, a.rank), mine = cut(part, a.per_block, block);
  enter(a, block, me);
  combine<T, Word, true>(
      a, me, op, [&](u32 rank) { return reinterpret_cast<const Word*>(a.sends[rank]); }, a.results, 0, mine);
  const u64 done = a.units * (sizeof(Word) / sizeof(T));
  if (done < a.count && a.rank + 1 == a.ranks && block + 1 == a.blocks) {
    using One = typename WordOf<sizeof(T)>::Word;
    combine<T, One, true>(a, me, op, [&](u32 rank) { return reinterpret_cast<const One*>(a.sends[rank]); },
                          a.results, 0, {done, a.count});
  }
  // Data that others load from this rank's input count as sent, too. The last rank handles the rest for all.
  const u64 rest = block + 1 == a.blocks ? (a.count - done) * sizeof(T) : 0;
  u64 share = (mine.end - mine.begin) * (a.ranks - 1);
  for (u32 k = 1; k < a.ranks; ++k) {
    const Range theirs = cut(cut({0, a.units}, a.per_part, next_rank(a, k)), a.per_block, block);
    share += theirs.end - theirs.begin;
  }
  share = share * sizeof(Word) + rest * (a.rank + 1 == a.ranks ? a.ranks - 1 : 1);
  count_sent(a, me, share);
  leave(a, block, me);
  count_received(a, me, share);
}

/// Reducescatter: each rank loads its part of all ranks' inputs and stores the sum in its own result.
template <class T, class Word>
COLLBENCH_ON_DEVICE void scatter_loads(const StoreArgs& a, u32 block, u32 me, u32 op) {
  const Range mine = cut({0, a.units}, a.per_block, block);
  const u64 part = a.rank * a.bytes;
  enter(a, block, me);
  combine<T, Word, false>(
      a, me, op, [&](u32 rank) { return reinterpret_cast<const Word*>(a.sends[rank] + part); }, a.results, 0,
      mine);
  const u64 share = (mine.end - mine.begin) * sizeof(Word) * (a.ranks - 1);
  count_sent(a, me, share);  // Others load as much from this rank's input.
  leave(a, block, me);
  count_received(a, me, share);
}

/// Allgather, alltoall and broadcast: each rank that sends data stores them directly into the results of all
/// ranks, its own included. In a broadcast only the root does.
template <class Word>
COLLBENCH_ON_DEVICE void move_stores(const StoreArgs& a, u32 block, u32 me) {
  const Range mine = cut({0, a.units}, a.per_block, block);
  const u64 share = (mine.end - mine.begin) * sizeof(Word);
  enter(a, block, me);
  for (u32 k = 0; k < a.ranks && sends_data(a, a.rank); ++k) {
    const u32 to = next_rank(a, k);
    const u64 from = a.sends[a.rank] + (a.shape == kSpread ? to * a.bytes : 0);
    const u64 into = a.results[to] + landing_of(a, a.rank);
    if (from != into) copy_words<Word>(a.workers, me, into, from, mine);
  }
  count_sent(a, me, sends_data(a, a.rank) ? share * (a.ranks - 1) : 0);
  leave(a, block, me);
  u64 sources = 0;
  for (u32 k = 1; k < a.ranks; ++k) sources += sends_data(a, next_rank(a, k)) ? 1 : 0;
  count_received(a, me, share * sources);
}

constexpr u32 kSlots = 2;  // Slots per source and block.

COLLBENCH_ON_DEVICE u64 slot_of(const StoreArgs& a, u32 at, u32 source, u32 block, u64 piece) {
  return a.slots[at] +
         ((static_cast<u64>(source) * kMaxStoreBlocks + block) * kSlots + piece % kSlots) * a.slot_bytes;
}

/// Allreduce in pieces, two steps of which run at the same time. A rank copies each part of its input into a
/// slot at the rank that reduces this part. It also combines the pieces in its own slots and stores the sums
/// into the results of all ranks. When the sums of a piece arrive at a rank, the slots of this piece are free
/// again. At the end of the operation all slots are free.
template <class T>
COLLBENCH_ON_DEVICE void two_shot_slots(const StoreArgs& a, u32 block, u32 me, u32 op) {
  const Range all = {0, a.units};
  const u64 words = a.slot_bytes / sizeof(Wide);
  const auto piece_of = [&](u32 rank, u64 piece) {
    const Range slice = cut(cut(all, a.per_part, rank), a.per_block, block);
    return cut({slice.begin, slice.end}, words, static_cast<u32>(piece));
  };
  u64 given = 0, returned = 0;
  for (u64 step = 0; step <= a.pieces; ++step) {
    if (step < a.pieces) {
      if (step >= kSlots)
        await_progress(a, block, me, &ProgressFlags::landed, a.pieces_before + step - kSlots + 1);
      for (u32 k = 1; k < a.ranks; ++k) {
        const u32 to = next_rank(a, k);
        const Range piece = piece_of(to, step);
        copy_words<Wide>(a.workers, me, slot_of(a, to, a.rank, block, step),
                         a.sends[a.rank] + piece.begin * sizeof(Wide), {0, piece.end - piece.begin});
        given += (piece.end - piece.begin) * sizeof(Wide);
      }
      signal_progress(a, block, me, &ProgressFlags::full, a.pieces_before + step + 1, true);
    }
    if (step == 0) continue;
    const Range piece = piece_of(a.rank, step - 1);
    const u64 offset = piece.begin * sizeof(Wide);
    await_progress(a, block, me, &ProgressFlags::full, a.pieces_before + step);
    combine<T, Wide, true>(
        a, me, op,
        [&](u32 rank) {
          return reinterpret_cast<const Wide*>(rank == a.rank ? a.sends[rank] + offset
                                                              : slot_of(a, a.rank, rank, block, step - 1));
        },
        a.results, offset, {0, piece.end - piece.begin});
    signal_progress(a, block, me, &ProgressFlags::landed, a.pieces_before + step, true);
    returned += (piece.end - piece.begin) * sizeof(Wide) * (a.ranks - 1);
  }
  count_sent(a, me, given + returned);
  await_progress(a, block, me, &ProgressFlags::landed, a.pieces_before + a.pieces);
  count_received(a, me, given + returned);
}

}  // namespace gpu
}  // namespace collbench
#endif
