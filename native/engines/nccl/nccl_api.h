#pragma once
// NCCL opened at run time, any version from 2.13 on. Layouts are those of nccl.h; see nccl_functions.def.
#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/dtype.h"

namespace collbench::nccl {

struct NcclComm;  // Target of ncclComm_t.
struct NcclUniqueId {
  char internal[128];
};
/// Layout of ncclConfig_t in NCCL 2.30; older releases read only the first fields (src/nccl.h.in and
/// src/init.cc of NCCL). The initial values are those that NCCL treats as "undefined".
struct NcclConfig {
  std::size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 0;  // Smaller of the header's version and ncclGetVersion().
  int blocking = 1;
  int cga_cluster_size = INT_MIN, min_ctas = INT_MIN, max_ctas = INT_MIN;
  const char* net_name = nullptr;
  int split_share = INT_MIN;
  int traffic_class = INT_MIN;
  const char* comm_name = nullptr;
  int collnet_enable = INT_MIN, cta_policy = INT_MIN, shrink_share = INT_MIN, nvls_ctas = INT_MIN;
  int channels_per_net_peer = INT_MIN, nvlink_centric_sched = INT_MIN;
  int graph_usage_mode = INT_MIN, num_rma_ctx = INT_MIN, max_p2p_peers = INT_MIN,
      graph_stream_ordering = INT_MIN;
};
static_assert(sizeof(NcclConfig) == 96);

inline constexpr int kNcclSuccess = 0, kNcclInProgress = 7;
inline constexpr int kWindowSymmetric = 1;

/// Functions of an opened libnccl. A function that the library does not have is null.
struct NcclApi {
#define NCCL_FUNCTION(name, symbol, since, parameters) int(*name) parameters = nullptr;
#include "engines/nccl/nccl_functions.def"
#undef NCCL_FUNCTION
  const char* (*error_string)(int result) = nullptr;
  const char* (*last_error)(NcclComm* comm) = nullptr;  // Available from 2.13 on.
  std::string path;                                     // Real path of the library.
  int version = 0;  // Version as ncclGetVersion() counts: 22809 for 2.28.9.

  /// Checks the result of an NCCL call.
  /// @param what name of the call, for messages: "ncclAllReduce"
  /// @throws Error(kUnavailable) with NCCL's message (error_string, last_error) if it is not success
  void check(int result, const char* what) const;
  [[nodiscard]] std::string version_text() const;  // Version as text: "2.28.9".
};

/// Opens a libnccl; each path is opened once per process. The library is never closed, because NCCL's threads
/// can run longer than communicators exist.
/// @throws Error(kUnavailable) if it cannot be loaded, is not NCCL or is older than 2.13; the message has
/// path, reason and remedy
const NcclApi& open_nccl(const std::string& path);

/// Returns the ncclDataType_t for a type.
/// @throws Error(kInvalidArgument) for fp8 if nccl_version is below 2.24
int nccl_type(DataType type, int nccl_version);
/// Returns the ncclRedOp_t for a reduction that NCCL has built in.
/// @throws Error(kInvalidArgument) for premulsum, which must be created for each communicator
int nccl_op(ReduceOp op);

}  // namespace collbench::nccl
