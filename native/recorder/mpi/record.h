#pragma once
/* What a library that stands before an MPI calls: C, as it is built with the compiler of that MPI. */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct collbench_communicator {
  /* Equal on all its ranks, and on them alone. */
  const char* id;
  const char* name;
  int ranks;
  int rank;
  const char* library_path;
  const char* library_version;
};

struct collbench_call {
  int log;
  /* Number of a collective in its communicator, from 0. */
  uint64_t sequence;
  /* Words that are never freed; null: not known. */
  const char* function;
  const char* type;
  uint64_t count;
  uint64_t bytes;
  /* -1: none. */
  int root;
  int peer;
  /* It returned before it was done. */
  int is_issue;
  /* CLOCK_MONOTONIC. */
  int64_t start_ns;
  int64_t stop_ns;
};

/* -1: not recorded. */
int collbench_record_open(const struct collbench_communicator* communicator);
void collbench_record_call(const struct collbench_call* call);
void collbench_record_close(int log);
/* Before MPI ends. */
void collbench_record_finish(void);

#ifdef __cplusplus
}
#endif
