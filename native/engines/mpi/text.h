#pragma once

namespace collbench::mpi {

/// What is compiled on the node: bridge.c behind abi.h, and slot.c.
const char* bridge_text() noexcept;
const char* slot_text() noexcept;

}  // namespace collbench::mpi
