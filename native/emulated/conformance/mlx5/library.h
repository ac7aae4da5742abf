#pragma once
#include <string>

#include "vendor_api/mlx5/mlx5dv_abi.h"

namespace collbench::conformance::mlx5 {

using namespace rdma;  // NOLINT: names of the interface

/// Functions of the libibverbs and libmlx5 under test.
struct VerbsLibrary {
#define RDMA_FUNCTION(ret, name, params, args, version, needed) ret(*name) params = nullptr;
#include "vendor_api/mlx5/mlx5dv_functions.def"
#include "vendor_api/mlx5/verbs_functions.def"
#undef RDMA_FUNCTION
  void *verbs = nullptr, *direct = nullptr;  // handles from dlopen
  bool is_emulated = false;

  /// Opens the libibverbs and libmlx5 to test.
  /// @param path a folder with libibverbs.so.1 and libmlx5.so.1; one file with the functions of both; or ""
  /// for those that the loader finds
  /// @throws TestFailure if they cannot be opened or lack functions
  static VerbsLibrary open(const std::string& path);
};

}  // namespace collbench::conformance::mlx5
