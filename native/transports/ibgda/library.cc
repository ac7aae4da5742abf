#include "transports/ibgda/library.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/shared_object.h"
#include "core/text.h"
#include "emulated/cards.h"

namespace collbench::ibgda {
namespace {

constexpr const char* kSoftFile = "libsoftmlx5.so";
constexpr const char* kVerbsFile = "libibverbs.so.1";
constexpr const char* kMlx5File = "libmlx5.so.1";

/// Returns the path of libsoftmlx5.so. It is searched next to this program or plugin, and in the folders of
/// build and install trees.
std::string find_soft() {
  return find_project_library(
      reinterpret_cast<const void*>(&find_soft), kSoftFile, "softmlx5",
      "the software cards are an optional part of the native build: configure it with "
      "-DCOLLBENCH_EMULATED=ON");
}

void* open_or_throw(const std::string& path, const std::string& remedy) {
  std::string why;
  void* handle = open_shared(path, why);
  if (handle == nullptr)
    throw Error(ErrorCode::kUnavailable, path + " cannot be loaded: " + why + "; " + remedy);
  return handle;
}

/// Looks up all functions in the two opened libraries and stores their addresses in `library`.
/// @throws Error(kUnavailable) naming a required function that is missing
void resolve(VerbsLibrary& library, void* verbs, void* mlx5) {
  const auto need = [](bool found, const char* name, const char* file) {
    if (!found)
      throw Error(ErrorCode::kUnavailable, std::string(file) + " has no function " + name +
                                               "; install rdma-core 28 or newer, or take --medium emulated");
  };
#define RDMA_FUNCTION(ret, name, params, args, version, needed) \
  need(bind(library.name, mlx5, #name) || !(needed), #name, kMlx5File);
#include "vendor_api/mlx5/mlx5dv_functions.def"
#undef RDMA_FUNCTION
#define RDMA_FUNCTION(ret, name, params, args, version, needed) \
  need(bind(library.name, verbs, #name) || !(needed), #name, kVerbsFile);
#include "vendor_api/mlx5/verbs_functions.def"
#undef RDMA_FUNCTION
}

std::shared_ptr<VerbsLibrary> open_soft(const std::string& path, const TransportOptions& options) {
  auto library = std::make_shared<VerbsLibrary>();
  void* handle = open_or_throw(path, "build the target softmlx5 again");
  library->path = path;
  library->medium = Medium::kEmulated;
  resolve(*library, handle, handle);
  bind(library->progress, handle, "softmlx5_progress");
  decltype(&softmlx5_check_settings) check = nullptr;
  char problem[512] = "";
  if (bind(check, handle, "softmlx5_check_settings") &&
      check(options.link.c_str(), options.fault.c_str(), problem, sizeof problem) == 0)
    throw Error(ErrorCode::kInvalidArgument, std::string("softmlx5: ") + problem);
  return library;
}

std::shared_ptr<VerbsLibrary> open_real(const std::string& adapters) {
  const std::string remedy = "install rdma-core for " + adapters + ", or take --medium emulated";
  void* verbs = open_or_throw(kVerbsFile, remedy);
  void* mlx5 = open_or_throw(kMlx5File, remedy);
  auto library = std::make_shared<VerbsLibrary>();
  library->path = file_of(mlx5);
  resolve(*library, verbs, mlx5);
  return library;
}

}  // namespace

std::string adapters_in(const std::string& folder) {
  std::error_code missing;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder, missing)) {
    const std::string driver =
        std::filesystem::read_symlink(entry.path() / "device" / "driver", missing).filename();
    if (driver.rfind("mlx5", 0) == 0 || entry.path().filename().string().rfind("mlx5", 0) == 0)
      names.push_back(entry.path().filename());
  }
  std::sort(names.begin(), names.end());
  return join(names);
}

std::shared_ptr<const VerbsLibrary> open_library(const TransportOptions& options) {
  const std::string adapters = adapters_in();
  const bool is_soft = options.library == kSoftmlx5Name || (options.library.empty() && adapters.empty());
  if (!is_soft && options.library.empty()) return open_real(adapters);
  return open_soft(is_soft ? find_soft() : options.library, options);
}

void configure(const VerbsLibrary& library, const TransportOptions& options) {
  if (library.medium != Medium::kEmulated) return;
  static std::mutex mutex;
  static std::optional<std::string> taken;
  const std::lock_guard lock(mutex);
  const std::string settings = library.path + "|" + options.link + "|" + options.fault;
  if (taken && *taken != settings)
    throw Error(ErrorCode::kInvalidArgument,
                "one process has one software adapter: " + library.path +
                    " works with another link model or other faults; use another process");
  // A process that outlives runs (Node) keeps the fabric of its first run, because its ranks find each other
  // by LID.
  if (taken) return;
  setenv("SOFTMLX5_FABRIC", options.token.empty() ? "default" : options.token.c_str(), 1);
  setenv("SOFTMLX5_LINK", options.link.empty() ? "none" : options.link.c_str(), 1);
  setenv("SOFTMLX5_FAULT", options.fault.c_str(), 1);
  taken = settings;
}

}  // namespace collbench::ibgda
