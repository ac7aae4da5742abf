// _dl_find_object (glibc 2.35) for the static libgcc, which uses it to find exception tables: the loaded
// object that contains an address, and the position of its table. Implemented with dl_iterate_phdr, as libgcc
// itself did for older glibc.
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdint>

namespace {

struct Search {
  std::uintptr_t address;
  dl_find_object* found;
};

int look_at(dl_phdr_info* object, std::size_t, void* data) {
  const auto& search = *static_cast<Search*>(data);
  std::uintptr_t low = UINTPTR_MAX, high = 0, table = 0;
  bool has_address = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) & part = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr, end = begin + part.p_memsz;
    if (part.p_type == PT_GNU_EH_FRAME) table = begin;
    if (part.p_type != PT_LOAD) continue;
    low = std::min(low, begin);
    high = std::max(high, end);
    has_address = has_address || (search.address >= begin && search.address < end);
  }
  if (!has_address) return 0;
  *search.found = {};
  search.found->dlfo_map_start = reinterpret_cast<void*>(low);
  search.found->dlfo_map_end = reinterpret_cast<void*>(high);
  search.found->dlfo_eh_frame = reinterpret_cast<void*>(table);
  return table == 0 ? -1 : 1;
}

// Used if libc has it: it takes no lock, which matters inside a signal handler. Looked up before any handler
// can run.
using Find = int (*)(void*, dl_find_object*);
const Find kReal = reinterpret_cast<Find>(dlsym(RTLD_DEFAULT, "_dl_find_object"));

}  // namespace

extern "C" int __wrap__dl_find_object(void* address, dl_find_object* found) {
  if (kReal != nullptr) return kReal(address, found);
  Search search{reinterpret_cast<std::uintptr_t>(address), found};
  return dl_iterate_phdr(look_at, &search) == 1 ? 0 : -1;
}
