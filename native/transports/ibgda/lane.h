#pragma once
// Functions with which GPU threads use a connected queue: write entries, ring, read completions. GPU code
// uses no others. NVRTC compiles this text; the host's compiler does so for the host versions (twins) of the
// kernels.
#include "transports/ibgda/entry.h"

#ifdef __CUDACC__
#define COLLBENCH_ON_DEVICE __device__ inline
#else
#include <atomic>

#include "core/clock.h"
#include "core/spin.h"
#define COLLBENCH_ON_DEVICE inline
#endif

namespace collbench::ibgda {

/// A queue and how far it is used, for the GPU or thread that writes the next entry. Plain data; addresses
/// are valid for that GPU or thread.
struct QueueCursor {
  QueueView view;
  u32 next;   // number of the block after the last entry; does not wrap at the end of the ring
  u32 taken;  // number of completions read
};

/// Address and key of registered memory: the remote key for memory of a peer, the local key for memory of
/// this rank.
struct KeyedAddress {
  u64 address;
  u32 key;
};

/// Returns the number of 16-byte segments in the entry of a put. All fit into one block of 64 bytes.
COLLBENCH_ANYWHERE u32 put_segments(const QueueView& view) { return 3 + view.vector_segments; }

#ifdef __CUDACC__
COLLBENCH_ON_DEVICE void store_segment(Segment* at, const Segment& segment) {
  *reinterpret_cast<uint4*>(at) =
      make_uint4(segment.words[0], segment.words[1], segment.words[2], segment.words[3]);
}
template <class Word>
COLLBENCH_ON_DEVICE void store_word(Word* at, Word word) {
  *const_cast<volatile Word*>(at) = word;
}
template <class Word>
COLLBENCH_ON_DEVICE Word load_word(const Word* at) {
  return *const_cast<const volatile Word*>(at);
}
/// Makes the thread's earlier stores visible to CPU, adapter and other GPUs before its later stores.
COLLBENCH_ON_DEVICE void order_stores() { __threadfence_system(); }
COLLBENCH_ON_DEVICE u64 add_to_counter(u64* at, u64 n) { return atomicAdd(at, n) + n; }
/// Pause between two reads of a word that another thread or the adapter changes. Use one object for each
/// wait. Does nothing on a GPU.
struct WaitPause {
  COLLBENCH_ON_DEVICE void step() {}
};
/// Returns the GPU's global timer in nanoseconds; the host's clock if this code runs on the host.
COLLBENCH_ON_DEVICE u64 device_ns() {
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}
#else
/// Pause between two reads of a word that another thread changes. It yields the CPU core, because there may
/// be more waiting threads than cores.
struct WaitPause : Spinner {
  WaitPause() : Spinner(0) {}
};
inline void store_segment(Segment* at, const Segment& segment) { *at = segment; }
template <class Word>
void store_word(Word* at, Word word) {
  std::atomic_ref<Word>(*at).store(word, std::memory_order_seq_cst);
}
template <class Word>
Word load_word(const Word* at) {
  return std::atomic_ref<Word>(*const_cast<Word*>(at)).load(std::memory_order_acquire);
}
inline void order_stores() {}  // store_word already orders
inline u64 add_to_counter(u64* at, u64 n) { return std::atomic_ref<u64>(*at).fetch_add(n) + n; }
inline u64 device_ns() { return static_cast<u64>(now_ns()); }
#endif

/// Writes an entry of one block that performs an RDMA WRITE.
/// @param block number of the block, not wrapped at the ring's end
/// @param to destination, with its remote key
/// @param data segment that points to the data or contains it
/// @param completes whether the adapter reports the completion
COLLBENCH_ON_DEVICE void write_block(const QueueView& view, u32 block, const KeyedAddress& to,
                                     const Segment& data, bool completes) {
  Segment* const at = view.ring + (block & ((1U << view.log_blocks) - 1)) * mlx5::kSegmentsPerBlock;
  Segment* const behind = at + 1 + view.vector_segments;
  if (view.vector_segments != 0) store_segment(at + 1, view.vector);
  store_segment(behind, remote_segment(to.address, to.key));
  store_segment(behind + 1, data);
  store_segment(at, control_segment(mlx5::kWrite, block, view.number, put_segments(view), completes));
}

/// Writes the entry of a put: `bytes` from local memory `from` to the peer's memory `to`. The adapter sees it
/// only after ring_put().
/// @param block number of the block, not wrapped at the ring's end
/// @param completes whether the adapter reports the completion
COLLBENCH_ON_DEVICE void write_put(const QueueView& view, u32 block, const KeyedAddress& to,
                                   const KeyedAddress& from, u32 bytes, bool completes) {
  write_block(view, block, to, data_segment(from.address, from.key, bytes), completes);
}

/// Writes the entry of a put of the 8 bytes `word`, which the entry itself contains, to the peer's memory
/// `to`. The adapter sees it only after ring_put().
/// @param block number of the block, not wrapped at the ring's end
/// @param completes whether the adapter reports the completion
COLLBENCH_ON_DEVICE void write_word(const QueueView& view, u32 block, const KeyedAddress& to, u64 word,
                                    bool completes) {
  write_block(view, block, to, inline_segment(word, sizeof word), completes);
}

/// Returns the value for the doorbell register if the newest entry is a put with a completion.
/// @param end number of the block after that put
COLLBENCH_ANYWHERE u64 put_doorbell(const QueueView& view, u32 end) {
  return doorbell_value(control_segment(mlx5::kWrite, end - 1, view.number, put_segments(view), true));
}

/// Rings one doorbell for all entries before block `end`. The last of these entries must be a put that was
/// written with `completes`.
COLLBENCH_ON_DEVICE void ring_put(const QueueView& view, u32 end) {
  order_stores();
  store_word(view.record + mlx5::kDoorbellSend / sizeof(u32), doorbell_record(end));
  order_stores();
  store_word(view.bell, put_doorbell(view, end));
}

/// Offset in a completion queue entry of its last 8-byte word. The word's ownership bit shows whether the
/// adapter has written the entry.
constexpr u32 kLastWord = mlx5::kEntryBytes - 8;

/// Results of read_completion(): kNoCompletion = none has arrived, kGood = success. Any other value is 1 +
/// the error syndrome that the adapter reports.
constexpr u32 kNoCompletion = 0, kGood = 1;
/// Reads the next completion, without waiting.
/// @param taken number of completions read before
/// @returns kNoCompletion, kGood, or 1 + the error syndrome
COLLBENCH_ON_DEVICE u32 read_completion(const QueueView& view, u32 taken) {
  const u32 mask = (1U << view.log_entries) - 1;
  const unsigned char* entry = view.entries + (taken & mask) * mlx5::kEntryBytes;
  const u64 last = load_word(reinterpret_cast<const u64*>(entry + kLastWord));
  const u32 owner = static_cast<u32>(last >> 56);
  if (owner >> 4 == mlx5::kEntryInvalid || (owner & 1U) != (taken >> view.log_entries & 1U))
    return kNoCompletion;
  if (owner >> 4 < mlx5::kEntryRequestError) return kGood;
  return 1U + (load_word(reinterpret_cast<const u32*>(entry + (mlx5::kEntrySyndrome & ~3U))) >> 24);
}

}  // namespace collbench::ibgda
