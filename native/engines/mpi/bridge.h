#pragma once
// The bridge as a table of functions: opened in a rank's process, once.
#include <string>

#include "engines/mpi/abi.h"

namespace collbench::mpi {

struct Bridge {
#define COLLBENCH_FIELD(result, name, arguments) result(*name) arguments = nullptr;
  COLLBENCH_MPI_FUNCTIONS(COLLBENCH_FIELD)
#undef COLLBENCH_FIELD

  /// @throws Error(kInternal) with MPI's words where `code` is none of success
  void require(int code, const char* doing) const;
  [[nodiscard]] std::string library_version() const;
  /// Value of a variable of the library (MPI_T); "" = it has none of that name.
  [[nodiscard]] std::string variable(const char* name) const;
};

/// @param path of the object compiled from bridge.c @throws Error(kUnavailable) with the loader's words
Bridge open_bridge(const std::string& path);

}  // namespace collbench::mpi
