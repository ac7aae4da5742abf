#pragma once
// Building blocks of work queue entries: segments of 16 bytes, as four words ready to be stored. CPU threads
// and GPU kernels compile this same file, so both write the same bytes. It must not use the standard library.
#include "softmlx5/include/mlx5_formats.h"

#ifdef __CUDACC__
#define COLLBENCH_ANYWHERE __host__ __device__ inline
#else
#define COLLBENCH_ANYWHERE inline
#endif

namespace collbench::ibgda {

using mlx5::u32;
using mlx5::u64;

/// Content of a segment in memory order (big-endian fields).
struct Segment {
  u32 words[4];
};

COLLBENCH_ANYWHERE u32 big(u32 value) {
  return value << 24 | (value & 0xFF00U) << 8 | (value >> 8 & 0xFF00U) | value >> 24;
}
COLLBENCH_ANYWHERE u32 high(u64 value) { return big(static_cast<u32>(value >> 32)); }
COLLBENCH_ANYWHERE u32 low(u64 value) { return big(static_cast<u32>(value)); }

/// First segment of every entry. @param index number of its first block, modulo 2^16
/// @param segments number of segments in the entry
COLLBENCH_ANYWHERE Segment control_segment(u32 opcode, u32 index, u32 queue, u32 segments, bool completes,
                                           u32 immediate = 0) {
  return {{big((index & 0xFFFFU) << 8 | opcode), big(queue << 8 | segments),
           completes ? big(mlx5::kCompletionAlways) : 0U, big(immediate)}};
}
/// Address vector, behind the control segment of a DC initiator: names the target, in the short form for
/// InfiniBand. @param target number of the target's queue
COLLBENCH_ANYWHERE Segment vector_segment(u64 access_key, u32 target, u32 lid) {
  return {{high(access_key), low(access_key), big(target), big(lid & 0xFFFFU)}};
}
COLLBENCH_ANYWHERE Segment remote_segment(u64 address, u32 key) {
  return {{high(address), low(address), big(key), 0U}};
}
COLLBENCH_ANYWHERE Segment data_segment(u64 address, u32 key, u32 bytes) {
  return {{big(bytes), big(key), high(address), low(address)}};
}
/// Data segment that contains 8 or 4 bytes itself.
COLLBENCH_ANYWHERE Segment inline_segment(u64 value, u32 bytes) {
  return {{big(mlx5::kInline | bytes), static_cast<u32>(value), static_cast<u32>(value >> 32), 0U}};
}
COLLBENCH_ANYWHERE Segment atomic_segment(u64 swap_or_add, u64 compare) {
  return {{high(swap_or_add), low(swap_or_add), high(compare), low(compare)}};
}
/// Value for the doorbell register: the first two words of the last entry.
COLLBENCH_ANYWHERE u64 doorbell_value(const Segment& control) {
  return static_cast<u64>(control.words[0]) | static_cast<u64>(control.words[1]) << 32;
}
/// Value for the doorbell record. @param next number of the block after the last entry
COLLBENCH_ANYWHERE u32 doorbell_record(u32 next) { return big(next & 0xFFFFU); }

/// Memory layout of a connected queue for the initiator, in the initiator's addresses. Plain data, so that a
/// kernel can receive it as an argument.
struct QueueView {
  Segment* ring;           // four segments a block
  u32* record;             // doorbell record: receive word, send word
  u64* bell;               // doorbell register (UAR)
  unsigned char* entries;  // completion queue: 64 bytes each
  u32 log_blocks, log_entries;
  u32 number;
  u32 vector_segments;  // 0: the queue knows its peer; 1: each entry names it
  Segment vector;       // address vector of each entry; changes when a DC queue connects to another peer
};

}  // namespace collbench::ibgda
