#pragma once
// Ranks as threads of this process, each with its own device, stream, memory and communicator.
#include <functional>
#include <vector>

#include "cuda/fake/tests/device.h"
#include "engines/nccl/nccl_api.h"

namespace fake_test {

using collbench::nccl::NcclComm;
using collbench::nccl::NcclConfig;
using collbench::nccl::NcclUniqueId;

/// Returns the fake, opened as the engine opens NCCL.
const collbench::nccl::NcclApi& nccl();

inline constexpr int kCudaError = 1, kSystemError = 2, kInternalError = 3, kInvalidArgument = 4,
                     kInvalidUsage = 5, kRemoteError = 6, kInProgress = 7;
inline constexpr int kInt32 = 2, kFloat32 = 7, kFloat64 = 8;
inline constexpr int kSum = 0, kProd = 1, kMax = 2, kMin = 3, kAvg = 4;

NcclUniqueId make_id();

class FakeRank : public OnDevice {
 public:
  /// @param device -1 = the rank's number
  FakeRank(int rank, int ranks, const NcclUniqueId& id, int device = -1);
  ~FakeRank();
  FakeRank(const FakeRank&) = delete;
  FakeRank& operator=(const FakeRank&) = delete;

  const int rank, ranks;
  NcclComm* comm = nullptr;

  /// Calls ncclCommInitRankConfig.
  int init(NcclConfig config = {});
  /// Polls until the communicator has left ncclInProgress; returns its state.
  int settle(NcclComm* which) const;

 private:
  NcclUniqueId id_;
};

/// Runs `body` for each rank on its own thread, with a communicator.
void with_ranks(int ranks, const std::function<void(FakeRank&)>& body);
/// Same without communicators; rank r uses devices[r] (empty: r).
void with_bare_ranks(int ranks, const std::function<void(FakeRank&)>& body,
                     const std::vector<int>& devices = {});

}  // namespace fake_test
