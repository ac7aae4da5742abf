#include "engines/nccl/fake/group.h"

#include <thread>

#include "cuda/fake/fake_cuda.h"
#include "engines/nccl/fake/log.h"

namespace collbench::nccl_fake {
namespace {

struct Entry {
  std::shared_ptr<Comm> comm;
  void* stream = nullptr;
  std::vector<Operation> operations;
};

struct Group {
  int depth = 0;
  int error = kSuccess;
  std::vector<Entry> entries;
  std::vector<std::function<int()>> jobs;
};
thread_local Group group;

void tell_way(const Comm& comm, int from, int to, int connection) {
  const auto& hellos = comm.mesh.hellos();
  const Hello& a = hellos[static_cast<std::size_t>(from)];
  const Hello& b = hellos[static_cast<std::size_t>(to)];
  for (int channel = 0; channel < 2; ++channel) switch (way_between(a, b)) {
      case Way::kPeer:
        if (from == comm.rank)
          info(kInit | kP2p, comm.device(), "Channel %02d/%01d : %d[%d] -> %d[%d] via P2P/CUMEM", channel,
               connection, from, a.physical, to, b.physical);
        break;
      case Way::kMemory:
        if (from == comm.rank)
          info(kInit | kShm, comm.device(), "Channel %02d : %d[%d] -> %d[%d] via SHM/direct", channel, from,
               a.physical, to, b.physical);
        break;
      case Way::kNetwork:
        info(kInit | kNet, comm.device(), "Channel %02d/%d : %d[%d] -> %d[%d] [%s] via NET/%s/0", channel,
             connection, from, a.physical, to, b.physical, from == comm.rank ? "send" : "receive",
             comm.faults.detour ? "Socket" : comm.network.c_str());
    }
}

/// Connections appear in the log when they are first needed.
void tell_connections(Comm& comm, const Operation& operation) {
  if (comm.ranks < 2) return;
  const std::lock_guard lock(comm.mutex);
  if (operation.func <= Func::kAllReduce) {
    if (comm.connected) return;
    comm.connected = true;
    tell_way(comm, (comm.rank + comm.ranks - 1) % comm.ranks, comm.rank, 0);
    tell_way(comm, comm.rank, (comm.rank + 1) % comm.ranks, 0);
    info(kInit, comm.device(), "Connected all rings, use ring PXN 0 GDR 0");
    return;
  }
  for (int peer = 0; peer < comm.ranks; ++peer) {
    const bool meant = operation.is_send_or_recv() ? peer == operation.root : true;
    if (!meant || peer == comm.rank || !comm.connected_peers.insert(peer).second) continue;
    tell_way(comm, peer, comm.rank, 1);
    tell_way(comm, comm.rank, peer, 1);
  }
}

int check_choice(const Comm& comm, const Operation& operation) {
  if (operation.func > Func::kAllReduce || comm.ranks < 2) return kSuccess;
  const Choice choice = choose_algorithm(operation.func, operation.bytes());
  if (choice.algorithm.empty()) {
    warn(comm.device(),
         "Error : no algorithm/protocol available for function %s with datatype %d. NCCL_ALGO was set to %s. "
         "NCCL_PROTO was set to %s.",
         name_of(operation.func), operation.dtype, environment("NCCL_ALGO").c_str(),
         environment("NCCL_PROTO").c_str());
    return kInvalidUsage;
  }
  if (comm.rank == 0)
    info(kTuning, comm.device(), "%s: %ld Bytes -> Algo %s proto %s channel{Lo..Hi}={%d..%d}",
         name_of(operation.func), static_cast<long>(operation.bytes()), choice.algorithm.c_str(),
         choice.protocol.c_str(), 0, choice.last_channel);
  return kSuccess;
}

int launch(const Entry& entry) {
  Comm& comm = *entry.comm;
  for (const Operation& operation : entry.operations) {
    if (const int result = check_choice(comm, operation); result != kSuccess) return result;
    tell_connections(comm, operation);
  }
  auto* task = new Task{entry.comm, entry.operations, cudaFakeIsCapturing(entry.stream) == 0};
  if (task->counted) {
    const std::lock_guard lock(comm.mutex);
    ++comm.queued;
  }
  const int queued = cudaFakeEnqueue(
      entry.stream, comm.ordinal, [](void* argument) { return run_task(*static_cast<Task*>(argument)); },
      task, [](void* argument) { delete static_cast<Task*>(argument); });
  if (queued == 0) return kSuccess;
  warn(comm.device(), "Cuda failure %d", queued);
  return kCudaError;
}

int launch_or_defer(const Entry& entry) {
  Comm& comm = *entry.comm;
  if (comm.config.blocking) return launch(entry);
  const std::lock_guard lock(comm.mutex);
  comm.polls_left = 3;
  comm.deferred.emplace_back([entry] { return launch(entry); });
  return kInProgress;
}

/// Jobs of one group wait for one another: each has its thread.
int run_jobs(const std::vector<std::function<int()>>& jobs) {
  std::vector<int> results(jobs.size(), kSuccess);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    threads.emplace_back([&results, &jobs, i] { results[i] = jobs[i](); });
  for (std::thread& thread : threads) thread.join();
  int worst = kSuccess;
  for (const int result : results)
    if (result != kSuccess && (worst == kSuccess || worst == kInProgress)) worst = result;
  return worst;
}

int run_group(Group taken) {
  if (taken.error != kSuccess) return taken.error;
  int result = run_jobs(taken.jobs);
  for (const Entry& entry : taken.entries) {
    if (result != kSuccess && result != kInProgress) return result;
    if (const int launched = launch_or_defer(entry); launched != kSuccess) result = launched;
  }
  return result;
}

int check(const Comm& comm, const Operation& operation, int own_op_dtype) {
  const auto wrong = [&](const char* what, int value) {
    warn(comm.device(), "%s : invalid %s %d", name_of(operation.func), what, value);
    return kInvalidArgument;
  };
  const int types = version() >= 22400 ? kTypeCount : kFirstFloat8;
  if (operation.dtype < 0 || operation.dtype >= types) return wrong("type", operation.dtype);
  if (operation.op < 0 || (operation.op >= kFirstOwnOp && own_op_dtype != operation.dtype))
    return wrong("reduction operation", operation.op);
  if (operation.root < 0 || operation.root >= comm.ranks)
    return wrong(operation.is_send_or_recv() ? "peer" : "root", operation.root);
  return kSuccess;
}

int keep(const std::shared_ptr<Comm>& comm, void* stream, Operation operation) {
  if (const int ready = require_ready(comm); ready != kSuccess) return ready;
  int own_op_dtype = -1;
  if (operation.op >= kFirstOwnOp) {
    const std::lock_guard lock(comm->mutex);
    if (const auto at = comm->ops.find(operation.op); at != comm->ops.end()) {
      operation.premul = at->second;
      own_op_dtype = at->second.dtype;
    }
  }
  if (const int result = check(*comm, operation, own_op_dtype); result != kSuccess) return result;
  info(kColl, comm->device(),
       "%s: opCount %lx sendbuff %p recvbuff %p count %zu datatype %d op %d root %d comm %p [nranks=%d] "
       "stream %p",
       name_of(operation.func), 0UL, operation.send, operation.recv, operation.count, operation.dtype,
       operation.op, operation.root, static_cast<void*>(comm.get()), comm->ranks, stream);
  if (operation.count == 0 && !operation.is_send_or_recv()) return kSuccess;
  for (Entry& entry : group.entries)
    if (entry.comm == comm) {
      if (entry.stream != stream) {
        warn(comm->device(), "fake: a group uses one communicator on two streams, which it cannot do");
        return kInvalidUsage;
      }
      entry.operations.push_back(operation);
      return kSuccess;
    }
  group.entries.push_back({comm, stream, {operation}});
  return kSuccess;
}

}  // namespace

int submit(void* handle, void* stream, Operation operation) {
  const auto comm = find_comm(handle);
  const int result = comm == nullptr ? static_cast<int>(kInvalidArgument) : keep(comm, stream, operation);
  if (group.depth > 0) {
    if (result != kSuccess) group.error = result;
    return result;
  }
  Group taken;
  std::swap(taken, group);
  return result != kSuccess ? result : run_group(std::move(taken));
}

int submit_job(std::function<int()> job) {
  if (group.depth == 0) return job();
  group.jobs.push_back(std::move(job));
  return kSuccess;
}

}  // namespace collbench::nccl_fake

using namespace collbench::nccl_fake;

FAKE_EXPORT int ncclGroupStart() {
  ++group.depth;
  return kSuccess;
}

FAKE_EXPORT int ncclGroupEnd() {
  if (group.depth == 0) {
    warn(0, "ncclGroupEnd: not in a group call.");
    return kInvalidUsage;
  }
  if (--group.depth > 0) return kSuccess;
  Group taken;
  std::swap(taken, group);
  return run_group(std::move(taken));
}
