// Stands in for osu_allreduce of OSU's micro-benchmarks: takes its options and prints its table, with times
// of real calls of MPI_Allreduce. The last argument of -m is the largest size; -i and -x are the timed and
// the untimed calls.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double mean_us(float* in, float* out, int count, int warmup, int calls, int ranks) {
  double spent = 0, sum = 0;
  for (int i = -warmup; i < calls; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    if (i >= 0) spent += MPI_Wtime() - start;
  }
  MPI_Reduce(&spent, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return 1e6 * sum / calls / ranks;
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 0, first = 4, last = 4, calls = 1, warmup = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1 && strcmp(argv[1], "-h") == 0) {
    if (rank == 0) printf("  -T, --type TYPE\n");
    return MPI_Finalize();
  }
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "-m") == 0) sscanf(argv[i + 1], "%d:%d", &first, &last);
    if (strcmp(argv[i], "-i") == 0) calls = atoi(argv[i + 1]);
    if (strcmp(argv[i], "-x") == 0) warmup = atoi(argv[i + 1]);
  }
  float *in = calloc(1, (size_t)last), *out = calloc(1, (size_t)last);
  if (in == NULL || out == NULL) return 1;
  if (rank == 0)
    printf("\n# OSU MPI Allreduce Latency Test v7.4\n# Datatype: MPI_FLOAT.\n# Size       Avg Latency(us)\n");
  for (int bytes = first; bytes <= last; bytes *= 2) {
    const double us = mean_us(in, out, bytes / (int)sizeof(float), warmup, calls, ranks);
    if (rank == 0) printf("%-10d%18.2f\n", bytes, us);
  }
  return MPI_Finalize();
}
