#include "emulated/conformance/mlx5/library.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <cstring>

#include "emulated/conformance/check.h"

namespace collbench::conformance::mlx5 {
namespace {

void* open_file(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw TestFailure{"the library " + path + " loads", dlerror()};
  return handle;
}

template <typename Function>
void find(void* handle, const char* name, bool is_needed, Function& target) {
  void* symbol = dlsym(handle, name);
  if (symbol == nullptr && is_needed) throw TestFailure{std::string("a symbol ") + name, "none"};
  std::memcpy(&target, &symbol, sizeof symbol);
}

}  // namespace

VerbsLibrary VerbsLibrary::open(const std::string& path) {
  VerbsLibrary library;
  struct stat facts{};
  if (path.empty() || (stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode))) {
    const std::string folder = path.empty() ? "" : path + "/";
    library.verbs = open_file(folder + "libibverbs.so.1");
    library.direct = open_file(folder + "libmlx5.so.1");
  } else {
    library.verbs = library.direct = open_file(path);
  }
#define RDMA_FUNCTION(ret, name, params, args, version, needed) \
  find(library.verbs, #name, needed != 0, library.name);
#include "vendor_api/mlx5/verbs_functions.def"
#undef RDMA_FUNCTION
#define RDMA_FUNCTION(ret, name, params, args, version, needed) \
  find(library.direct, #name, needed != 0, library.name);
#include "vendor_api/mlx5/mlx5dv_functions.def"
#undef RDMA_FUNCTION
  library.is_emulated = dlsym(library.verbs, "softmlx5_link_model") != nullptr;
  return library;
}

}  // namespace collbench::conformance::mlx5
