#pragma once
// libibverbs and libmlx5 as tables of functions, opened at run time. softmlx5 (our emulation) is opened only
// if the machine has no mlx5 adapter, or on request.
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
  /// Carries out ready work in the calling thread; set for softmlx5 only, nullptr for a real adapter.
  void (*progress)() = nullptr;
  std::string path;  // file of the opened library
  Medium medium = Medium::kHardware;
};

inline constexpr const char* kSoftmlx5Name = "softmlx5";

/// Opens the libraries that `options.library` names: "" = search, "softmlx5" = the emulation, otherwise the
/// path of a file with the functions of both.
/// @throws Error(kUnavailable) naming what is missing; an unusable adapter is an error and never skipped
std::shared_ptr<const Library> open_library(const TransportOptions& options);

/// Gives a software adapter its settings before its first device is opened; does nothing for a real one.
/// @throws Error(kInvalidArgument) if the process already uses other settings
void configure(const Library& library, const TransportOptions& options);

/// Names of the mlx5 adapters that the kernel lists. @param folder sysfs folder of InfiniBand devices
std::string adapters_in(const std::string& folder = "/sys/class/infiniband");

}  // namespace collbench::ibgda
