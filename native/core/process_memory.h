#pragma once
// Memory of another process of the same user: the kernel copies between the two (process_vm_readv(2)), like
// an adapter that reaches scattered pages through an IOMMU. The peer's memory is not mapped here.
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace collbench::ipc {

/// True if other processes of this user can copy from and to this process's memory (process_vm_readv), which
/// some containers forbid. The first call permits it to all of them (PR_SET_PTRACER_ANY) and tests it with a
/// helper process; the result is kept.
bool processes_can_copy();

/// Copies local memory to memory of another process.
/// @param owner process id
/// @param remote_address address in that process
/// @returns false if the kernel refuses: the process has ended, the memory is not mapped, or permission is
/// denied; a part may have been copied
bool copy_to_process(pid_t owner, std::uint64_t remote_address, const std::byte* local, std::size_t bytes);
/// Copies memory of another process to local memory.
/// @param owner process id
/// @param remote_address address in that process
/// @returns false if the kernel refuses: the process has ended, the memory is not mapped, or permission is
/// denied; a part may have been copied
bool copy_from_process(pid_t owner, std::uint64_t remote_address, std::byte* local, std::size_t bytes);

}  // namespace collbench::ipc
