/*
 * Stands before an MPI: each function here is found before the library's own and calls that under its name
 * PMPI_*. MPIs have no common ABI, so collbench record builds it with the mpicc of the node. It is loaded
 * into every process of a job, shells and launchers too: nothing of MPI is linked, all is looked up once a
 * process has called MPI_Init.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record.h"

static int look_into(struct dl_phdr_info* info, size_t size, void* asked) {
  void** name_and_found = asked;
  void* library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD);
  (void)size;
  if (library == NULL) return 0;
  name_and_found[1] = dlsym(library, name_and_found[0]);
  dlclose(library);
  return name_and_found[1] != NULL;
}

/* Returns the address of a symbol; NULL if no loaded library has it. Python loads MPI outside of the global
 * symbol scope, so if that does not have the symbol, each loaded library is searched. */
static void* find(const char* name) {
  void* name_and_found[2] = {(void*)name, dlsym(RTLD_DEFAULT, name)};
  if (name_and_found[1] == NULL) dl_iterate_phdr(look_into, name_and_found);
  return name_and_found[1];
}

static void* must_find(const char* name) {
  void* found = find(name);
  if (found != NULL) return found;
  fprintf(stderr, "collbench record: the MPI of this process has no %s\n", name);
  abort();
}

#define REAL(function)                                     \
  ({                                                       \
    static __typeof__(&P##function) found_;                \
    if (found_ == NULL) found_ = must_find("P" #function); \
    found_;                                                \
  })

#ifdef OPEN_MPI
#define WORLD ((MPI_Comm)must_find("ompi_mpi_comm_world"))
#define BYTE ((MPI_Datatype)must_find("ompi_mpi_byte"))
#define NOBODY ((MPI_Comm)must_find("ompi_mpi_comm_null"))
#else
#define WORLD MPI_COMM_WORLD
#define NOBODY MPI_COMM_NULL
#define BYTE MPI_BYTE
#endif

/* 1 if this file was built for Open MPI, 0 for MPICH and its relatives. Their ABIs differ: handles are
 * pointers in Open MPI and numbers in MPICH. */
#ifdef OPEN_MPI
static const int is_for_open_mpi = 1;
#else
static const int is_for_open_mpi = 0;
#endif
/* 1 if the MPI of this process is of the kind for which this file was built. */
static int fits(void) { return (find("ompi_mpi_comm_world") != NULL) == is_for_open_mpi; }

/* Reports, on one rank of the job, that MPI is not recorded, because this file was built for another MPI.
 * Built for Open MPI, it then lets the job continue: handles that are numbers pass through its functions
 * unchanged. Built for MPICH, it ends the process, because it would cut pointers to 32 bits. */
static void refuse_other_mpi(void) {
  const char* ranks[] = {getenv("OMPI_COMM_WORLD_RANK"), getenv("PMI_RANK"), getenv("PMIX_RANK")};
  int is_first = 1;
  for (int i = 0; i < 3; ++i) is_first &= ranks[i] == NULL || strcmp(ranks[i], "0") == 0;
  if (is_first)
    fprintf(stderr,
            "collbench record: MPI is not recorded: its mpicc builds for %s, this program runs %s\n"
            "Next: --mpicc PATH of the mpicc that built the program, or --mpicc none\n",
            is_for_open_mpi ? "Open MPI" : "MPICH", is_for_open_mpi ? "MPICH or another MPI" : "Open MPI");
  if (!is_for_open_mpi) exit(1);
}

/* --- what is recorded, and by whom --- */

static __typeof__(&collbench_record_open) record_open;
static __typeof__(&collbench_record_call) record_call;
static __typeof__(&collbench_record_close) record_close;
static __typeof__(&collbench_record_finish) record_finish;

static int is_recording;
static int keyval;
static unsigned long long job;
/* Number of MPI functions that this thread is inside of. Parts of MPI itself, such as MPI-IO, call MPI_*
 * functions too; these inner calls are not recorded, because the job did not make them. */
static __thread int depth;

/* State of a communicator: number of its record (-1: not recorded), ranks, and collectives so far. */
struct comm {
  int log;
  int ranks;
  unsigned long long collectives;
};

static int64_t now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

static int not_copied(MPI_Comm from, int key, void* extra, void* value, void* copy, int* is_copied) {
  (void)from, (void)key, (void)extra, (void)value, (void)copy;
  *is_copied = 0;
  return MPI_SUCCESS;
}

static int freed(MPI_Comm comm, int key, void* value, void* extra) {
  struct comm* state = value;
  (void)comm, (void)key, (void)extra;
  if (is_recording && state->log >= 0) record_close(state->log);
  free(state);
  return MPI_SUCCESS;
}

/* Continues an FNV-1a hash with the 8 bytes of `value` and returns the new hash. */
static unsigned long long mixed(unsigned long long hash, unsigned long long value) {
  for (int i = 0; i < 8; ++i) hash = (hash ^ ((value >> (8 * i)) & 255)) * 0x100000001b3ull;
  return hash;
}

/* Hash of the job's number and of the communicator's ranks in the job. It is equal on all these ranks,
 * without communication. */
static unsigned long long hash_of(MPI_Comm comm, int ranks) {
  unsigned long long hash = mixed(0xcbf29ce484222325ull, job);
  int* own = malloc(2 * sizeof(int) * (size_t)ranks);
  MPI_Group group, all;
  if (own == NULL) return hash;
  for (int i = 0; i < ranks; ++i) own[i] = i;
  REAL(MPI_Comm_group)(comm, &group);
  REAL(MPI_Comm_group)(WORLD, &all);
  REAL(MPI_Group_translate_ranks)(group, ranks, own, all, own + ranks);
  for (int i = 0; i < ranks; ++i) hash = mixed(hash, (unsigned long long)own[ranks + i]);
  REAL(MPI_Group_free)(&group);
  REAL(MPI_Group_free)(&all);
  free(own);
  return hash;
}

enum { most_hashes = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long long hashes[most_hashes];
static int hash_count;

/* Number of a new communicator among those with the same ranks (equal `hash`), from 0, in the order in which
 * they were made. After most_hashes communicators in this process, further ones are not counted. */
static int number_of(unsigned long long hash) {
  int number = 0;
  for (int i = 0; i < hash_count; ++i) number += hashes[i] == hash;
  if (hash_count < most_hashes) hashes[hash_count++] = hash;
  return number;
}

static const char* library_version(char* text) {
  int length = 0;
  REAL(MPI_Get_library_version)(text, &length);
  text[strcspn(text, ",\n")] = '\0';
  return text;
}

static struct comm* entered(MPI_Comm comm) {
  struct comm* state = NULL;
  struct collbench_communicator told = {0};
  char id[48], name[MPI_MAX_OBJECT_NAME] = "", version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  Dl_info library;
  int is_between = 0, length = 0;
  /* In an intercommunicator a rank number has two meanings. */
  REAL(MPI_Comm_test_inter)(comm, &is_between);
  if (is_between || (state = calloc(1, sizeof *state)) == NULL) return NULL;
  REAL(MPI_Comm_size)(comm, &told.ranks);
  REAL(MPI_Comm_rank)(comm, &told.rank);
  REAL(MPI_Comm_get_name)(comm, name, &length);
  const unsigned long long hash = hash_of(comm, told.ranks);
  snprintf(id, sizeof id, "%016llx.%d", hash, number_of(hash));
  told.id = id;
  told.name = name;
  told.library_version = library_version(version);
  if (dladdr(must_find("PMPI_Init"), &library) != 0) told.library_path = library.dli_fname;
  state->ranks = told.ranks;
  state->log = record_open(&told);
  REAL(MPI_Comm_set_attr)(comm, keyval, state);
  return state;
}

static struct comm* comm_of(MPI_Comm comm) {
  void* value = NULL;
  int is_known = 0;
  REAL(MPI_Comm_get_attr)(comm, keyval, &value, &is_known);
  if (is_known) return value;
  pthread_mutex_lock(&lock);
  REAL(MPI_Comm_get_attr)(comm, keyval, &value, &is_known);
  struct comm* state = is_known ? value : entered(comm);
  pthread_mutex_unlock(&lock);
  return state;
}

struct type {
  const char* name;
  int bytes;
};

static const char* const type_names[] = {
    "MPI_BYTE",
    "MPI_CHAR",
    "MPI_SIGNED_CHAR",
    "MPI_UNSIGNED_CHAR",
    "MPI_SHORT",
    "MPI_UNSIGNED_SHORT",
    "MPI_INT",
    "MPI_UNSIGNED",
    "MPI_LONG",
    "MPI_UNSIGNED_LONG",
    "MPI_LONG_LONG",
    "MPI_LONG_LONG_INT",
    "MPI_UNSIGNED_LONG_LONG",
    "MPI_FLOAT",
    "MPI_DOUBLE",
    "MPI_LONG_DOUBLE",
    "MPI_INT8_T",
    "MPI_UINT8_T",
    "MPI_INT16_T",
    "MPI_UINT16_T",
    "MPI_INT32_T",
    "MPI_UINT32_T",
    "MPI_INT64_T",
    "MPI_UINT64_T",
    "MPI_C_BOOL",
    "MPI_PACKED",
    "MPI_AINT",
    "MPI_COUNT",
    "MPI_OFFSET",
};

/* Name and size in bytes of a data type; name NULL for a type of the user. The thread's last type is cached,
 * but only one of MPI's own, because a handle of a user's type may later denote another type. */
static struct type type_of(MPI_Datatype type) {
  static __thread MPI_Datatype last_handle;
  static __thread struct type last;
  struct type found = {NULL, 0};
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  if (last.name != NULL && last_handle == type) return last;
  REAL(MPI_Type_size)(type, &found.bytes);
  REAL(MPI_Type_get_name)(type, name, &length);
  for (size_t i = 0; i < sizeof type_names / sizeof *type_names; ++i)
    if (strcmp(name, type_names[i]) == 0) found.name = type_names[i];
  if (found.name != NULL) last_handle = type, last = found;
  return found;
}

static int enter(void) { return depth++ == 0 && is_recording; }

struct asked {
  const char* function;
  int is_collective;
  int is_issue;
  int root;
  int peer;
};

static void record(MPI_Comm comm, struct asked asked, uint64_t count, uint64_t bytes, const char* type,
                   int64_t from) {
  const int64_t until = now();
  struct comm* state = comm_of(comm);
  struct collbench_call call = {0};
  if (state == NULL) return;
  call.log = state->log;
  call.sequence = asked.is_collective ? __atomic_fetch_add(&state->collectives, 1, __ATOMIC_RELAXED) : 0;
  call.function = asked.function;
  call.type = type;
  call.count = count;
  call.bytes = bytes;
  call.root = asked.root;
  call.peer = asked.peer;
  call.is_issue = asked.is_issue;
  call.start_ns = from;
  call.stop_ns = until;
  record_call(&call);
}

static void record_typed(MPI_Comm comm, struct asked asked, uint64_t count, MPI_Datatype type, int64_t from) {
  const struct type one = type_of(type);
  record(comm, asked, count, count * (uint64_t)one.bytes, one.name, from);
}

/* Body of an MPI function: makes `call`, then runs `then`, which records the call, and returns the result. A
 * call that fails, or that another MPI function makes, is not recorded. */
#define RECORDED(call, then)                   \
  do {                                         \
    const int is_ours_ = enter();              \
    const int64_t from = is_ours_ ? now() : 0; \
    const int result_ = (call);                \
    (void)from;                                \
    if (is_ours_ && result_ == MPI_SUCCESS) {  \
      then                                     \
    }                                          \
    --depth;                                   \
    return result_;                            \
  } while (0)

#define ALL(name) ((struct asked){name, 1, 0, -1, -1})
#define ROOTED(name, at) ((struct asked){name, 1, 0, at, -1})
#define ISSUED(name, at) ((struct asked){name, 1, 1, at, -1})
#define MESSAGE(name, with) ((struct asked){name, 0, 0, -1, with})
#define MESSAGE_ISSUED(name, with) ((struct asked){name, 0, 1, -1, with})

static uint64_t sum_of(const int counts[], MPI_Comm comm) {
  const struct comm* state = comm_of(comm);
  uint64_t sum = 0;
  for (int i = 0; state != NULL && i < state->ranks; ++i) sum += (uint64_t)counts[i];
  return sum;
}

/* Records a call whose parts may have different types: as the sum of their bytes, with type MPI_BYTE. */
static void record_each(MPI_Comm comm, struct asked asked, const int counts[], const MPI_Datatype types[],
                        int64_t from) {
  const struct comm* state = comm_of(comm);
  uint64_t bytes = 0;
  for (int i = 0; state != NULL && i < state->ranks; ++i)
    if (counts[i] > 0) bytes += (uint64_t)counts[i] * (uint64_t)type_of(types[i]).bytes;
  record(comm, asked, bytes, bytes, "MPI_BYTE", from);
}

static int is_root(MPI_Comm comm, int root) {
  int rank = -1;
  REAL(MPI_Comm_rank)(comm, &rank);
  return rank == root;
}

/* --- from the beginning to the end of a job --- */

static void begin(void) {
  const char* path = getenv("COLLBENCH_RECORD_LIBRARY");
  void* library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int rank = 0;
  if (library == NULL) {
    if (path != NULL) fprintf(stderr, "collbench record: not recorded: %s\n", dlerror());
    return;
  }
  record_open = dlsym(library, "collbench_record_open");
  record_call = dlsym(library, "collbench_record_call");
  record_close = dlsym(library, "collbench_record_close");
  record_finish = dlsym(library, "collbench_record_finish");
  if (record_open == NULL || record_call == NULL || record_close == NULL || record_finish == NULL) return;
  /* A random number for `job`, equal on all ranks, distinguishes communicators of different jobs. */
  REAL(MPI_Comm_rank)(WORLD, &rank);
  if (rank == 0) {
    FILE* random = fopen("/dev/urandom", "rb");
    if (random == NULL || fread(&job, sizeof job, 1, random) != 1) job = (unsigned long long)now();
    if (random != NULL) fclose(random);
  }
  REAL(MPI_Bcast)(&job, sizeof job, BYTE, 0, WORLD);
  if (REAL(MPI_Comm_create_keyval)(not_copied, freed, &keyval, NULL) != MPI_SUCCESS) return;
  comm_of(WORLD);
  is_recording = 1;
}

int MPI_Init(int* count, char*** words) {
  ++depth;
  const int is_fit = fits();
  if (!is_fit) refuse_other_mpi();
  const int result = REAL(MPI_Init)(count, words);
  if (result == MPI_SUCCESS && is_fit) begin();
  --depth;
  return result;
}

int MPI_Init_thread(int* count, char*** words, int required, int* provided) {
  ++depth;
  const int is_fit = fits();
  if (!is_fit) refuse_other_mpi();
  const int result = REAL(MPI_Init_thread)(count, words, required, provided);
  if (result == MPI_SUCCESS && is_fit) begin();
  --depth;
  return result;
}

int MPI_Finalize(void) {
  ++depth;
  if (is_recording) record_finish();
  is_recording = 0;
  const int result = REAL(MPI_Finalize)();
  --depth;
  return result;
}

/* --- communicators: entered where they are made, so that all ranks number them alike --- */

#define MADE(call) RECORDED(call, if (*made != NOBODY) comm_of(*made);)

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) { MADE(REAL(MPI_Comm_dup)(comm, made)); }
int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  MADE(REAL(MPI_Comm_dup_with_info)(comm, info, made));
}
int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  MADE(REAL(MPI_Comm_create)(comm, group, made));
}
int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  MADE(REAL(MPI_Comm_create_group)(comm, group, tag, made));
}
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  MADE(REAL(MPI_Comm_split)(comm, color, key, made));
}
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  MADE(REAL(MPI_Comm_split_type)(comm, type, key, info, made));
}
int MPI_Cart_create(MPI_Comm comm, int n, const int sizes[], const int periods[], int reorder,
                    MPI_Comm* made) {
  MADE(REAL(MPI_Cart_create)(comm, n, sizes, periods, reorder, made));
}
int MPI_Cart_sub(MPI_Comm comm, const int remains[], MPI_Comm* made) {
  MADE(REAL(MPI_Cart_sub)(comm, remains, made));
}

/* --- collectives: `count` of one rank's part where each has one, else of the whole --- */

int MPI_Barrier(MPI_Comm c) { RECORDED(REAL(MPI_Barrier)(c), record(c, ALL("Barrier"), 0, 0, NULL, from);); }
int MPI_Bcast(void* b, int n, MPI_Datatype t, int root, MPI_Comm c) {
  RECORDED(REAL(MPI_Bcast)(b, n, t, root, c), record_typed(c, ROOTED("Bcast", root), (uint64_t)n, t, from););
}
int MPI_Allreduce(const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  RECORDED(REAL(MPI_Allreduce)(s, r, n, t, op, c), record_typed(c, ALL("Allreduce"), (uint64_t)n, t, from););
}
int MPI_Reduce(const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c) {
  RECORDED(REAL(MPI_Reduce)(s, r, n, t, op, root, c),
           record_typed(c, ROOTED("Reduce", root), (uint64_t)n, t, from););
}
int MPI_Scan(const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  RECORDED(REAL(MPI_Scan)(s, r, n, t, op, c), record_typed(c, ALL("Scan"), (uint64_t)n, t, from););
}
int MPI_Exscan(const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  RECORDED(REAL(MPI_Exscan)(s, r, n, t, op, c), record_typed(c, ALL("Exscan"), (uint64_t)n, t, from););
}
int MPI_Reduce_scatter_block(const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  RECORDED(REAL(MPI_Reduce_scatter_block)(s, r, n, t, op, c),
           record_typed(c, ALL("Reduce_scatter_block"), (uint64_t)n, t, from););
}
int MPI_Reduce_scatter(const void* s, void* r, const int n[], MPI_Datatype t, MPI_Op op, MPI_Comm c) {
  RECORDED(REAL(MPI_Reduce_scatter)(s, r, n, t, op, c),
           record_typed(c, ALL("Reduce_scatter"), sum_of(n, c), t, from););
}
/* The send buffer may be missing (in place); the receive buffer is always given. */
int MPI_Allgather(const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c) {
  RECORDED(REAL(MPI_Allgather)(s, n, t, r, m, u, c),
           record_typed(c, ALL("Allgather"), (uint64_t)m, u, from););
}
int MPI_Allgatherv(const void* s, int n, MPI_Datatype t, void* r, const int m[], const int at[],
                   MPI_Datatype u, MPI_Comm c) {
  RECORDED(REAL(MPI_Allgatherv)(s, n, t, r, m, at, u, c),
           record_typed(c, ALL("Allgatherv"), sum_of(m, c), u, from););
}
int MPI_Alltoall(const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c) {
  RECORDED(REAL(MPI_Alltoall)(s, n, t, r, m, u, c), record_typed(c, ALL("Alltoall"), (uint64_t)m, u, from););
}
int MPI_Alltoallv(const void* s, const int n[], const int from_at[], MPI_Datatype t, void* r, const int m[],
                  const int at[], MPI_Datatype u, MPI_Comm c) {
  RECORDED(REAL(MPI_Alltoallv)(s, n, from_at, t, r, m, at, u, c),
           record_typed(c, ALL("Alltoallv"), sum_of(m, c), u, from););
}
int MPI_Alltoallw(const void* s, const int n[], const int from_at[], const MPI_Datatype t[], void* r,
                  const int m[], const int at[], const MPI_Datatype u[], MPI_Comm c) {
  RECORDED(REAL(MPI_Alltoallw)(s, n, from_at, t, r, m, at, u, c),
           record_each(c, ALL("Alltoallw"), m, u, from););
}
int MPI_Gather(const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, int root, MPI_Comm c) {
  RECORDED(REAL(MPI_Gather)(s, n, t, r, m, u, root, c), const int ours = is_root(c, root);
           record_typed(c, ROOTED("Gather", root), (uint64_t)(ours ? m : n), ours ? u : t, from););
}
int MPI_Scatter(const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, int root, MPI_Comm c) {
  RECORDED(REAL(MPI_Scatter)(s, n, t, r, m, u, root, c), const int ours = is_root(c, root);
           record_typed(c, ROOTED("Scatter", root), (uint64_t)(ours ? n : m), ours ? t : u, from););
}
/* Only the root knows the total; other ranks record their part. */
int MPI_Gatherv(const void* s, int n, MPI_Datatype t, void* r, const int m[], const int at[], MPI_Datatype u,
                int root, MPI_Comm c) {
  RECORDED(REAL(MPI_Gatherv)(s, n, t, r, m, at, u, root, c), const int ours = is_root(c, root);
           record_typed(c, ROOTED("Gatherv", root), ours ? sum_of(m, c) : (uint64_t)n, ours ? u : t, from););
}
int MPI_Scatterv(const void* s, const int n[], const int at[], MPI_Datatype t, void* r, int m, MPI_Datatype u,
                 int root, MPI_Comm c) {
  RECORDED(REAL(MPI_Scatterv)(s, n, at, t, r, m, u, root, c), const int ours = is_root(c, root);
           record_typed(c, ROOTED("Scatterv", root), ours ? sum_of(n, c) : (uint64_t)m, ours ? t : u, from););
}

/* --- non-blocking collectives: the call returns before the operation is done --- */

int MPI_Ibarrier(MPI_Comm c, MPI_Request* q) {
  RECORDED(REAL(MPI_Ibarrier)(c, q), record(c, ISSUED("Barrier", -1), 0, 0, NULL, from););
}
int MPI_Ibcast(void* b, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request* q) {
  RECORDED(REAL(MPI_Ibcast)(b, n, t, root, c, q),
           record_typed(c, ISSUED("Bcast", root), (uint64_t)n, t, from););
}
int MPI_Iallreduce(const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request* q) {
  RECORDED(REAL(MPI_Iallreduce)(s, r, n, t, op, c, q),
           record_typed(c, ISSUED("Allreduce", -1), (uint64_t)n, t, from););
}
int MPI_Ireduce(const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c,
                MPI_Request* q) {
  RECORDED(REAL(MPI_Ireduce)(s, r, n, t, op, root, c, q),
           record_typed(c, ISSUED("Reduce", root), (uint64_t)n, t, from););
}
int MPI_Iallgather(const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c,
                   MPI_Request* q) {
  RECORDED(REAL(MPI_Iallgather)(s, n, t, r, m, u, c, q),
           record_typed(c, ISSUED("Allgather", -1), (uint64_t)m, u, from););
}
int MPI_Ialltoall(const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, MPI_Comm c,
                  MPI_Request* q) {
  RECORDED(REAL(MPI_Ialltoall)(s, n, t, r, m, u, c, q),
           record_typed(c, ISSUED("Alltoall", -1), (uint64_t)m, u, from););
}
int MPI_Ireduce_scatter_block(const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c,
                              MPI_Request* q) {
  RECORDED(REAL(MPI_Ireduce_scatter_block)(s, r, n, t, op, c, q),
           record_typed(c, ISSUED("Reduce_scatter_block", -1), (uint64_t)n, t, from););
}
int MPI_Ireduce_scatter(const void* s, void* r, const int n[], MPI_Datatype t, MPI_Op op, MPI_Comm c,
                        MPI_Request* q) {
  RECORDED(REAL(MPI_Ireduce_scatter)(s, r, n, t, op, c, q),
           record_typed(c, ISSUED("Reduce_scatter", -1), sum_of(n, c), t, from););
}
int MPI_Iscan(const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request* q) {
  RECORDED(REAL(MPI_Iscan)(s, r, n, t, op, c, q), record_typed(c, ISSUED("Scan", -1), (uint64_t)n, t, from););
}
int MPI_Iexscan(const void* s, void* r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request* q) {
  RECORDED(REAL(MPI_Iexscan)(s, r, n, t, op, c, q),
           record_typed(c, ISSUED("Exscan", -1), (uint64_t)n, t, from););
}
int MPI_Iallgatherv(const void* s, int n, MPI_Datatype t, void* r, const int m[], const int at[],
                    MPI_Datatype u, MPI_Comm c, MPI_Request* q) {
  RECORDED(REAL(MPI_Iallgatherv)(s, n, t, r, m, at, u, c, q),
           record_typed(c, ISSUED("Allgatherv", -1), sum_of(m, c), u, from););
}
int MPI_Ialltoallv(const void* s, const int n[], const int from_at[], MPI_Datatype t, void* r, const int m[],
                   const int at[], MPI_Datatype u, MPI_Comm c, MPI_Request* q) {
  RECORDED(REAL(MPI_Ialltoallv)(s, n, from_at, t, r, m, at, u, c, q),
           record_typed(c, ISSUED("Alltoallv", -1), sum_of(m, c), u, from););
}
int MPI_Ialltoallw(const void* s, const int n[], const int from_at[], const MPI_Datatype t[], void* r,
                   const int m[], const int at[], const MPI_Datatype u[], MPI_Comm c, MPI_Request* q) {
  RECORDED(REAL(MPI_Ialltoallw)(s, n, from_at, t, r, m, at, u, c, q),
           record_each(c, ISSUED("Alltoallw", -1), m, u, from););
}
int MPI_Igather(const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, int root, MPI_Comm c,
                MPI_Request* q) {
  RECORDED(REAL(MPI_Igather)(s, n, t, r, m, u, root, c, q), const int ours = is_root(c, root);
           record_typed(c, ISSUED("Gather", root), (uint64_t)(ours ? m : n), ours ? u : t, from););
}
int MPI_Iscatter(const void* s, int n, MPI_Datatype t, void* r, int m, MPI_Datatype u, int root, MPI_Comm c,
                 MPI_Request* q) {
  RECORDED(REAL(MPI_Iscatter)(s, n, t, r, m, u, root, c, q), const int ours = is_root(c, root);
           record_typed(c, ISSUED("Scatter", root), (uint64_t)(ours ? n : m), ours ? t : u, from););
}
int MPI_Igatherv(const void* s, int n, MPI_Datatype t, void* r, const int m[], const int at[], MPI_Datatype u,
                 int root, MPI_Comm c, MPI_Request* q) {
  RECORDED(REAL(MPI_Igatherv)(s, n, t, r, m, at, u, root, c, q), const int ours = is_root(c, root);
           record_typed(c, ISSUED("Gatherv", root), ours ? sum_of(m, c) : (uint64_t)n, ours ? u : t, from););
}
int MPI_Iscatterv(const void* s, const int n[], const int at[], MPI_Datatype t, void* r, int m,
                  MPI_Datatype u, int root, MPI_Comm c, MPI_Request* q) {
  RECORDED(REAL(MPI_Iscatterv)(s, n, at, t, r, m, u, root, c, q), const int ours = is_root(c, root);
           record_typed(c, ISSUED("Scatterv", root), ours ? sum_of(n, c) : (uint64_t)m, ours ? t : u, from););
}

/* --- messages; those to or from MPI_PROC_NULL are not recorded --- */

#define SENT(function, issued)                                                                             \
  int MPI_##function(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c) {                  \
    RECORDED(REAL(MPI_##function)(b, n, t, to, tag, c),                                                    \
             if (to != MPI_PROC_NULL) record_typed(c, MESSAGE("Send", to), (uint64_t)n, t, from););        \
  }                                                                                                        \
  int MPI_##issued(const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* q) {    \
    RECORDED(REAL(MPI_##issued)(b, n, t, to, tag, c, q),                                                   \
             if (to != MPI_PROC_NULL) record_typed(c, MESSAGE_ISSUED("Send", to), (uint64_t)n, t, from);); \
  }
SENT(Send, Isend)
SENT(Ssend, Issend)
SENT(Bsend, Ibsend)
SENT(Rsend, Irsend)

/* Number of received elements of type `type`; `room` (the size of the buffer) if it is no whole number. */
static uint64_t received(const MPI_Status* status, MPI_Datatype type, int room) {
  int count = 0;
  REAL(MPI_Get_count)(status, type, &count);
  return (uint64_t)(count == MPI_UNDEFINED ? room : count);
}
int MPI_Recv(void* b, int n, MPI_Datatype t, int of, int tag, MPI_Comm c, MPI_Status* asked) {
  MPI_Status own, *status = asked == MPI_STATUS_IGNORE ? &own : asked;
  RECORDED(REAL(MPI_Recv)(b, n, t, of, tag, c, status),
           if (of != MPI_PROC_NULL)
               record_typed(c, MESSAGE("Recv", status->MPI_SOURCE), received(status, t, n), t, from););
}
/* The size of the message is not known yet, so the size of the buffer is recorded. */
int MPI_Irecv(void* b, int n, MPI_Datatype t, int of, int tag, MPI_Comm c, MPI_Request* q) {
  RECORDED(REAL(MPI_Irecv)(b, n, t, of, tag, c, q),
           if (of != MPI_PROC_NULL)
               record_typed(c, MESSAGE_ISSUED("Recv", of < 0 ? -1 : of), (uint64_t)n, t, from););
}
/* MPI_Mprobe has matched the message already. Its communicator and sender are not known here, so it is
 * recorded for MPI_COMM_WORLD, without a peer. */
int MPI_Mrecv(void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Status* asked) {
  MPI_Status own, *status = asked == MPI_STATUS_IGNORE ? &own : asked;
  RECORDED(REAL(MPI_Mrecv)(b, n, t, m, status),
           record_typed(WORLD, MESSAGE("Recv", -1), received(status, t, n), t, from););
}
int MPI_Imrecv(void* b, int n, MPI_Datatype t, MPI_Message* m, MPI_Request* q) {
  RECORDED(REAL(MPI_Imrecv)(b, n, t, m, q),
           record_typed(WORLD, MESSAGE_ISSUED("Recv", -1), (uint64_t)n, t, from););
}
int MPI_Sendrecv(const void* s, int n, MPI_Datatype t, int to, int tag, void* r, int m, MPI_Datatype u,
                 int of, int with, MPI_Comm c, MPI_Status* status) {
  RECORDED(REAL(MPI_Sendrecv)(s, n, t, to, tag, r, m, u, of, with, c, status),
           if (to != MPI_PROC_NULL) record_typed(c, MESSAGE("Sendrecv", to), (uint64_t)n, t, from););
}
int MPI_Sendrecv_replace(void* b, int n, MPI_Datatype t, int to, int tag, int of, int with, MPI_Comm c,
                         MPI_Status* status) {
  RECORDED(REAL(MPI_Sendrecv_replace)(b, n, t, to, tag, of, with, c, status),
           if (to != MPI_PROC_NULL) record_typed(c, MESSAGE("Sendrecv", to), (uint64_t)n, t, from););
}

/* --- waits for non-blocking calls. Their communicator is not known here, so they are recorded for
 * MPI_COMM_WORLD; the count is the number of requests that have completed. --- */

#define WAITED(requests) record(WORLD, MESSAGE("Wait", -1), (uint64_t)(requests), 0, NULL, from);

int MPI_Wait(MPI_Request* q, MPI_Status* s) { RECORDED(REAL(MPI_Wait)(q, s), WAITED(1)); }
int MPI_Waitall(int n, MPI_Request q[], MPI_Status s[]) { RECORDED(REAL(MPI_Waitall)(n, q, s), WAITED(n)); }
int MPI_Waitany(int n, MPI_Request q[], int* i, MPI_Status* s) {
  RECORDED(REAL(MPI_Waitany)(n, q, i, s), WAITED(1));
}
int MPI_Waitsome(int n, MPI_Request q[], int* done, int at[], MPI_Status s[]) {
  RECORDED(REAL(MPI_Waitsome)(n, q, done, at, s), WAITED(*done == MPI_UNDEFINED ? 0 : *done));
}

/* Starts of persistent requests, whose sizes are not recorded. The count is the number of requests, so that a
 * report can say that such messages are missing. */
int MPI_Start(MPI_Request* q) {
  RECORDED(REAL(MPI_Start)(q), record(WORLD, MESSAGE_ISSUED("Start", -1), 1, 0, NULL, from););
}
int MPI_Startall(int n, MPI_Request q[]) {
  RECORDED(REAL(MPI_Startall)(n, q), record(WORLD, MESSAGE_ISSUED("Start", -1), (uint64_t)n, 0, NULL, from););
}
