#pragma once
// One NCCL call as it runs on a stream.
#include <memory>
#include <string>
#include <vector>

#include "engines/nccl/fake/choose.h"
#include "engines/nccl/fake/comm.h"

namespace collbench::nccl_fake {

struct StreamOperation {
  NcclFunction func = NcclFunction::kAllReduce;
  const void* send = nullptr;
  void* recv = nullptr;
  std::size_t count = 0;
  int dtype = 0;
  int op = kSum;
  int root = 0;        // Root rank; for kSend and kRecv the peer.
  PremulSum premul{};  // Only if op >= kFirstOwnOp.

  [[nodiscard]] bool is_send_or_recv() const {
    return func == NcclFunction::kSend || func == NcclFunction::kRecv;
  }
  [[nodiscard]] std::size_t bytes() const { return count * bytes_of_type(dtype); }
};

/// Number of bytes that a rank reads from its send buffer and writes to its receive buffer in one call; 0 =
/// the rank does not use the buffer.
struct BufferRanges {
  std::size_t send_bytes = 0, recv_bytes = 0;
};
BufferRanges ranges_of(const StreamOperation& operation, int rank, int ranks);

/// Runs this rank's part of one collective until it is complete.
/// @param problem one sentence, set unless the result is kDone
ExchangeResult run_collective(Comm& comm, const StreamOperation& operation, std::string& problem);

/// Operations of one NCCL group on one stream: collectives in order, then all sends and receives at once.
struct StreamTask {
  std::shared_ptr<Comm> comm;
  std::vector<StreamOperation> operations;
  bool counted = false;  // True if included in comm->queued.
  ~StreamTask();
};
/// Runs the task's operations until they are complete. @returns the result for the stream, a CUresult
int run_task(StreamTask& task);

}  // namespace collbench::nccl_fake
