#pragma once
// User memory as the target of a peer's DMA (core/process_memory.h).
#include <cstddef>

#include "vendor_api/sisci/sisci_error.h"

namespace collbench::softntb {

/// Checks whether the caller's memory can be registered as a SISCI segment (SCIRegisterSegmentMemory).
/// @returns SCI_ERR_OK; SCI_ERR_OFFSET_ALIGNMENT or SCI_ERR_SIZE_ALIGNMENT if it is not whole pages;
/// SCI_ERR_ILLEGAL_ADDRESS if a page is not mapped; SCI_ERR_NOT_SUPPORTED if this system forbids processes of
/// one user to copy into each other
sci_error_t check_user_memory(void* address, std::size_t size);

}  // namespace collbench::softntb
