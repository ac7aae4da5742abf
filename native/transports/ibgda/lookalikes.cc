#include "transports/ibgda/lookalikes.h"

#include <filesystem>

#include "core/error.h"
#include "core/shared_object.h"
#include "transports/ibgda/library.h"

namespace collbench::ibgda {
namespace {

// Each name is a library file of its own, because the loader identifies a loaded library by its name alone.
constexpr const char* kLookalikes[] = {"libibverbs.so.1", "libibverbs.so", "libmlx5.so.1", "libmlx5.so"};

std::string neighbour_file(const std::string& file) {
  return find_project_library(reinterpret_cast<const void*>(&load_lookalikes), file, "softmlx5",
                              "run npm run build:native");
}
std::string find(const char* name) { return neighbour_file(std::string("lookalikes/") + name); }

TransportOptions with_soft(TransportOptions options) {
  options.library = kSoftmlx5Name;
  return options;
}

}  // namespace

bool wants_software_card(const TransportOptions& options, const std::string& folder) {
  if (!options.library.empty()) return options.library == kSoftmlx5Name;
  std::error_code missing;
  return std::filesystem::directory_iterator(folder, missing) == std::filesystem::directory_iterator();
}

std::string lookalikes_folder() { return std::filesystem::path(find(kLookalikes[0])).parent_path(); }

std::string sysfs_preload() { return neighbour_file("libsoftmlx5-sysfs.so"); }

std::vector<std::pair<std::string, std::string>> software_card_settings(const TransportOptions& options) {
  return {{"SOFTMLX5_FABRIC", options.token.empty() ? "default" : options.token},
          {"SOFTMLX5_LINK", options.link.empty() ? "none" : options.link},
          {"SOFTMLX5_FAULT", options.fault}};
}

void check_lookalikes(const TransportOptions& options) {
  open_library(with_soft(options));  // throws on unknown settings
  for (const char* name : kLookalikes) find(name);
}

void load_lookalikes(const TransportOptions& options) {
  check_lookalikes(options);
  for (const char* name : kLookalikes) {
    const std::string path = find(name);
    std::string why;
    if (open_shared(path, why) == nullptr)
      throw Error(ErrorCode::kUnavailable, path + " cannot be loaded: " + why);
  }
}

}  // namespace collbench::ibgda
