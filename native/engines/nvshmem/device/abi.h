#ifndef COLLBENCH_NVSHMEM_ABI_H
#define COLLBENCH_NVSHMEM_ABI_H
// The shared object that nvcc makes of this folder on the node, as the engine sees it. Its text stands before
// the kernels in what is compiled, hence no #pragma once.
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

/// `Vendor` is NVSHMEM's own collective, queued on the stream; the others are kernels of this folder.
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

/// Grid, threads of a block, bytes that a block sends before it signals.
struct CollbenchNvshmemPoint {
  int blocks;
  int threads;
  size_t packet_bytes;
};

struct CollbenchNvshmemCall {
  int collective, algorithm;
  int type, op;  // of what is reduced
  int root;
  size_t element_bytes;
  size_t count;      // as NCCL's
  const void* send;  // symmetric, at the same place on all ranks
  void* recv;
  void* stream;
  struct CollbenchNvshmemPoint point;
};

enum CollbenchNvshmemSignal {
  kCollbenchNvshmemFused,    // putmem_signal
  kCollbenchNvshmemSeparate  // putmem, fence, signal_op
};

/// `count` messages of `bytes`, one behind the other.
struct CollbenchNvshmemLot {
  int peer;
  int count;
  size_t bytes;
  const void* from;  // null: a lot of the peer's is awaited
  void* to;          // where it lands at the peer, as an address of this rank
};

enum { kCollbenchNvshmemMostLots = 64 };
/// Lots that leave and arrive at the same time. Both ends know the same `count` and `bytes`.
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
  kCollbenchNvshmemTell,  // the peer hears that all kernels of the stream before this one are complete
  kCollbenchNvshmemAwait  // that word of the peer's
};
enum CollbenchNvshmemMover {
  kCollbenchNvshmemLibrary,
  kCollbenchNvshmemVector,
  kCollbenchNvshmemBulk,       // blocks alone
  kCollbenchNvshmemCopyEngine  // copies of all callers' bytes, `repeats` of them
};
enum CollbenchNvshmemScope { kCollbenchNvshmemThread, kCollbenchNvshmemWarp, kCollbenchNvshmemBlock };

/// `callers` threads, warps or blocks each do `repeats` operations of `bytes`, and complete them after every
/// `window`. put_signal: the two ranks in turn, there and back.
struct CollbenchNvshmemOneSided {
  int kind, mover, scope, callers, repeats, window;
  int peer;
  int starts;    // put_signal: this rank goes first
  size_t bytes;  // p and g: in words of 8; fetch_add: 8
  void* local;   // callers * bytes
  void* remote;  // where they lie at the peer, as an address of this rank
  void* stream;
  int threads;          // of a block, in scope block
  size_t packet_bytes;  // of one bulk copy, a multiple of 16
};

/// Bytes of a unique id.
typedef size_t (*CollbenchNvshmemIdBytes)(void);
/// Rank 0 makes it, all get it. 0, or a code of NVSHMEM's with the sentence in `why`.
typedef int (*CollbenchNvshmemMakeId)(void* id, char* why, size_t why_bytes);
/// All ranks together; the device's primary context is current.
typedef int (*CollbenchNvshmemCreate)(const void* id, int rank, int ranks, void** handle, char* why,
                                      size_t why_bytes);
/// "3.4.5".
typedef void (*CollbenchNvshmemVersion)(char* text, size_t bytes);
/// How many of the other ranks loads and stores reach.
typedef int (*CollbenchNvshmemReached)(void* handle);
/// Symmetric memory, zeroed: all ranks together, equal lengths. Null: there is none left.
typedef void* (*CollbenchNvshmemAllocate)(void* handle, size_t bytes);
typedef void (*CollbenchNvshmemFree)(void* handle, void* memory);
/// Queues one call. 0, or not with the sentence in `why`.
typedef int (*CollbenchNvshmemLaunch)(void* handle, const struct CollbenchNvshmemCall* call, char* why,
                                      size_t why_bytes);
typedef int (*CollbenchNvshmemMove)(void* handle, const struct CollbenchNvshmemTransfer* transfer, char* why,
                                    size_t why_bytes);
typedef int (*CollbenchNvshmemReach)(void* handle, const struct CollbenchNvshmemOneSided* work, char* why,
                                     size_t why_bytes);
/// orderly 0: other ranks are gone, nothing is awaited.
typedef void (*CollbenchNvshmemDestroy)(void* handle, int orderly);
}
// NOLINTEND(modernize-use-using)

#endif
