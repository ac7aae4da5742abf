#pragma once

namespace collbench::mpi {

/// Texts of the programs that are compiled on the node: bridge.c (after abi.h) and slot.c.
const char* bridge_text() noexcept;
const char* slot_text() noexcept;

}  // namespace collbench::mpi
