#pragma once
// A connected queue in the hands of the threads of a GPU: they write entries, ring and look at completions by
// these functions and no others. NVRTC compiles this text; the host's compiler does so for the twins of
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

/// A queue and where it stands; plain data, in addresses of whoever uses it.
struct Lane {
  QueueView view;
  u32 next;   // block behind the last entry, never wrapping at the ring's end
  u32 taken;  // completions
};

/// Memory of this side and of the peer, as queues name them.
struct Span {
  u64 address;
  u32 key;
};

/// What writing and ringing agree on: entries of a put have so many segments, in one block.
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
/// Stores before it are seen by host, card and other GPUs before those after it.
COLLBENCH_ON_DEVICE void order_stores() { __threadfence_system(); }
COLLBENCH_ON_DEVICE u64 add_to_counter(u64* at, u64 n) { return atomicAdd(at, n) + n; }
/// Between two looks at a word that others change; one instance per wait.
struct Rest {
  COLLBENCH_ON_DEVICE void step() {}
};
/// ns of the device's clock; the host's where the host runs it.
COLLBENCH_ON_DEVICE u64 device_ns() {
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}
#else
/// Twins that wait are more than cores.
struct Rest : Spinner {
  Rest() : Spinner(0) {}
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
inline void order_stores() {}  // store_word orders
inline u64 add_to_counter(u64* at, u64 n) { return std::atomic_ref<u64>(*at).fetch_add(n) + n; }
inline u64 device_ns() { return static_cast<u64>(now_ns()); }
#endif

/// Writes a WRITE of one block at `block`. @param data segment of it: where it lies, or itself
COLLBENCH_ON_DEVICE void write_block(const QueueView& view, u32 block, const Span& to, const Segment& data,
                                     bool completes) {
  Segment* const at = view.ring + (block & ((1U << view.log_blocks) - 1)) * mlx5::kSegmentsPerBlock;
  Segment* const behind = at + 1 + view.vector_segments;
  if (view.vector_segments != 0) store_segment(at + 1, view.vector);
  store_segment(behind, remote_segment(to.address, to.key));
  store_segment(behind + 1, data);
  store_segment(at, control_segment(mlx5::kWrite, block, view.number, put_segments(view), completes));
}

/// Writes the entry of a put at `block`, which the card does not know yet.
COLLBENCH_ON_DEVICE void write_put(const QueueView& view, u32 block, const Span& to, const Span& from,
                                   u32 bytes, bool completes) {
  write_block(view, block, to, data_segment(from.address, from.key, bytes), completes);
}

/// The same with 8 bytes that stand in the entry itself.
COLLBENCH_ON_DEVICE void write_word(const QueueView& view, u32 block, const Span& to, u64 word,
                                    bool completes) {
  write_block(view, block, to, inline_segment(word, sizeof word), completes);
}

/// What the doorbell of a put that completes writes into the register. @param end block behind it
COLLBENCH_ANYWHERE u64 bell_of_put(const QueueView& view, u32 end) {
  return doorbell_of(control_segment(mlx5::kWrite, end - 1, view.number, put_segments(view), true));
}

/// One doorbell for the entries before block `end`, the last of which is a put that completes.
COLLBENCH_ON_DEVICE void ring_put(const QueueView& view, u32 end) {
  order_stores();
  store_word(view.record + mlx5::kDoorbellSend / sizeof(u32), record_of(end));
  order_stores();
  store_word(view.bell, bell_of_put(view, end));
}

/// Offset of the word that tells whether a completion is new.
constexpr u32 kLastWord = mlx5::kEntryBytes - 8;

/// Of a completion: none yet, good, or the syndrome of an error + 1.
constexpr u32 kNotYet = 0, kGood = 1;
COLLBENCH_ON_DEVICE u32 look_for_completion(const QueueView& view, u32 taken) {
  const u32 mask = (1U << view.log_entries) - 1;
  const unsigned char* entry = view.entries + (taken & mask) * mlx5::kEntryBytes;
  const u64 last = load_word(reinterpret_cast<const u64*>(entry + kLastWord));
  const u32 owner = static_cast<u32>(last >> 56);
  if (owner >> 4 == mlx5::kEntryInvalid || (owner & 1U) != (taken >> view.log_entries & 1U)) return kNotYet;
  if (owner >> 4 < mlx5::kEntryRequestError) return kGood;
  return 1U + (load_word(reinterpret_cast<const u32*>(entry + (mlx5::kEntrySyndrome & ~3U))) >> 24);
}

}  // namespace collbench::ibgda
