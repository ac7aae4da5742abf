#pragma once
// User memory as the target of a peer's DMA (softcard/process_memory.h).
#include <cstddef>

#include "softntb/include/sisci_error.h"

namespace collbench::softntb {

/// Whether [address, address + size) can be registered: SCI_ERR_OFFSET_ALIGNMENT / SCI_ERR_SIZE_ALIGNMENT
/// unless whole pages, SCI_ERR_ILLEGAL_ADDRESS when a page is not mapped, SCI_ERR_NOT_SUPPORTED when this
/// system does not let one process of the user copy into another.
sci_error_t check_user_memory(void* address, std::size_t size);

}  // namespace collbench::softntb
