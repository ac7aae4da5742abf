#pragma once
// Memory of another process of the same user: the kernel copies between the two (process_vm_readv(2)), like
// an adapter that reaches scattered pages through an IOMMU. The peer's memory is not mapped here.
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace collbench::softcard {

/// True if this system lets other processes of the user copy from and to this one. A helper process tests it
/// once.
bool processes_can_copy();

/// Copy `bytes` between `local` and `remote_address` of process `owner`. False if the kernel refuses (process
/// ended, memory not mapped, no permission).
bool copy_to_process(pid_t owner, std::uint64_t remote_address, const std::byte* local, std::size_t bytes);
bool copy_from_process(pid_t owner, std::uint64_t remote_address, std::byte* local, std::size_t bytes);

}  // namespace collbench::softcard
