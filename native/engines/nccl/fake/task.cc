// A task on its stream: faults, the exchange itself, and what becomes of the stream when it fails.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "cuda/fake/fake_cuda.h"
#include "engines/nccl/fake/operation.h"

namespace collbench::nccl_fake {
namespace {

constexpr int kCudaSuccess = 0, kCudaIllegalAddress = 700, kCudaLaunchFailed = 719;
constexpr std::uint64_t kPointToPoint = 1ULL << 32;

/// As a kernel of NCCL's does after an error: it stays on the device until somebody aborts the communicator.
void stay_until_aborted(const Comm& comm) {
  while (!comm.aborted) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// The receive buffers of some operations as they were.
class Saved {
 public:
  Saved(const Comm& comm, std::span<const Operation> operations) {
    for (const Operation& operation : operations) {
      const std::size_t bytes = ranges_of(operation, comm.rank, comm.ranks).recv_bytes;
      const auto* data = static_cast<const std::byte*>(operation.recv);
      if (bytes > 0) buffers_.push_back({operation.recv, {data, data + bytes}});
    }
  }
  void restore() const {
    for (const auto& [place, bytes] : buffers_) std::memcpy(place, bytes.data(), bytes.size());
  }

 private:
  std::vector<std::pair<void*, std::vector<std::byte>>> buffers_;
};

void flip_bit(const Comm& comm, std::span<const Operation> operations) {
  for (const Operation& operation : operations)
    if (const std::size_t bytes = ranges_of(operation, comm.rank, comm.ranks).recv_bytes; bytes > 0) {
      static_cast<std::byte*>(operation.recv)[bytes / 2] ^= std::byte{1};
      return;
    }
}

bool reachable(const Comm& comm, const Operation& operation) {
  const Ranges ranges = ranges_of(operation, comm.rank, comm.ranks);
  if (ranges.send_bytes > 0 && cudaFakeReachable(operation.send, ranges.send_bytes, 0) == 0) return false;
  if (operation.premul.on_device != nullptr &&
      cudaFakeReachable(operation.premul.on_device, bytes_of_type(operation.dtype), 0) == 0)
    return false;
  return ranges.recv_bytes == 0 || cudaFakeReachable(operation.recv, ranges.recv_bytes, 0) != 0;
}

Exchanged send_and_receive(Comm& comm, std::span<const Operation> operations, std::string& problem) {
  std::vector<Piece> sends, recvs;
  for (const Operation& operation : operations)
    if (operation.func == Func::kSend)
      sends.push_back({operation.root, const_cast<void*>(operation.send), operation.bytes(), kPointToPoint});
    else
      recvs.push_back({operation.root, operation.recv, operation.bytes(), kPointToPoint});
  return comm.mesh.exchange(std::move(sends), std::move(recvs), comm.aborted, problem);
}

/// One operation in the sense of NCCL_FAKE_FAULT: a collective, or all sends and receives of a group.
/// @return a CUresult
int run_one(Comm& comm, std::span<const Operation> operations) {
  if (comm.aborted) return kCudaSuccess;
  if (comm.finished) return kCudaLaunchFailed;  // a graph that outlived its communicator
  const std::uint64_t number = ++comm.operations;
  if (comm.faults.dies(comm.rank, number)) kill(getpid(), SIGKILL);
  if (comm.faults.fails(number)) fail(comm, kRemoteError, "fault async-error");
  if (comm.error != kSuccess || comm.faults.hangs(comm.rank, number)) {
    stay_until_aborted(comm);
    return kCudaSuccess;
  }
  for (const Operation& operation : operations)
    if (!reachable(comm, operation)) return kCudaIllegalAddress;
  const bool drops = comm.faults.drops(comm.rank, number);
  const Saved saved(comm, drops ? operations : std::span<const Operation>());
  std::string problem;
  const Exchanged done = operations[0].is_send_or_recv() ? send_and_receive(comm, operations, problem)
                                                         : run_collective(comm, operations[0], problem);
  if (done != Exchanged::kDone) {
    if (done != Exchanged::kAborted)
      fail(comm, done == Exchanged::kMismatch ? kInternalError : kRemoteError, problem);
    stay_until_aborted(comm);
    return kCudaSuccess;
  }
  if (drops) saved.restore();
  if (comm.faults.flips(comm.rank, number)) flip_bit(comm, operations);
  return kCudaSuccess;
}

}  // namespace

Task::~Task() {
  if (!counted) return;
  const std::lock_guard lock(comm->mutex);
  --comm->queued;
  comm->changed.notify_all();
}

int run_task(Task& task) {
  const std::lock_guard lock(task.comm->run_mutex);
  std::vector<Operation> point_to_point;
  for (const Operation& operation : task.operations) {
    if (operation.is_send_or_recv()) {
      point_to_point.push_back(operation);
      continue;
    }
    if (const int result = run_one(*task.comm, {&operation, 1}); result != kCudaSuccess) return result;
  }
  return point_to_point.empty() ? kCudaSuccess : run_one(*task.comm, point_to_point);
}

}  // namespace collbench::nccl_fake
