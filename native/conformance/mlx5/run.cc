#include "conformance/mlx5/run.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance/mlx5/bench.h"

namespace collbench::conformance::mlx5 {
namespace {

const Group<Bench> kGroups[] = {{"device", device_tests}, {"memory", memory_tests}, {"queues", queue_tests},
                                {"data", data_tests},     {"errors", error_tests},  {"devx", devx_tests},
                                {"dc", dc_tests},         {"processes", peer_tests}};

struct Job {
  const std::string* path;
  void (*test)(Bench&);
  bool needs_peer;
};

void run_one(void* context) {
  const Job& job = *static_cast<Job*>(context);
  int sockets[2] = {-1, -1};
  pid_t peer = -1;
  if (job.needs_peer) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) throw Failure{"a socket pair", "none"};
    peer = fork();  // before the library has threads
    if (peer == 0) {
      close(sockets[0]);
      serve_peer(*job.path, sockets[1]);
    }
    close(sockets[1]);
  }
  Bench bench(*job.path);
  bench.other_end = sockets[0];
  bench.peer = peer;
  job.test(bench);
}

}  // namespace

void run_all(const std::string& path, const std::string& only) {
  for (const Group<Bench>& group : kGroups) {
    if (!only.empty() && only != group.name) continue;
    for (const Mlx5Test& test : group.tests) {
      Job job{&path, test.run, &group == std::end(kGroups) - 1};
      print(run_apart(group.name, test.name, run_one, &job));
    }
  }
}

}  // namespace collbench::conformance::mlx5
