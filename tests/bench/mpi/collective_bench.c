// MPI collectives on float32, with which tests/bench/cpu.ts compares the cpu engine. Timed in the same way
// as native/measure. Bytes are S of the bandwidth formulas: for allgather, reducescatter and alltoall all
// parts together. Rank 0 prints one JSON object per size (isolatedNs is null if a rank was late for every
// sample):
//   {"bytes":8,"isolatedNs":600.0,"pipelinedNs":590.0,"isolatedSamples":900,"pipelinedSamples":400,"batch":83,"wrong":0}
// isolated:  all ranks start at a time that rank 0 announces (CLOCK_MONOTONIC, one machine). A sample is
// the latest end of all ranks minus this time; samples with a late rank are not used. The figure is the
// median.
// pipelined: batches of operations back to back, elapsed time / batch of the slowest rank. The figure is
// the median over batches.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMaxSamples = 20000 };

static int rank, ranks;

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/// Median of n values; sorts them in place. 0 if n is 0.
static double median(double* values, int n) {
  if (n == 0) return 0;
  qsort(values, (size_t)n, sizeof *values, by_value);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/// One collective on vectors of S bytes. `count` is the argument of MPI: elements of the vector, or of each
/// rank's part.
struct collective {
  const char* name;
  int in_parts;
  void (*run)(float* in, float* out, int count);
  /// Expected element i of `out`, which has `count` or ranks * `count` elements.
  float (*wanted)(size_t i, size_t count);
};

/// Initial element i of the input of rank `of`.
static float input(size_t i, int of) { return (float)(i % 1000) + (float)of; }

static float sum_of_all(size_t i) {
  float sum = 0;
  for (int r = 0; r < ranks; ++r) sum += input(i, r);
  return sum;
}

static void allreduce(float* in, float* out, int count) {
  MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
static float of_allreduce(size_t i, size_t count) { return (void)count, sum_of_all(i); }

static void allgather(float* in, float* out, int count) {
  MPI_Allgather(in, count, MPI_FLOAT, out, count, MPI_FLOAT, MPI_COMM_WORLD);
}
static float of_allgather(size_t i, size_t count) { return input(i % count, (int)(i / count)); }

static void reducescatter(float* in, float* out, int count) {
  MPI_Reduce_scatter_block(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}
static float of_reducescatter(size_t i, size_t count) { return sum_of_all((size_t)rank * count + i); }

static void alltoall(float* in, float* out, int count) {
  MPI_Alltoall(in, count, MPI_FLOAT, out, count, MPI_FLOAT, MPI_COMM_WORLD);
}
static float of_alltoall(size_t i, size_t count) {
  return input((size_t)rank * count + i % count, (int)(i / count));
}

/// In-place, as in MPI: the root sends from `in`, and its result is not checked.
static void broadcast(float* in, float* out, int count) {
  MPI_Bcast(rank == 0 ? in : out, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
}
static float of_broadcast(size_t i, size_t count) { return (void)count, input(i, 0); }

static const struct collective kCollectives[] = {{"allreduce", 0, allreduce, of_allreduce},
                                                 {"allgather", 1, allgather, of_allgather},
                                                 {"reducescatter", 1, reducescatter, of_reducescatter},
                                                 {"alltoall", 1, alltoall, of_alltoall},
                                                 {"broadcast", 0, broadcast, of_broadcast}};
enum { kKinds = sizeof kCollectives / sizeof *kCollectives };
static const struct collective* what;

/// Broadcasts rank 0's value to all ranks.
static int agree(int value) {
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return value;
}

static int clamp(double value, int low, int high) {
  return value < low ? low : value > high ? high : (int)value;
}

/// Measures n isolated operations and fills `ns` with their durations. Returns the number of operations
/// that all ranks started in time.
static int isolated(float* in, float* out, int count, int n, double* ns) {
  static int64_t end_minus_start[kMaxSamples], late[kMaxSamples];
  int64_t lead_ns = 100000;
  for (int i = 0; i < n; ++i) {
    int64_t start = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) start = now_ns() + lead_ns;
    MPI_Bcast(&start, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    late[i] = now_ns() >= start;
    while (now_ns() < start) {
    }
    what->run(in, out, count);
    end_minus_start[i] = now_ns() - start;
  }
  MPI_Allreduce(MPI_IN_PLACE, end_minus_start, n, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, late, n, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  int used = 0;
  for (int i = 0; i < n; ++i)
    if (!late[i]) ns[used++] = (double)end_minus_start[i];
  return used;
}

static int pipelined(float* in, float* out, int count, int n, int batch, double* ns) {
  MPI_Barrier(MPI_COMM_WORLD);
  int64_t start = now_ns();
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < batch; ++k) what->run(in, out, count);
    const int64_t end = now_ns();
    ns[i] = (double)(end - start) / batch;
    start = end;
  }
  MPI_Allreduce(MPI_IN_PLACE, ns, n, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return n;
}

static long long wrong_elements(const float* out, size_t count) {
  const int whole = what->run == allgather || what->run == alltoall;
  const size_t length = whole ? (size_t)ranks * count : count;
  long long wrong = 0;
  if (what->run != broadcast || rank != 0)
    for (size_t i = 0; i < length; ++i) wrong += out[i] != what->wanted(i, count);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
  return wrong;
}

static void measure(size_t bytes, double budget_ns) {
  static double ns[kMaxSamples];
  const int count = (int)(bytes / sizeof(float) / (what->in_parts ? (size_t)ranks : 1));
  float* in = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  float* out = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!in || !out) {
    fprintf(stderr, "collective_bench: no memory for two buffers of %zu bytes\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (size_t i = 0; i < bytes / sizeof(float); ++i) in[i] = input(i, rank);
  memset(out, 0xff, bytes);

  const int warmup = bytes <= 65536 ? 100 : 2;
  for (int i = 0; i < warmup; ++i) what->run(in, out, count);
  const int64_t start = now_ns();
  for (int i = 0; i < warmup; ++i) what->run(in, out, count);
  const double estimate = (double)(now_ns() - start) / warmup;

  const int n = agree(clamp(budget_ns / (estimate + 100000), 3, kMaxSamples));
  const int batch = agree(clamp(50000 / estimate, 1, 100000));
  const int batches = agree(clamp(budget_ns / (estimate * batch), 3, kMaxSamples));
  const int isolated_samples = isolated(in, out, count, n, ns);
  const double isolated_ns = median(ns, isolated_samples);
  const int pipelined_samples = pipelined(in, out, count, batches, batch, ns);
  const double pipelined_ns = median(ns, pipelined_samples);
  const long long wrong = wrong_elements(out, (size_t)count);
  if (rank == 0) {
    char isolated_text[32] = "null";
    if (isolated_samples > 0) snprintf(isolated_text, sizeof isolated_text, "%.1f", isolated_ns);
    printf(
        "{\"bytes\":%zu,\"isolatedNs\":%s,\"pipelinedNs\":%.1f,\"isolatedSamples\":%d,"
        "\"pipelinedSamples\":%d,\"batch\":%d,\"wrong\":%lld}\n",
        bytes, isolated_text, pipelined_ns, isolated_samples, pipelined_samples, batch, wrong);
    fflush(stdout);
  }
  free(in);
  free(out);
}

/// Usage: collective_bench COLLECTIVE BUDGET_MS BYTES...; BUDGET_MS is the time per size and trial kind.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; argc > 1 && i < kKinds; ++i)
    if (strcmp(kCollectives[i].name, argv[1]) == 0) what = &kCollectives[i];
  if (argc < 4 || what == NULL) {
    if (rank == 0) fprintf(stderr, "usage: collective_bench COLLECTIVE BUDGET_MS BYTES...\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (int i = 3; i < argc; ++i) measure(strtoull(argv[i], NULL, 10), atof(argv[2]) * 1e6);
  MPI_Finalize();
  return 0;
}
