#include "engines/nccl/fake/comm.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "cuda/fake/registry.h"
#include "engines/nccl/fake/choose.h"
#include "engines/nccl/fake/log.h"

extern "C" int cuDriverGetVersion(int* version);

namespace collbench::nccl_fake {
namespace {

/// Reports errors that NCCL detects when the ranks have been connected, otherwise logs the end of
/// initialisation. All ranks get the same result.
/// @returns ncclResult_t
int settle(const Comm& comm, const char* call, std::chrono::steady_clock::time_point begin) {
  const auto& all = comm.mesh.identities();
  for (const RankIdentity& a : all)
    for (const RankIdentity& b : all)
      if (a.rank < b.rank && a.host == b.host && a.physical == b.physical) {
        warn(comm.ordinal, "Duplicate GPU detected : rank %d and rank %d both on CUDA device %x", a.rank,
             b.rank, (a.physical + 1) << 12);
        return kInvalidUsage;
      }
  const RankIdentity& mine = all[static_cast<std::size_t>(comm.rank)];
  std::set<std::uint64_t> hosts;
  int local_ranks = 0, local_rank = 0;
  for (const RankIdentity& hello : all) {
    hosts.insert(hello.host);
    if (hello.host != mine.host) continue;
    ++local_ranks;
    local_rank += hello.rank < mine.rank ? 1 : 0;
  }
  const auto* address = static_cast<const void*>(&comm);
  info(kInit, comm.ordinal, "comm %p rank %d nRanks %d nNodes %d localRanks %d localRank %d MNNVL 0", address,
       comm.rank, comm.ranks, static_cast<int>(hosts.size()), local_ranks, local_rank);
  info(kInit, comm.ordinal, "%s comm %p rank %d nranks %d cudaDev %d nvmlDev %d busId %x - Init COMPLETE",
       call, address, comm.rank, comm.ranks, comm.ordinal, comm.physical, (comm.physical + 1) << 12);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  info(kInit, comm.ordinal, "Init timings - %s: rank %d nranks %d total %.2f (bootstrap %.2f)", call,
       comm.rank, comm.ranks, seconds, seconds);
  return kSuccess;
}

/// Logs why an exchange between ranks failed. @returns the matching ncclResult_t
int log_failed_exchange(const Comm& comm, ExchangeResult result) {
  if (result == ExchangeResult::kDone) return kSuccess;
  warn(comm.ordinal, "fake: rank %d: %s", comm.rank,
       result == ExchangeResult::kAborted    ? "aborted"
       : result == ExchangeResult::kPeerLost ? "a peer went away while ranks were finding each other"
                                             : "no socket interface found for NCCL_SOCKET_IFNAME");
  return result == ExchangeResult::kAborted    ? kInternalError
         : result == ExchangeResult::kPeerLost ? kRemoteError
                                               : kInvalidUsage;
}

}  // namespace

std::shared_ptr<Comm> find_comm(void* handle) { return fakes::Registry<Comm>::find(handle); }

int initialize(Comm& comm, const std::string& root, const char* call) {
  constexpr int kOldestDriver = 12000;
  const auto begin = std::chrono::steady_clock::now();
  int driver = 0;
  if (cuDriverGetVersion(&driver) != 0 || driver < kOldestDriver) {
    warn(comm.ordinal, "Cuda failure 'CUDA driver version is insufficient for CUDA runtime version'");
    return kCudaError;
  }
  std::string problem;
  comm.faults = parse_faults(environment("NCCL_FAKE_FAULT"), problem);
  if (!problem.empty()) {
    warn(comm.ordinal, "fake: NCCL_FAKE_FAULT has '%s', which is not known", problem.c_str());
    return kInvalidUsage;
  }
  comm.network = choose_network(comm.faults.fallback, comm.ordinal);
  if (comm.network.empty()) return kInvalidUsage;
  const std::string id = environment("NCCL_HOSTID");
  const std::uint64_t host = std::hash<std::string>{}(id.empty() ? "host " + host_name() : id);
  const int met = log_failed_exchange(
      comm, comm.mesh.meet(root, {comm.rank, comm.ranks, comm.physical, host, {}}, comm.aborted));
  return met != kSuccess ? met : settle(comm, call, begin);
}

int split(Comm& parent, int color, int key, Comm* child) {
  struct Side {
    int color, key;
    RankIdentity hello;
  };
  const auto begin = std::chrono::steady_clock::now();
  Side mine{color, key, parent.mesh.identities()[static_cast<std::size_t>(parent.rank)]};
  ListeningSocket listener;
  if (child != nullptr) listener = ListeningSocket(mine.hello.listener);
  std::vector<Side> sides(static_cast<std::size_t>(parent.ranks));
  if (const auto result = parent.mesh.gather(&mine, sizeof mine, sides.data(), parent.aborted);
      result != ExchangeResult::kDone)
    return log_failed_exchange(parent, result);
  if (child == nullptr) return kSuccess;
  std::stable_sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) { return a.key < b.key; });
  std::vector<RankIdentity> all;
  for (Side& side : sides) {
    if (side.color != color) continue;
    if (side.hello.rank == parent.rank) child->rank = static_cast<int>(all.size());
    side.hello.rank = static_cast<int>(all.size());
    all.push_back(side.hello);
  }
  // A rank that cannot listen tells all others, so that they do not wait for it.
  for (const RankIdentity& hello : all)
    if (hello.listener.sin_port == 0) {
      warn(parent.ordinal, "fake: rank %d of the split cannot listen", hello.rank);
      return kSystemError;
    }
  child->ranks = static_cast<int>(all.size());
  const int rank = child->rank;
  if (const int result = log_failed_exchange(
          *child, child->mesh.connect(rank, std::move(all), std::move(listener), child->aborted));
      result != kSuccess)
    return result;
  return settle(*child, "ncclCommSplit", begin);
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
  if (comm == nullptr) return kInvalidArgument;
  const std::lock_guard lock(comm->mutex);
  if (comm->aborted || comm->finished) return kInvalidUsage;
  if (comm->busy == 0 && comm->polls_left == 0) return comm->error;
  warn(comm->ordinal, "Attempt to use communicator before the previous operation returned ncclSuccess");
  return kInvalidArgument;
}

int run_job(const std::shared_ptr<Comm>& comm, const std::function<int()>& job) {
  if (comm->blocking) return job();
  {
    const std::lock_guard lock(comm->mutex);
    ++comm->busy;
    comm->polls_left = 2;
  }
  std::thread([comm, job] {
    if (const int result = job(); result != kSuccess) fail(*comm, result, "");
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
    warn(comm.ordinal, "fake: rank %d: %s", comm.rank, why.c_str());
}

}  // namespace collbench::nccl_fake
