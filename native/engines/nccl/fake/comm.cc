#include "engines/nccl/fake/comm.h"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "cuda/fake/registry.h"
#include "engines/nccl/fake/doors.h"
#include "engines/nccl/fake/log.h"

extern "C" int cuDriverGetVersion(int* version);

namespace collbench::nccl_fake {
namespace {

constexpr int kOldestDriver = 12000;

/// @return false when two ranks have the same GPU; all ranks see the same
bool devices_differ(const Comm& comm) {
  const std::string multi = environment("NCCL_MULTI_RANK_GPU_ENABLE");
  if (version() >= 23000 && multi == "1") return true;
  const auto& hellos = comm.mesh.hellos();
  for (int a = 0; a < comm.ranks; ++a)
    for (int b = a + 1; b < comm.ranks; ++b) {
      const Hello& first = hellos[static_cast<std::size_t>(a)];
      const Hello& second = hellos[static_cast<std::size_t>(b)];
      if (first.host != second.host || first.physical != second.physical) continue;
      warn(comm.device(), "Duplicate GPU detected : rank %d and rank %d both on CUDA device %x", comm.rank,
           comm.rank == a ? b : a, (first.physical + 1) << 12);
      return false;
    }
  return true;
}

void tell_topology(const Comm& comm) {
  int nodes = 0, local_ranks = 0, local_rank = 0;
  std::set<std::uint64_t> hosts;
  const auto& hellos = comm.mesh.hellos();
  const std::uint64_t mine = hellos[static_cast<std::size_t>(comm.rank)].host;
  for (const Hello& hello : hellos) {
    hosts.insert(hello.host);
    local_ranks += hello.host == mine ? 1 : 0;
    local_rank += hello.host == mine && hello.rank < comm.rank ? 1 : 0;
  }
  nodes = static_cast<int>(hosts.size());
  const auto* address = static_cast<const void*>(&comm);
  info(kInit, comm.device(), "comm %p rank %d nRanks %d nNodes %d localRanks %d localRank %d MNNVL 0",
       address, comm.rank, comm.ranks, nodes, local_ranks, local_rank);
  info(kInit, comm.device(),
       "2 coll channels, 0 collnet channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer");
}

}  // namespace

std::shared_ptr<Comm> find_comm(void* handle) { return fakes::Registry<Comm>::instance().find(handle); }
void* add_comm(const std::shared_ptr<Comm>& comm) { return fakes::Registry<Comm>::instance().add(comm); }
void remove_comm(void* handle) { fakes::Registry<Comm>::instance().take(handle); }

int initialize(Comm& comm, const char* call) {
  const auto begin = std::chrono::steady_clock::now();
  int driver = 0;
  if (cuDriverGetVersion(&driver) != 0 || driver < kOldestDriver) {
    warn(comm.device(), "Cuda failure 'CUDA driver version is insufficient for CUDA runtime version'");
    return kCudaError;
  }
  std::string problem;
  comm.faults = parse_faults(environment("NCCL_FAKE_FAULT"), problem);
  if (!problem.empty()) {
    warn(comm.device(), "fake: NCCL_FAKE_FAULT has '%s', which is not known", problem.c_str());
    return kInvalidUsage;
  }
  const std::string wanted = environment("NCCL_NET");
  comm.network =
      choose_network(wanted.empty() ? comm.config.net_name : wanted, comm.faults.fallback, comm.device());
  if (comm.network.empty()) return kInvalidUsage;
  Hello hello;
  hello.rank = comm.rank;
  hello.ranks = comm.ranks;
  hello.ordinal = comm.ordinal;
  hello.physical = comm.physical;
  hello.process = getpid();
  hello.host = host_hash();
  Doors doors;
  Exchanged opened = Exchanged::kDone;
  if (!comm.root.empty())
    opened = meet(comm.name, comm.root, comm.rank, comm.ranks, doors, comm.aborted, problem);
  if (opened == Exchanged::kDone) opened = comm.mesh.open(comm.name, hello, comm.aborted, problem, doors);
  if (opened != Exchanged::kDone) {
    warn(comm.device(), "fake: %s", opened == Exchanged::kAborted ? "aborted" : problem.c_str());
    if (opened == Exchanged::kAborted) return kInternalError;
    return opened == Exchanged::kMismatch ? kInvalidUsage : kRemoteError;
  }
  if (!devices_differ(comm)) return kInvalidUsage;
  tell_topology(comm);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto id = static_cast<unsigned long long>(std::hash<std::string>{}(comm.name));
  info(kInit, comm.device(),
       "%s comm %p rank %d nranks %d cudaDev %d nvmlDev %d busId %x commId 0x%llx - Init COMPLETE", call,
       static_cast<const void*>(&comm), comm.rank, comm.ranks, comm.ordinal, comm.physical,
       (comm.physical + 1) << 12, id);
  info(kInit, comm.device(),
       "Init timings - %s: rank %d nranks %d total %.2f (kernels 0.00, alloc 0.00, bootstrap %.2f, "
       "allgathers 0.00, "
       "topo 0.00, graphs 0.00, connections 0.00, rest 0.00)",
       call, comm.rank, comm.ranks, seconds, seconds);
  return kSuccess;
}

int poll_state(const std::shared_ptr<Comm>& comm) {
  std::vector<std::function<int()>> launches;
  {
    const std::lock_guard lock(comm->mutex);
    if (comm->error != kSuccess) return comm->error;
    if (comm->busy > 0) return kInProgress;
    if (comm->polls_left == 0) return kSuccess;
    if (--comm->polls_left > 0) return kInProgress;
    launches.swap(comm->deferred);
  }
  for (const auto& launch : launches)
    if (const int result = launch(); result != kSuccess) fail(*comm, result, "a deferred launch failed");
  return kInProgress;
}

int require_ready(const std::shared_ptr<Comm>& comm) {
  const std::lock_guard lock(comm->mutex);
  if (comm->aborted || comm->finished) return kInvalidUsage;
  if (comm->busy == 0 && comm->polls_left == 0) return comm->error;
  warn(comm->device(), "Attempt to use communicator before the previous operation returned ncclSuccess");
  return kInvalidArgument;
}

int run_job(const std::shared_ptr<Comm>& comm, std::function<int()> job) {
  if (comm->config.blocking) return job();
  {
    const std::lock_guard lock(comm->mutex);
    ++comm->busy;
    comm->polls_left = 2;
  }
  std::thread([comm, job = std::move(job)] {
    const int result = job();
    if (result != kSuccess) fail(*comm, result, "");
    const std::lock_guard lock(comm->mutex);
    --comm->busy;
    comm->changed.notify_all();
  }).detach();
  return kInProgress;
}

void drain(Comm& comm) {
  std::vector<std::function<int()>> launches;
  {
    const std::lock_guard lock(comm.mutex);
    launches.swap(comm.deferred);
  }
  for (const auto& launch : launches) launch();
  std::unique_lock lock(comm.mutex);
  comm.changed.wait(lock, [&comm] { return comm.queued == 0; });
}

void fail(Comm& comm, int error, const std::string& why) {
  int none = kSuccess;
  if (comm.error.compare_exchange_strong(none, error) && !why.empty())
    warn(comm.device(), "fake: rank %d: %s", comm.rank, why.c_str());
}

}  // namespace collbench::nccl_fake
