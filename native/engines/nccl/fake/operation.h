#pragma once
// One NCCL call as it runs on a stream.
#include <memory>
#include <string>
#include <vector>

#include "engines/nccl/fake/choose.h"
#include "engines/nccl/fake/comm.h"

namespace collbench::nccl_fake {

struct Operation {
  Func func = Func::kAllReduce;
  const void* send = nullptr;
  void* recv = nullptr;
  std::size_t count = 0;
  int dtype = 0;
  int op = kSum;
  int root = 0;        // kSend, kRecv: the peer
  PremulSum premul{};  // where op >= kFirstOwnOp

  [[nodiscard]] bool is_send_or_recv() const { return func == Func::kSend || func == Func::kRecv; }
  [[nodiscard]] std::size_t bytes() const { return count * bytes_of_type(dtype); }
};

/// Memory that a rank reads and writes; 0 bytes where it has none.
struct Ranges {
  std::size_t send_bytes = 0, recv_bytes = 0;
};
Ranges ranges_of(const Operation& operation, int rank, int ranks);

/// Runs a collective to its end on this rank. @param problem set when this is not kDone
Exchanged run_collective(Comm& comm, const Operation& operation, std::string& problem);

/// What one launch of a group does on one stream: collectives in order, then all sends and receives at once.
struct Task {
  std::shared_ptr<Comm> comm;
  std::vector<Operation> operations;
  bool counted = false;  // in comm->queued
  ~Task();
};
/// @return a CUresult for the stream
int run_task(Task& task);

}  // namespace collbench::nccl_fake
