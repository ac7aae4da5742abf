#pragma once
// User memory as the target of a peer's DMA: the kernel copies between the two processes
// (process_vm_writev(2)), as an IOMMU would let the adapter reach scattered pages. Nothing of the peer's
// memory is mapped here.
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "softntb/include/sisci_error.h"

namespace collbench::softntb {

/// Whether [address, address + size) can be registered: SCI_ERR_OFFSET_ALIGNMENT / SCI_ERR_SIZE_ALIGNMENT
/// unless whole pages, SCI_ERR_ILLEGAL_ADDRESS when a page is not mapped, SCI_ERR_NOT_SUPPORTED when this
/// system does not let one process of the user copy into another (proven once per process by a helper process
/// that reads from this one).
sci_error_t check_user_memory(void* address, std::size_t size);

/// Copies `bytes` between `local` and `remote_address` of process `owner`. False when the kernel refuses
/// (process gone, memory unmapped, permission).
bool copy_to_process(pid_t owner, std::uint64_t remote_address, const std::byte* local, std::size_t bytes);
bool copy_from_process(pid_t owner, std::uint64_t remote_address, std::byte* local, std::size_t bytes);

}  // namespace collbench::softntb
