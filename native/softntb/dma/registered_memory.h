#pragma once
// User memory as the target of a peer's DMA (softcard/process_memory.h).
#include <cstddef>

#include "softntb/include/sisci_error.h"

namespace collbench::softntb {

/// Checks whether [address, address + size) can be registered. SCI_ERR_OFFSET_ALIGNMENT or
/// SCI_ERR_SIZE_ALIGNMENT unless it is whole pages. SCI_ERR_ILLEGAL_ADDRESS if a page is not mapped.
/// SCI_ERR_NOT_SUPPORTED if processes of one user cannot copy into each other on this system.
sci_error_t check_user_memory(void* address, std::size_t size);

}  // namespace collbench::softntb
