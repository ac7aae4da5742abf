#ifndef COLLBENCH_NVSHMEM_ABI_H
#define COLLBENCH_NVSHMEM_ABI_H
// Interface of the shared object that nvcc compiles from this folder on the node. This text is compiled in
// front of the kernels, hence no #pragma once.
#include <stddef.h>

// NOLINTBEGIN(modernize-use-using)
extern "C" {

enum CollbenchNvshmemCollective {
  kCollbenchNvshmemAllreduce,
  kCollbenchNvshmemAllgather,
  kCollbenchNvshmemReducescatter,
  kCollbenchNvshmemBroadcast,
  kCollbenchNvshmemAlltoall
};

/// Algorithms of collectives. Vendor is NVSHMEM's own collective, queued on the stream; the others are
/// this project's kernels.
enum CollbenchNvshmemAlgorithm {
  kCollbenchNvshmemOneShot,
  kCollbenchNvshmemTwoShot,
  kCollbenchNvshmemRing,
  kCollbenchNvshmemSimpleRing,
  kCollbenchNvshmemAlternatingRings,
  kCollbenchNvshmemTree,
  kCollbenchNvshmemDirect,
  kCollbenchNvshmemVendor
};

enum CollbenchNvshmemType {
  kCollbenchNvshmemFloat32,
  kCollbenchNvshmemFloat16,
  kCollbenchNvshmemBfloat16,
  kCollbenchNvshmemFloat64,
  kCollbenchNvshmemInt32,
  kCollbenchNvshmemInt64
};

enum CollbenchNvshmemOp {
  kCollbenchNvshmemSum,
  kCollbenchNvshmemProd,
  kCollbenchNvshmemMin,
  kCollbenchNvshmemMax
};

/// Launch shape of a kernel: number of blocks, threads per block, and the bytes that a block sends before it
/// signals the receiver.
struct CollbenchNvshmemPoint {
  int blocks;
  int threads;
  size_t packet_bytes;
};

struct CollbenchNvshmemCall {
  int collective, algorithm;
  int type, op;  // Element type and reduction, if the collective reduces.
  int root;
  size_t element_bytes;
  size_t count;      // Count as in NCCL's call.
  const void* send;  // Symmetric address, equal on all ranks.
  void* recv;
  void* stream;
  struct CollbenchNvshmemPoint point;
};

enum CollbenchNvshmemSignal {
  kCollbenchNvshmemFused,    // putmem_signal.
  kCollbenchNvshmemSeparate  // putmem, fence, signal_op.
};

/// `count` messages of `bytes` each to a peer, at consecutive addresses; or all messages that a peer sends.
/// What one rank sends to another in a transfer is a sequence of pieces of at most packet_bytes. Both ends
/// divide it among the blocks of their kernels in the same way.
struct CollbenchNvshmemLot {
  int peer;
  int count;
  size_t bytes;
  const void* from;       // Source; null = messages from the peer are awaited.
  void* to;               // Destination at the peer, as an address of this rank.
  int blocks;             // Blocks that share the pieces of the sequence.
  unsigned first, total;  // Index of the lot's first piece in the sequence, and length of the sequence.
};

enum { kCollbenchNvshmemMostLots = 64 };
/// Messages that run at the same time. Sender and receiver must pass the same `blocks` and `total` for a
/// sequence. A sender may divide a sequence over several transfers that follow each other.
struct CollbenchNvshmemTransfer {
  int lots, signal;
  struct CollbenchNvshmemLot lot[kCollbenchNvshmemMostLots];
  void* stream;
  struct CollbenchNvshmemPoint point;
};

enum CollbenchNvshmemOneSidedKind {
  kCollbenchNvshmemPut,
  kCollbenchNvshmemGet,
  kCollbenchNvshmemP,
  kCollbenchNvshmemG,
  kCollbenchNvshmemFetchAdd,
  kCollbenchNvshmemPutSignal,
  kCollbenchNvshmemNotify,  // Notifies the peer that all kernels of the stream before this one are complete.
  kCollbenchNvshmemAwait    // Waits for the peer's notification.
};
enum CollbenchNvshmemMover {
  kCollbenchNvshmemLibrary,
  kCollbenchNvshmemVector,
  kCollbenchNvshmemBulk,       // Only for blocks.
  kCollbenchNvshmemCopyEngine  // `repeats` copies of all callers' bytes.
};
enum CollbenchNvshmemScope { kCollbenchNvshmemThread, kCollbenchNvshmemWarp, kCollbenchNvshmemBlock };

/// One launch of one-sided operations. `callers` threads, warps or blocks each do `repeats` operations of
/// `bytes`, and wait for completion after every `window` operations. In put_signal the two ranks send in
/// turn.
struct CollbenchNvshmemOneSided {
  int kind, mover, scope, callers, repeats, window;
  int peer;
  int starts;    // put_signal: 1 if this rank goes first.
  size_t bytes;  // p and g: words of 8 bytes; fetch_add: 8 bytes.
  void* local;   // callers * bytes long.
  void* remote;  // Memory at the peer, as an address of this rank.
  void* stream;
  int threads;          // Threads per block in scope block.
  size_t packet_bytes;  // Bytes of one bulk copy, a multiple of 16.
};

/// Returns the length of a unique id in bytes.
typedef size_t (*CollbenchNvshmemIdBytes)(void);
/// Creates the unique id that all ranks need to initialise. Called on rank 0 only; the caller sends the id to
/// the other ranks. Returns 0, or an NVSHMEM error code with a message in `why` (a buffer of why_bytes).
typedef int (*CollbenchNvshmemMakeId)(void* id, char* why, size_t why_bytes);
/// Initialises NVSHMEM with the unique id; all ranks must call it together. The device's primary context must
/// be current. Returns 0 and the state in *handle, or an NVSHMEM error code with a message in `why`.
typedef int (*CollbenchNvshmemCreate)(const void* id, int rank, int ranks, void** handle, char* why,
                                      size_t why_bytes);
/// Writes the version of NVSHMEM, such as "3.4.5", into the buffer `text` of `bytes` bytes.
typedef void (*CollbenchNvshmemVersion)(char* text, size_t bytes);
/// Returns the number of other ranks whose memory kernels of this rank can load and store.
typedef int (*CollbenchNvshmemReached)(void* handle);
/// Allocates symmetric memory filled with zeros; all ranks must call it together, with equal lengths. Returns
/// null if no memory is left.
typedef void* (*CollbenchNvshmemAllocate)(void* handle, size_t bytes);
typedef void (*CollbenchNvshmemFree)(void* handle, void* memory);
/// Queues one collective on call->stream. Returns 0, or another value with a message in `why`.
typedef int (*CollbenchNvshmemLaunch)(void* handle, const struct CollbenchNvshmemCall* call, char* why,
                                      size_t why_bytes);
typedef int (*CollbenchNvshmemMove)(void* handle, const struct CollbenchNvshmemTransfer* transfer, char* why,
                                    size_t why_bytes);
typedef int (*CollbenchNvshmemReach)(void* handle, const struct CollbenchNvshmemOneSided* work, char* why,
                                     size_t why_bytes);
/// Shuts NVSHMEM down. orderly 0: other ranks have already ended, so nothing waits for them.
typedef void (*CollbenchNvshmemDestroy)(void* handle, int orderly);
}
// NOLINTEND(modernize-use-using)

#endif
