#pragma once
// Functions that the bridge exports (bridge.c, compiled on the node against its MPI); plain C on both sides.
// Functions that return int return MPI's error code, 0 = success.
#include <stddef.h>
#include <stdint.h>

/// One MPI collective call. `count` is in elements: of the whole vector (allreduce, broadcast, reduce,
/// sendrecv), or of each rank's part. It is not used for alltoallv.
struct CollbenchMpiCall {
  const void* send;
  void* recv;
  int count;
  int type, op;  // Results of collbench_mpi_type() and collbench_mpi_op().
  int root;
  int in_place;
  /// Length and offset in elements of the part for each peer in the send and in the receive buffer, for
  /// alltoallv only.
  const int *send_counts, *send_offsets, *recv_counts, *recv_offsets;
};
typedef int (*CollbenchMpiRun)(const struct CollbenchMpiCall* call);

/// One point-to-point send or receive of at most INT_MAX bytes. All messages of one call of transfer() run at
/// the same time.
struct CollbenchMpiMessage {
  void* data;
  size_t bytes;
  int peer;
  int sends;
  /// Gets the time at which this message and all before it with a time were complete, in ns of
  /// CLOCK_MONOTONIC; NULL = not wanted.
  int64_t* arrived_ns;
};

#define COLLBENCH_MPI_FUNCTIONS(X)                                                    \
  X(int, start, (void))     /* MPI_Init */                                            \
  X(int, order, (int rank)) /* numbers the ranks anew: this process becomes `rank` */ \
  X(int, meet, (void))      /* connects every rank to every other */                  \
  X(int, end, (void))       /* MPI_Finalize */                                        \
  X(int, rank, (void))                                                                \
  X(int, ranks, (void))                                                               \
  X(CollbenchMpiRun, collective, (const char* name)) /* NULL = none of that name */   \
  X(int, type, (const char* name))                   /* -1 = none of that name */     \
  X(int, op, (const char* name))                     /* -1 = none of that name */     \
  X(int, transfer, (const struct CollbenchMpiMessage* messages, int count))           \
  X(void, error, (int code, char* text, size_t length))          /* in MPI's words */ \
  X(void, version, (char* text, size_t length))                  /* of the library */ \
  X(int, setting, (const char* name, char* text, size_t length)) /* MPI_T variable; 0 = there is none */
