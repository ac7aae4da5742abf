#pragma once

namespace collbench::mpi {

/// Returns the C source of the bridge (abi.h, then bridge.c), through which a rank calls MPI. slot_text()
/// returns the source of slot.c, the program that MPI's launcher starts for each rank. Both are compiled on
/// the node, because the ABI of its MPI is not known earlier.
const char* bridge_text() noexcept;
const char* slot_text() noexcept;

}  // namespace collbench::mpi
