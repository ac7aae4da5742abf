#pragma once
// Building blocks of work queue entries: segments of 16 bytes, as four words ready to be stored. CPU threads
// and GPU kernels compile this same file, so both write the same bytes. It must not use the standard library.
#include "vendor_api/mlx5/mlx5_formats.h"

#ifdef __CUDACC__
#define COLLBENCH_ANYWHERE __host__ __device__ inline
#else
#define COLLBENCH_ANYWHERE inline
#endif

namespace collbench::ibgda {

using mlx5::u32;
using mlx5::u64;

/// 16 bytes of a work queue entry as they lie in memory; the adapter reads the fields as big-endian.
struct Segment {
  u32 words[4];
};

COLLBENCH_ANYWHERE u32 big(u32 value) {
  return value << 24 | (value & 0xFF00U) << 8 | (value >> 8 & 0xFF00U) | value >> 24;
}
COLLBENCH_ANYWHERE u32 high(u64 value) { return big(static_cast<u32>(value >> 32)); }
COLLBENCH_ANYWHERE u32 low(u64 value) { return big(static_cast<u32>(value)); }

/// Makes the control segment, the first one of every entry.
/// @param opcode mlx5 opcode, e.g. RDMA WRITE
/// @param index number of the entry's first block in the send ring; its lower 16 bits are used
/// @param queue number of the queue pair
/// @param segments number of segments in the entry, this one included
/// @param completes whether the adapter reports the completion
/// @param immediate value that the receiver gets, if the opcode has one
COLLBENCH_ANYWHERE Segment control_segment(u32 opcode, u32 index, u32 queue, u32 segments, bool completes,
                                           u32 immediate = 0) {
  return {{big((index & 0xFFFFU) << 8 | opcode), big(queue << 8 | segments),
           completes ? big(mlx5::kCompletionAlways) : 0U, big(immediate)}};
}
/// Makes the address vector, which follows the control segment in entries of a DC queue and names the target.
/// This is the short form, valid on InfiniBand only.
/// @param access_key key of the target
/// @param target number of the target's queue
/// @param lid InfiniBand address of the peer's port
COLLBENCH_ANYWHERE Segment vector_segment(u64 access_key, u32 target, u32 lid) {
  return {{high(access_key), low(access_key), big(target), big(lid & 0xFFFFU)}};
}
COLLBENCH_ANYWHERE Segment remote_segment(u64 address, u32 key) {
  return {{high(address), low(address), big(key), 0U}};
}
COLLBENCH_ANYWHERE Segment data_segment(u64 address, u32 key, u32 bytes) {
  return {{big(bytes), big(key), high(address), low(address)}};
}
/// Makes a data segment that contains the data (inline) instead of pointing to it.
/// @param value the data, in memory order
/// @param bytes 8, or 4 for the lower half of `value`
COLLBENCH_ANYWHERE Segment inline_segment(u64 value, u32 bytes) {
  return {{big(mlx5::kInline | bytes), static_cast<u32>(value), static_cast<u32>(value >> 32), 0U}};
}
COLLBENCH_ANYWHERE Segment atomic_segment(u64 swap_or_add, u64 compare) {
  return {{high(swap_or_add), low(swap_or_add), high(compare), low(compare)}};
}
/// Returns the value to write to the doorbell register: the first two 32-bit words of the newest entry, which
/// are the start of its control segment.
COLLBENCH_ANYWHERE u64 doorbell_value(const Segment& control) {
  return static_cast<u64>(control.words[0]) | static_cast<u64>(control.words[1]) << 32;
}
/// Returns the value for the doorbell record, from which the adapter learns how far the send ring is filled.
/// @param next number of the block after the newest entry
COLLBENCH_ANYWHERE u32 doorbell_record(u32 next) { return big(next & 0xFFFFU); }

/// Addresses of a connected queue's parts, valid for the CPU thread or GPU that writes its entries. Plain
/// data, so that a kernel can receive it as an argument.
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
