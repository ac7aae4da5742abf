#include "engines/nccl/fake/group.h"

#include <thread>
#include <utility>

#include "cuda/fake/fake_cuda.h"
#include "engines/nccl/fake/log.h"

namespace collbench::nccl_fake {
namespace {

struct GroupedCall {
  std::shared_ptr<Comm> comm;
  void* stream = nullptr;
  std::vector<StreamOperation> operations;
};

struct Group {
  int depth = 0;
  int error = kSuccess;
  std::vector<GroupedCall> entries;
  std::vector<std::function<int()>> jobs;
};
thread_local Group group;

/// Logs the two channels from rank `from` to rank `to`, with the path that NCCL would use with
/// NCCL_P2P_DISABLE and NCCL_SHM_DISABLE as they are set.
/// @param connection number behind the channel in NCCL's log lines: 0 for the ring, 1 for other connections
void log_path(const Comm& comm, int from, int to, int connection) {
  const RankIdentity& a = comm.mesh.identities()[static_cast<std::size_t>(from)];
  const RankIdentity& b = comm.mesh.identities()[static_cast<std::size_t>(to)];
  const bool p2p = a.host == b.host && environment("NCCL_P2P_DISABLE") != "1";
  const bool shm = a.host == b.host && environment("NCCL_SHM_DISABLE") != "1";
  const bool sends = from == comm.rank;
  char ends[64];
  std::snprintf(ends, sizeof ends, "%d[%d] -> %d[%d]", from, a.physical, to, b.physical);
  for (int channel = 0; channel < 2; ++channel)
    if (!p2p && !shm)
      info(kInit | kNet, comm.ordinal, "Channel %02d/%d : %s [%s] via NET/%s/0", channel, connection, ends,
           sends ? "send" : "receive", comm.faults.detour ? "Socket" : comm.network.c_str());
    else if (p2p && sends)
      info(kInit | kP2p, comm.ordinal, "Channel %02d/%d : %s via P2P/CUMEM", channel, connection, ends);
    else if (sends)
      info(kInit | kShm, comm.ordinal, "Channel %02d : %s via SHM/direct", channel, ends);
}

/// Logs the connections that an operation needs for the first time, at the moment at which NCCL would make
/// them.
void log_connections(Comm& comm, const StreamOperation& operation) {
  constexpr int kRing = -1;
  const std::lock_guard lock(comm.mutex);
  const bool ring = operation.func <= NcclFunction::kAllReduce;
  if (ring && comm.ranks > 1 && comm.connected.insert(kRing).second) {
    log_path(comm, (comm.rank + comm.ranks - 1) % comm.ranks, comm.rank, 0);
    log_path(comm, comm.rank, (comm.rank + 1) % comm.ranks, 0);
  }
  for (int peer = 0; peer < comm.ranks && !ring; ++peer) {
    const bool meant = !operation.is_send_or_recv() || peer == operation.root;
    if (!meant || peer == comm.rank || !comm.connected.insert(peer).second) continue;
    log_path(comm, peer, comm.rank, 1);
    log_path(comm, comm.rank, peer, 1);
  }
}

int check_choice(const Comm& comm, const StreamOperation& operation) {
  if (operation.func > NcclFunction::kAllReduce || comm.ranks < 2) return kSuccess;
  const std::size_t bytes = operation.bytes();
  const TunerChoice choice = choose_algorithm(operation.func, bytes);
  if (choice.algorithm.empty()) {
    warn(comm.ordinal, "Error : no algorithm/protocol available for function %s with datatype %d",
         name_of(operation.func), operation.dtype);
    return kInvalidUsage;
  }
  if (comm.rank == 0)
    info(kTuning, comm.ordinal, "%s: %zu Bytes -> Algo %s proto %s channel{Lo..Hi}={0..%d}",
         name_of(operation.func), bytes, choice.algorithm.c_str(), choice.protocol.c_str(),
         bytes <= 32 << 10 ? 0 : 1);
  return kSuccess;
}

int launch(const GroupedCall& entry) {
  Comm& comm = *entry.comm;
  for (const StreamOperation& operation : entry.operations) {
    if (const int result = check_choice(comm, operation); result != kSuccess) return result;
    log_connections(comm, operation);
  }
  auto* task = new StreamTask{entry.comm, entry.operations, cudaFakeIsCapturing(entry.stream) == 0};
  {
    const std::lock_guard lock(comm.mutex);
    ++(task->counted ? comm.queued : comm.in_graphs);
  }
  const int queued = cudaFakeEnqueue(
      entry.stream, comm.ordinal,
      [](void* argument) { return run_task(*static_cast<StreamTask*>(argument)); }, task,
      [](void* argument) { delete static_cast<StreamTask*>(argument); });
  if (queued == 0) return kSuccess;
  warn(comm.ordinal, "Cuda failure %d", queued);
  return kCudaError;
}

int launch_or_defer(const GroupedCall& entry) {
  Comm& comm = *entry.comm;
  if (comm.blocking) return launch(entry);
  const std::lock_guard lock(comm.mutex);
  comm.polls_left = 3;
  comm.deferred.emplace_back([entry] { return launch(entry); });
  return kInProgress;
}

/// Runs the jobs of a group, each on its own thread, because they wait for one another. @returns ncclResult_t
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

/// Starts all jobs and operations that the calling thread's group has collected. @returns ncclResult_t
int run_group() {
  const Group taken = std::exchange(group, {});
  if (taken.error != kSuccess) return taken.error;
  int result = run_jobs(taken.jobs);
  for (const GroupedCall& entry : taken.entries) {
    if (result != kSuccess && result != kInProgress) return result;
    if (const int launched = launch_or_defer(entry); launched != kSuccess) result = launched;
  }
  return result;
}

int check(const Comm& comm, const StreamOperation& operation) {
  const int types = version() >= 22400 ? kTypeCount : kFirstFloat8;
  const bool own_op = operation.op >= kFirstOwnOp;
  if (operation.dtype >= 0 && operation.dtype < types && operation.op >= 0 &&
      (!own_op || operation.premul.dtype == operation.dtype) && operation.root >= 0 &&
      operation.root < comm.ranks)
    return kSuccess;
  warn(comm.ordinal, "%s : invalid type %d, reduction operation %d, root or peer %d", name_of(operation.func),
       operation.dtype, operation.op, operation.root);
  return kInvalidArgument;
}

/// Adds an operation to the calling thread's group. @returns ncclResult_t
int keep(const std::shared_ptr<Comm>& comm, void* stream, StreamOperation operation) {
  if (const int ready = require_ready(comm); ready != kSuccess) return ready;
  if (operation.op >= kFirstOwnOp) {
    const std::lock_guard lock(comm->mutex);
    const auto at = comm->ops.find(operation.op);
    operation.premul.dtype = -1;
    if (at != comm->ops.end()) operation.premul = at->second;
  }
  if (const int result = check(*comm, operation); result != kSuccess) return result;
  info(kColl, comm->ordinal,
       "%s: opCount 0 sendbuff %p recvbuff %p count %zu datatype %d op %d root %d comm %p [nranks=%d] stream "
       "%p",
       name_of(operation.func), operation.send, operation.recv, operation.count, operation.dtype,
       operation.op, operation.root, static_cast<void*>(comm.get()), comm->ranks, stream);
  if (operation.count == 0 && !operation.is_send_or_recv()) return kSuccess;
  for (GroupedCall& entry : group.entries)
    if (entry.comm == comm) {
      entry.operations.push_back(operation);
      return kSuccess;
    }
  group.entries.push_back({comm, stream, {operation}});
  return kSuccess;
}

}  // namespace

int submit(void* handle, void* stream, const StreamOperation& operation) {
  const auto comm = find_comm(handle);
  const int result = comm == nullptr ? static_cast<int>(kInvalidArgument) : keep(comm, stream, operation);
  if (result != kSuccess && group.depth > 0) group.error = result;
  return result != kSuccess || group.depth > 0 ? result : run_group();
}

int submit_job(const std::function<int()>& job) {
  if (group.depth == 0) return job();
  group.jobs.push_back(job);
  return kSuccess;
}

}  // namespace collbench::nccl_fake

using namespace collbench::nccl_fake;

FAKE_EXPORT int ncclGroupStart() {
  ++group.depth;
  return kSuccess;
}

FAKE_EXPORT int ncclGroupEnd() {
  if (group.depth == 0) return kInvalidUsage;
  return --group.depth > 0 ? kSuccess : run_group();
}
