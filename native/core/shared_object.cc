#include "core/shared_object.h"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

namespace collbench {

void* open_shared(const std::string& path, std::string& why) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) why = dlerror();
  return handle;
}

std::string file_of(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr) return {};
  std::error_code failed;
  const auto real = std::filesystem::canonical(map->l_name, failed);
  return failed ? std::string(map->l_name) : real.string();
}

void* symbol_of(void* handle, const char* name) { return dlsym(handle, name); }

}  // namespace collbench
