#pragma once
/* Recorder functions for the library that is preloaded before an MPI. In C, because that MPI's compiler
 * builds the library. */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct collbench_communicator {
  /* Unique name of the communicator, equal on all its ranks. */
  const char* id;
  const char* name;
  int ranks;
  int rank;
  const char* library_path;
  const char* library_version;
};

struct collbench_call {
  /* Number of the communicator's record, from collbench_record_open(). */
  int log;
  /* Number of a collective in its communicator, from 0. */
  uint64_t sequence;
  /* Names of the function, without "MPI_", and of the data type. The texts are never freed; null: unknown. */
  const char* function;
  const char* type;
  /* Number of elements, and their total size in bytes. */
  uint64_t count;
  uint64_t bytes;
  /* Rank of the root and of the peer; -1: none. */
  int root;
  int peer;
  /* 1 for a non-blocking call, which returned before the operation was done. */
  int is_issue;
  /* Begin and end of the call, CLOCK_MONOTONIC in ns. */
  int64_t start_ns;
  int64_t stop_ns;
};

/* Opens the record file of an MPI communicator. Returns its number (`log`); -1: not recorded. */
int collbench_record_open(const struct collbench_communicator* communicator);
void collbench_record_call(const struct collbench_call* call);
void collbench_record_close(int log);
/* Writes and closes the record files of all communicators; call it before MPI_Finalize. */
void collbench_record_finish(void);

#ifdef __cplusplus
}
#endif
