#include "emulated/softntb/dma/registered_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>

#include "core/process_memory.h"
#include "core/shared_memory.h"

namespace collbench::softntb {

using namespace ipc;

sci_error_t check_user_memory(void* address, std::size_t size) {
  if (reinterpret_cast<std::uintptr_t>(address) % whole_pages(1) != 0) return SCI_ERR_OFFSET_ALIGNMENT;
  if (size != whole_pages(size)) return SCI_ERR_SIZE_ALIGNMENT;
  // mincore() returns ENOMEM for a hole. The range is checked in steps, so that the result array stays small.
  std::array<unsigned char, 4096> present;
  const std::size_t step = present.size() * whole_pages(1);
  auto* at = static_cast<std::byte*>(address);
  for (std::size_t done = 0; done < size; done += step) {
    if (mincore(at + done, std::min(step, size - done), present.data()) != 0) return SCI_ERR_ILLEGAL_ADDRESS;
  }
  return processes_can_copy() ? SCI_ERR_OK : SCI_ERR_NOT_SUPPORTED;
}

}  // namespace collbench::softntb
