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
  /// Creates the communicator; all ranks construct at the same time.
  /// @throws Error(kUnavailable, kCancelled) with NCCL's message
  Communicator(const NcclApi& api, Bootstrap& bootstrap, const NcclSettings& settings,
               std::function<bool()> cancelled);
  /// Destroys the communicator if it is healthy, else aborts it.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] NcclComm* get() const noexcept { return comm_; }
  [[nodiscard]] const NcclApi& api() const noexcept { return api_; }
  [[nodiscard]] std::int64_t init_ns() const noexcept { return init_ns_; }
  /// Checks the result of a call; waits while a non-blocking communicator is busy. @throws Error
  void check(int result, const char* what);
  /// Checks for asynchronous errors.
  /// @throws Error(kConnectionLost) for remote errors, kUnavailable for others
  void check_async_error();
  /// Ends operations on the device; the communicator cannot be used afterwards.
  void abort() noexcept;
  /// Returns the ncclRedOp_t; creates the premultiplied sum when it is first needed.
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
