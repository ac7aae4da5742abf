#include "core/shared_object.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "core/error.h"

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

std::string find_project_library(const void* here, const std::string& file, const std::string& room,
                                 const std::string& remedy) {
  std::vector<std::filesystem::path> folders;
  Dl_info info{};
  if (dladdr(here, &info) != 0 && info.dli_fname != nullptr)
    folders.push_back(std::filesystem::path(info.dli_fname).parent_path());
  char self[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
  if (length > 0)
    folders.push_back(
        std::filesystem::path(std::string(self, static_cast<std::size_t>(length))).parent_path());
  for (const auto& folder : folders)
    for (const std::string& below :
         {std::string(), room, "../" + room, "../../" + room, std::string("../lib")}) {
      const std::filesystem::path candidate = folder / below / file;
      if (access(candidate.c_str(), R_OK) == 0) return candidate.string();
    }
  throw Error(ErrorCode::kUnavailable, file + " not found beside the program (" +
                                           (folders.empty() ? "?" : folders.back().string()) + "); " +
                                           remedy);
}

void* symbol_of(void* handle, const char* name) { return dlsym(handle, name); }

}  // namespace collbench
