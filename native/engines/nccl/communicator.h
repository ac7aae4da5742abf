#pragma once
// One NCCL communicator: made by all ranks together, watched for errors, aborted when it must end.
#include <functional>
#include <map>
#include <string>

#include "engines/engine.h"
#include "engines/nccl/nccl_api.h"
#include "engines/nccl/settings.h"

namespace collbench::nccl {

class Communicator {
 public:
  /// All ranks at once. @throws Error(kUnavailable, kCancelled) with NCCL's own words
  Communicator(const NcclApi& api, Bootstrap& bootstrap, const NcclSettings& settings,
               std::function<bool()> cancelled);
  /// Destroyed in order where all is well, aborted otherwise.
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  [[nodiscard]] NcclComm* get() const noexcept { return comm_; }
  [[nodiscard]] const NcclApi& api() const noexcept { return api_; }
  [[nodiscard]] std::int64_t init_ns() const noexcept { return init_ns_; }
  /// A call's result: waits while a non-blocking communicator is at it. @throws Error
  void check(int result, const char* what);
  /// Looks for errors of NCCL's threads. @throws Error(kConnectionLost) for remote errors, kUnavailable
  /// otherwise
  void look();
  /// Ends what runs on the device; the communicator is of no use afterwards.
  void abort() noexcept;
  /// ncclRedOp_t, a premultiplied sum being made when first wanted.
  int op(ReduceOp op, DataType dtype);

 private:
  void init(Bootstrap& bootstrap);
  void split(int rank);
  [[nodiscard]] NcclConfig config() const;
  void settle(NcclComm* comm, const char* what);

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
