// Calls of the node's MPI behind plain C types (abi.h). Measures nothing.
/// Communicator of all ranks, set by start() and order().
static MPI_Comm all = MPI_COMM_NULL;

static const char* const kTypeNames[] = {"int32", "uint32", "int64", "uint64", "float32", "float64"};
static const char* const kOpNames[] = {"sum", "prod", "min", "max"};
enum { kTag = 77 };

static MPI_Datatype type_at(int index) {
  const MPI_Datatype types[] = {MPI_INT32_T, MPI_UINT32_T, MPI_INT64_T, MPI_UINT64_T, MPI_FLOAT, MPI_DOUBLE};
  return types[index];
}

static MPI_Op op_at(int index) {
  const MPI_Op ops[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
  return ops[index];
}

static int find(const char* const* names, size_t count, const char* name) {
  for (size_t i = 0; i < count; ++i)
    if (strcmp(names[i], name) == 0) return (int)i;
  return -1;
}

static int own_rank(void) {
  int rank = -1;
  MPI_Comm_rank(all, &rank);
  return rank;
}

static int all_ranks(void) {
  int ranks = 0;
  MPI_Comm_size(all, &ranks);
  return ranks;
}

static size_t bytes_of(const struct CollbenchMpiCall* call) {
  int size = 0;
  MPI_Type_size(type_at(call->type), &size);
  return (size_t)size * (size_t)call->count;
}

static int allreduce(const struct CollbenchMpiCall* c) {
  return MPI_Allreduce(c->in_place ? MPI_IN_PLACE : c->send, c->recv, c->count, type_at(c->type),
                       op_at(c->op), all);
}

static int allgather(const struct CollbenchMpiCall* c) {
  return MPI_Allgather(c->in_place ? MPI_IN_PLACE : c->send, c->count, type_at(c->type), c->recv, c->count,
                       type_at(c->type), all);
}

// MPI leaves the result of an in-place call at the beginning of the vector, NCCL's convention at the rank's
// part.
static int reducescatter(const struct CollbenchMpiCall* c) {
  if (!c->in_place)
    return MPI_Reduce_scatter_block(c->send, c->recv, c->count, type_at(c->type), op_at(c->op), all);
  const int code =
      MPI_Reduce_scatter_block(MPI_IN_PLACE, (void*)c->send, c->count, type_at(c->type), op_at(c->op), all);
  if (c->recv != c->send) memmove(c->recv, c->send, bytes_of(c));
  return code;
}

// MPI has only one buffer: the root sends from its own and copies it afterwards, while others receive.
static int broadcast(const struct CollbenchMpiCall* c) {
  const int is_root = own_rank() == c->root;
  void* buffer = is_root ? (void*)c->send : c->recv;
  const int code = MPI_Bcast(buffer, c->count, type_at(c->type), c->root, all);
  if (is_root && c->recv != c->send) memcpy(c->recv, c->send, bytes_of(c));
  return code;
}

static int reduce(const struct CollbenchMpiCall* c) {
  const int is_root = own_rank() == c->root;
  return MPI_Reduce(c->in_place && is_root ? MPI_IN_PLACE : c->send, is_root ? c->recv : NULL, c->count,
                    type_at(c->type), op_at(c->op), c->root, all);
}

static int alltoall(const struct CollbenchMpiCall* c) {
  return MPI_Alltoall(c->send, c->count, type_at(c->type), c->recv, c->count, type_at(c->type), all);
}

static int alltoallv(const struct CollbenchMpiCall* c) {
  return MPI_Alltoallv(c->send, c->send_counts, c->send_offsets, type_at(c->type), c->recv, c->recv_counts,
                       c->recv_offsets, type_at(c->type), all);
}

static int gather(const struct CollbenchMpiCall* c) {
  const int is_root = own_rank() == c->root;
  return MPI_Gather(c->in_place && is_root ? MPI_IN_PLACE : c->send, c->count, type_at(c->type),
                    is_root ? c->recv : NULL, c->count, type_at(c->type), c->root, all);
}

static int scatter(const struct CollbenchMpiCall* c) {
  const int is_root = own_rank() == c->root;
  return MPI_Scatter(is_root ? c->send : NULL, c->count, type_at(c->type),
                     c->in_place && is_root ? MPI_IN_PLACE : c->recv, c->count, type_at(c->type), c->root,
                     all);
}

static int sendrecv(const struct CollbenchMpiCall* c) {
  const int rank = own_rank(), ranks = all_ranks();
  return MPI_Sendrecv(c->send, c->count, type_at(c->type), (rank + 1) % ranks, kTag, c->recv, c->count,
                      type_at(c->type), (rank + ranks - 1) % ranks, kTag, all, MPI_STATUS_IGNORE);
}

static const char* const kCollectiveNames[] = {"allreduce", "allgather", "reducescatter", "broadcast",
                                               "reduce",    "alltoall",  "gather",        "scatter",
                                               "sendrecv",  "alltoallv"};
static const CollbenchMpiRun kCollectives[] = {allreduce, allgather, reducescatter, broadcast, reduce,
                                               alltoall,  gather,    scatter,       sendrecv,  alltoallv};

CollbenchMpiRun collbench_mpi_collective(const char* name) {
  const int found = find(kCollectiveNames, sizeof kCollectiveNames / sizeof *kCollectiveNames, name);
  return found < 0 ? NULL : kCollectives[found];
}

int collbench_mpi_type(const char* name) {
  return find(kTypeNames, sizeof kTypeNames / sizeof *kTypeNames, name);
}

int collbench_mpi_op(const char* name) { return find(kOpNames, sizeof kOpNames / sizeof *kOpNames, name); }

int collbench_mpi_start(void) {
  int provided = 0;
  const int code = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  if (code != MPI_SUCCESS) return code;
  all = MPI_COMM_WORLD;
  return MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
}

int collbench_mpi_order(int rank) { return MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &all); }

int collbench_mpi_meet(void) {
  // Several connections at a time, because ranks that share cores wait for a turn at each step.
  enum { kAtOnce = 32 };
  const int rank = own_rank(), ranks = all_ranks();
  int code = MPI_SUCCESS;
  for (int first = 1; first < ranks && code == MPI_SUCCESS; first += kAtOnce) {
    MPI_Request requests[2 * kAtOnce];
    char out = 1, in[kAtOnce];
    int count = 0;
    for (int step = first; step < ranks && step < first + kAtOnce && code == MPI_SUCCESS; ++step) {
      code = MPI_Irecv(&in[step - first], 1, MPI_CHAR, (rank + ranks - step) % ranks, kTag, all,
                       &requests[count++]);
      if (code == MPI_SUCCESS)
        code = MPI_Isend(&out, 1, MPI_CHAR, (rank + step) % ranks, kTag, all, &requests[count++]);
    }
    if (code == MPI_SUCCESS) code = MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  }
  return code != MPI_SUCCESS ? code : MPI_Barrier(all);
}

int collbench_mpi_end(void) { return MPI_Finalize(); }
int collbench_mpi_rank(void) { return own_rank(); }
int collbench_mpi_ranks(void) { return all_ranks(); }

/// Requests of one transfer. The memory grows and is never freed.
static MPI_Request* requests = NULL;
static int max_requests = 0;

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Number of sends under way at a time. Open MPI 4.1.4 over shared memory was seen to hang with 1,125 at
/// once: the sender waits for answers that the receiver has no memory left to send, and the receiver is done.
enum { kMaxSends = 64 };

static int post(const struct CollbenchMpiMessage* m, MPI_Request* request) {
  return m->sends ? MPI_Isend(m->data, (int)m->bytes, MPI_BYTE, m->peer, kTag, all, request)
                  : MPI_Irecv(m->data, (int)m->bytes, MPI_BYTE, m->peer, kTag, all, request);
}

int collbench_mpi_transfer(const struct CollbenchMpiMessage* messages, int count) {
  int code = MPI_SUCCESS, sends = 0;
  if (count > max_requests) {
    MPI_Request* const more = realloc(requests, (size_t)count * sizeof *requests);
    if (more == NULL) return MPI_ERR_NO_MEM;
    requests = more;
    max_requests = count;
  }
  for (int i = 0; i < count; ++i) requests[i] = MPI_REQUEST_NULL;
  for (int i = 0; i < count && code == MPI_SUCCESS; ++i)
    if (!messages[i].sends) code = post(&messages[i], &requests[i]);
  for (int i = 0, first = 0; i < count && code == MPI_SUCCESS; ++i) {
    if (!messages[i].sends) continue;
    for (; sends == kMaxSends && code == MPI_SUCCESS; ++first) {
      if (!messages[first].sends) continue;
      code = MPI_Wait(&requests[first], MPI_STATUS_IGNORE);
      --sends;
    }
    if (code == MPI_SUCCESS) code = post(&messages[i], &requests[i]);
    ++sends;
  }
  for (int i = 0; i < count && code == MPI_SUCCESS; ++i) {
    if (messages[i].arrived_ns == NULL) continue;
    code = MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    *messages[i].arrived_ns = now_ns();
  }
  return code == MPI_SUCCESS ? MPI_Waitall(count, requests, MPI_STATUSES_IGNORE) : code;
}

static void copy(const char* from, char* text, size_t length) {
  if (length == 0) return;
  strncpy(text, from, length - 1);
  text[length - 1] = '\0';
}

void collbench_mpi_error(int code, char* text, size_t length) {
  char words[MPI_MAX_ERROR_STRING + 1] = "";
  int written = 0;
  if (MPI_Error_string(code, words, &written) != MPI_SUCCESS) strcpy(words, "unknown error");
  copy(words, text, length);
}

void collbench_mpi_version(char* text, size_t length) {
  char words[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
  int written = 0;
  MPI_Get_library_version(words, &written);
  copy(words, text, length);
}

int collbench_mpi_setting(const char* name, char* text, size_t length) {
  int provided = 0, index = 0, found = 0, count = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return 0;
  if (MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS) {
    int verbosity = 0, bind = 0, scope = 0, name_length = 0, text_length = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum words = MPI_T_ENUM_NULL;
    MPI_T_cvar_handle handle;
    if (MPI_T_cvar_get_info(index, NULL, &name_length, &verbosity, &type, &words, NULL, &text_length, &bind,
                            &scope) == MPI_SUCCESS &&
        MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS) {
      char value[4096] = "";
      int number = 0;
      if (type == MPI_CHAR && count > 0 && (size_t)count <= sizeof value) {
        found = MPI_T_cvar_read(handle, value) == MPI_SUCCESS;
        value[sizeof value - 1] = '\0';
      } else if (type == MPI_INT && count == 1) {
        found = MPI_T_cvar_read(handle, &number) == MPI_SUCCESS;
        snprintf(value, sizeof value, "%d", number);
      }
      if (found) copy(value, text, length);
      MPI_T_cvar_handle_free(&handle);
    }
  }
  MPI_T_finalize();
  return found;
}
