// A task on its stream: faults, the exchange itself, and the stream's state if it fails.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <span>
#include <thread>

#include "cuda/fake/fake_cuda.h"
#include "engines/nccl/fake/operation.h"

namespace collbench::nccl_fake {
namespace {

constexpr int kCudaSuccess = 0, kCudaIllegalAddress = 700, kCudaLaunchFailed = 719;
using Operations = std::span<const StreamOperation>;

/// Waits until the communicator is aborted, as an NCCL kernel does after an error. @returns a CUresult
int stay_until_aborted(const Comm& comm) {
  while (!comm.aborted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return kCudaSuccess;
}

/// Returns the memory ranges that the operations write on this rank.
std::vector<std::span<std::byte>> results_of(const Comm& comm, Operations operations) {
  std::vector<std::span<std::byte>> results;
  for (const StreamOperation& operation : operations)
    if (const auto bytes = ranges_of(operation, comm.rank, comm.ranks).recv_bytes; bytes > 0)
      results.emplace_back(static_cast<std::byte*>(operation.recv), bytes);
  return results;
}

bool reachable(const Comm& comm, const StreamOperation& operation) {
  const BufferRanges ranges = ranges_of(operation, comm.rank, comm.ranks);
  const auto known = [](const void* memory, std::size_t bytes) {
    return memory == nullptr || bytes == 0 || cudaFakeReachable(memory, bytes, 0) != 0;
  };
  return known(operation.send, ranges.send_bytes) && known(operation.recv, ranges.recv_bytes) &&
         known(operation.premul.on_device, bytes_of_type(operation.dtype));
}

ExchangeResult send_and_receive(Comm& comm, Operations operations, std::string& problem) {
  constexpr std::uint64_t kPointToPoint = 1ULL << 32;
  std::vector<TransferPiece> sends, recvs;
  for (const StreamOperation& operation : operations)
    if (operation.func == NcclFunction::kSend)
      sends.push_back({operation.root, const_cast<void*>(operation.send), operation.bytes(), kPointToPoint});
    else
      recvs.push_back({operation.root, operation.recv, operation.bytes(), kPointToPoint});
  return comm.mesh.exchange(sends, recvs, comm.aborted, problem);
}

/// Runs one operation and injects faults into it. For NCCL_FAKE_FAULT an operation is one collective, or all
/// sends and receives of a group. @returns a CUresult
int run_one(Comm& comm, Operations operations) {
  if (comm.aborted) return kCudaSuccess;
  if (comm.finished) return kCudaLaunchFailed;  // The communicator was finalised before a graph that uses it.
  const std::uint64_t number = ++comm.operations;
  if (comm.faults.dies(comm.rank, number)) kill(getpid(), SIGKILL);
  if (comm.faults.fails(number)) fail(comm, kRemoteError, "fault async-error");
  if (comm.error != kSuccess || comm.faults.hangs(comm.rank, number)) return stay_until_aborted(comm);
  for (const StreamOperation& operation : operations)
    if (!reachable(comm, operation)) return kCudaIllegalAddress;
  const auto results = results_of(comm, operations);
  std::vector<std::vector<std::byte>> before;
  if (comm.faults.drops(comm.rank, number))
    for (const auto& result : results) before.emplace_back(result.begin(), result.end());
  std::string problem;
  const ExchangeResult done = operations[0].is_send_or_recv() ? send_and_receive(comm, operations, problem)
                                                              : run_collective(comm, operations[0], problem);
  if (done != ExchangeResult::kDone) {
    if (done != ExchangeResult::kAborted)
      fail(comm, done == ExchangeResult::kMismatch ? kInternalError : kRemoteError, problem);
    return stay_until_aborted(comm);
  }
  for (std::size_t i = 0; i < before.size(); ++i)
    std::memcpy(results[i].data(), before[i].data(), before[i].size());
  if (comm.faults.flips(comm.rank, number) && !results.empty())
    results[0][results[0].size() / 2] ^= std::byte{1};
  return kCudaSuccess;
}

}  // namespace

StreamTask::~StreamTask() {
  const std::lock_guard lock(comm->mutex);
  --(counted ? comm->queued : comm->in_graphs);
  comm->changed.notify_all();
}

int run_task(StreamTask& task) {
  const std::lock_guard lock(task.comm->run_mutex);
  std::vector<StreamOperation> point_to_point;
  for (const StreamOperation& operation : task.operations) {
    if (operation.is_send_or_recv()) {
      point_to_point.push_back(operation);
      continue;
    }
    if (const int result = run_one(*task.comm, {&operation, 1}); result != kCudaSuccess) return result;
  }
  return point_to_point.empty() ? kCudaSuccess : run_one(*task.comm, point_to_point);
}

}  // namespace collbench::nccl_fake
