#pragma once
// libibverbs and libmlx5 as tables of functions, opened at run time. softmlx5 (our emulation) is opened only
// where no mlx5 adapter is, or when asked for.
#include <memory>
#include <string>

#include "softmlx5/include/mlx5dv_abi.h"
#include "transports/transport.h"

namespace collbench::ibgda {

using namespace rdma;  // NOLINT(google-build-using-namespace): the types of the lists below

struct Library {
#define RDMA_FUNCTION(ret, name, params, args, version, needed) ret(*name) params = nullptr;
#include "softmlx5/include/mlx5dv_functions.def"
#include "softmlx5/include/verbs_functions.def"
#undef RDMA_FUNCTION
  /// softmlx5 alone: carries out what is ready in the calling thread; nullptr for an adapter, which needs no
  /// help.
  void (*progress)() = nullptr;
  std::string path;  // file that was opened
  Medium medium = Medium::kHardware;
};

inline constexpr const char* kSoftmlx5Name = "softmlx5";

/// Opens the libraries that `options.library` names ("" = search, "softmlx5" = the emulation, else the path
/// of a file that has the functions of both).
/// @throws Error(kUnavailable) naming what is missing; an adapter that cannot be used is never passed over
std::shared_ptr<const Library> open_library(const TransportOptions& options);

/// Gives a software adapter its settings before its first device is opened; an adapter has none.
/// @throws Error(kInvalidArgument) where the process's has others already
void configure(const Library& library, const TransportOptions& options);

/// Names of the mlx5 adapters that the kernel knows. @param folder of InfiniBand devices
std::string adapters_in(const std::string& folder = "/sys/class/infiniband");

}  // namespace collbench::ibgda
