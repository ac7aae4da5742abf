// libsoftmlx5-sysfs.so, for LD_PRELOAD: answers realpath for /sys/class/infiniband/mlx5_0/device as with a
// real card. Some programs need the answer (NVSHMEM fails without it). All other calls go to libc.
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <string>

namespace {

using Realpath = char* (*)(const char* path, char* resolved);

constexpr const char kAsked[] = "/sys/class/infiniband/mlx5_0/device";
constexpr const char kDevices[] = "/sys/bus/pci/devices";

Realpath libc() {
  static const auto found = reinterpret_cast<Realpath>(dlsym(RTLD_NEXT, "realpath"));
  return found;
}

/// Returns the sysfs path of the real PCI device with the lowest address; "" if there is none. An emulated
/// adapter has no PCI slot, but programs compute distances on the PCI bus from such a path.
std::string some_slot() {
  std::string least;
  if (DIR* folder = opendir(kDevices)) {
    while (const dirent* entry = readdir(folder)) {
      const std::string name = entry->d_name;
      if (name[0] != '.' && (least.empty() || name < least)) least = name;
    }
    closedir(folder);
  }
  return least.empty() ? "" : std::string(kDevices) + "/" + least;
}

char* answer(const char* path, char* resolved) {
  char* found = libc()(path, resolved);
  if (found != nullptr || path == nullptr || strcmp(path, kAsked) != 0) return found;
  return libc()(some_slot().c_str(), resolved);
}

}  // namespace

extern "C" {
__attribute__((visibility("default"))) char* realpath(const char* path, char* resolved) noexcept;
char* realpath(const char* path, char* resolved) noexcept { return answer(path, resolved); }
__attribute__((visibility("default"))) char* __realpath_chk(const char* path, char* resolved,
                                                            size_t) noexcept;
char* __realpath_chk(const char* path, char* resolved, size_t) noexcept { return answer(path, resolved); }
}
