#pragma once
// libibverbs and libmlx5 as tables of functions, opened at run time. softmlx5 (our emulation) is opened only
// if the machine has no mlx5 adapter, or on request.
#include <memory>
#include <string>

#include "transports/transport.h"
#include "vendor_api/mlx5/mlx5dv_abi.h"

namespace collbench::ibgda {

using namespace rdma;  // NOLINT(google-build-using-namespace): the types of the lists below

/// Table of the libibverbs and libmlx5 functions that this transport calls. They come from the libraries of
/// this machine or from the emulation softmlx5.
struct VerbsLibrary {
#define RDMA_FUNCTION(ret, name, params, args, version, needed) ret(*name) params = nullptr;
#include "vendor_api/mlx5/mlx5dv_functions.def"
#include "vendor_api/mlx5/verbs_functions.def"
#undef RDMA_FUNCTION
  /// Lets softmlx5 carry out waiting work in the calling thread; nullptr if the library serves a real
  /// adapter.
  void (*progress)() = nullptr;
  std::string path;  // file of the opened library
  Medium medium = Medium::kHardware;
};

inline constexpr const char* kSoftmlx5Name = "softmlx5";

/// Opens the libraries and finds their functions. `options.library` selects them: "" = those of the machine,
/// or softmlx5 if there is no mlx5 adapter; "softmlx5" = the emulation; otherwise the path of one file that
/// has the functions of both and counts as an emulation.
/// @throws Error(kUnavailable) naming what is missing. If the machine has an adapter but not its libraries,
/// that is an error too: softmlx5 does not replace them. Error(kInvalidArgument) if softmlx5 does not know
/// link model or fault
std::shared_ptr<const VerbsLibrary> open_library(const TransportOptions& options);

/// Passes token, link model and faults from the options to softmlx5, in environment variables; call it before
/// the first device is opened. Does nothing for a real adapter. If the process has passed the same link model
/// and faults before, nothing changes, and the first token stays.
/// @throws Error(kInvalidArgument) if the process has passed another link model, other faults, or another
/// library
void configure(const VerbsLibrary& library, const TransportOptions& options);

/// Returns the names of the mlx5 adapters that the kernel lists, sorted, as one text for messages; "" = none.
/// @param folder sysfs folder of RDMA devices
std::string adapters_in(const std::string& folder = "/sys/class/infiniband");

}  // namespace collbench::ibgda
