#pragma once
// One NCCL communicator: created by all ranks together, checked for errors, aborted if it must end early.
#include <functional>
#include <map>
#include <string>

#include "engines/engine.h"
#include "engines/nccl/nccl_api.h"
#include "engines/nccl/settings.h"

namespace collbench::nccl {

class Communicator {
 public:
  /// Creates the NCCL communicator of all ranks in `bootstrap`, and with setting `split` 1 another one split
  /// from it; all ranks must construct at the same time.
  /// @param cancelled polled while waiting; true throws Error(kCancelled)
  /// @throws Error(kUnavailable) with NCCL's message; Error(kCancelled); Error(kInvalidArgument) if `split`
  /// is neither 0 nor 1; Error(kProtocol) if rank 0 sent a unique id of a wrong length
  Communicator(const NcclApi& api, Bootstrap& bootstrap, const NcclSettings& settings,
               std::function<bool()> cancelled);
  /// Destroys the communicator, which waits for the other ranks. Aborts it instead if the run was cancelled
  /// or the communicator is non-blocking; does nothing after abort().
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] NcclComm* get() const noexcept { return comm_; }
  [[nodiscard]] const NcclApi& api() const noexcept { return api_; }
  [[nodiscard]] std::int64_t init_ns() const noexcept { return init_ns_; }
  /// Checks the ncclResult_t that the NCCL function named `what` returned. If the communicator is
  /// non-blocking and still busy, waits until it is ready.
  /// @throws Error with NCCL's message if the call failed
  void check(int result, const char* what);
  /// Asks NCCL for errors of operations that are running.
  /// @throws Error(kConnectionLost) for errors of other ranks, Error(kUnavailable) for others
  void check_async_error();
  /// Aborts the communicator, which ends its operations on the device. It cannot be used afterwards.
  void abort() noexcept;
  /// Returns the ncclRedOp_t for a reduction. For premulsum, it is created in this communicator at the first
  /// use.
  int op(ReduceOp op, DataType dtype);

 private:
  void init(Bootstrap& bootstrap);
  void split(int rank);
  [[nodiscard]] NcclConfig config() const;
  void wait_until_ready(NcclComm* comm, const char* what);

  const NcclApi& api_;
  const NcclSettings settings_;
  const std::function<bool()> cancelled_;
  const int rank_;
  NcclComm* comm_ = nullptr;
  NcclComm* parent_ = nullptr;
  std::int64_t init_ns_ = 0;
  std::map<DataType, int> premul_;
};

}  // namespace collbench::nccl
