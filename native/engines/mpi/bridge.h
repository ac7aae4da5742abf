#pragma once
// The bridge (shared object compiled from bridge.c, through which a rank's process calls MPI) as a table of
// its functions. Each process opens it once.
#include <string>

#include "engines/mpi/abi.h"

namespace collbench::mpi {

struct MpiBridge {
#define COLLBENCH_FIELD(result, name, arguments) result(*name) arguments = nullptr;
  COLLBENCH_MPI_FUNCTIONS(COLLBENCH_FIELD)
#undef COLLBENCH_FIELD

  /// Checks the error code that a function of this table returned. @param doing operation, for the message
  /// @throws Error(kInternal) with MPI's text if `code` is not success
  void require(int code, const char* doing) const;
  [[nodiscard]] std::string library_version() const;
  /// Returns the value of a library variable (MPI_T); "" if there is no such variable.
  [[nodiscard]] std::string variable(const char* name) const;
};

/// Opens the shared object through which this process calls MPI; it is never closed.
/// @param path shared object compiled from bridge.c
/// @throws Error(kUnavailable) with the loader's message; Error(kInternal) if a function is missing
MpiBridge open_bridge(const std::string& path);

}  // namespace collbench::mpi
