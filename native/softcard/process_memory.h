#pragma once
// Memory of another process of the same user: the kernel copies between the two (process_vm_readv(2)), as an
// IOMMU would let an adapter reach scattered pages. Nothing of the peer's memory is mapped here.
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace collbench::softcard {

/// Whether this system lets other processes of the user copy from and into this one: proven once by a helper
/// process that reads from it.
bool processes_can_copy();

/// Copies `bytes` between `local` and `remote_address` of process `owner`. False when the kernel refuses
/// (process gone, memory unmapped, permission).
bool copy_to_process(pid_t owner, std::uint64_t remote_address, const std::byte* local, std::size_t bytes);
bool copy_from_process(pid_t owner, std::uint64_t remote_address, std::byte* local, std::size_t bytes);

}  // namespace collbench::softcard
