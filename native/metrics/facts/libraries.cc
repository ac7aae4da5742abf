// Libraries that determine what runs: which exist, and which file each really is.
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "core/environment.h"
#include "core/sha256.h"
#include "metrics/facts/elf.h"
#include "metrics/facts/facts.h"
#include "metrics/inventory.h"

namespace collbench::facts {
namespace {

constexpr std::size_t kMaxLibraries = 64, kMaxFolders = 128;
constexpr std::int64_t kLargestHashed = std::int64_t{2} << 30;

/// File names of the libraries to find, as the loader or programs search them. The patterns stand for any
/// version or name.
constexpr const char* kNames[] = {
    "libcuda.so.1",         "libnvidia-ml.so.1", "libcudart.so.1[0-9]", "libnccl.so.2",    "libnccl-net*.so",
    "libnvshmem_host.so.3", "libmpi.so.[0-9]*",  "libsisci.so",         "libibverbs.so.1", "libmlx5.so.1",
    "libucp.so.0",          "libfabric.so.1",    "librccl.so.1"};
constexpr const char* kFolders[] = {"/opt/DIS/lib64",
                                    "/opt/DIS/lib",
                                    "/usr/local/cuda/lib64",
                                    "/usr/local/lib",
                                    "/usr/local/lib64",
                                    "/lib/x86_64-linux-gnu",
                                    "/lib/aarch64-linux-gnu",
                                    "/usr/lib/x86_64-linux-gnu",
                                    "/usr/lib/aarch64-linux-gnu",
                                    "/lib64",
                                    "/usr/lib64",
                                    "/usr/lib",
                                    "/usr/lib64/openmpi/lib",
                                    "/usr/lib/x86_64-linux-gnu/openmpi/lib",
                                    "/opt/rocm/lib",
                                    "/opt/hpcx/nccl_rdma_sharp_plugin/lib",
                                    "/opt/amazon/ofi-nccl/lib",
                                    "/opt/amazon/openmpi/lib64"};

std::vector<std::string> expand(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

/// Returns the folders in which libraries are searched, in the loader's order: LD_LIBRARY_PATH (not for
/// recorded trees), entries of ld.so.conf.d, the usual folders. Only absolute paths, each once, at most
/// kMaxFolders.
std::vector<std::string> folders_of(const std::string& root) {
  std::vector<std::string> folders;
  const auto add = [&](const std::string& folder) {
    if (folder.starts_with('/') && folders.size() < kMaxFolders &&
        std::find(folders.begin(), folders.end(), folder) == folders.end())
      folders.push_back(folder);
  };
  if (root.empty())
    for (const auto& folder : folders_in("LD_LIBRARY_PATH")) add(folder.string());
  for (const std::string& file : expand(root + "/etc/ld.so.conf.d/*.conf")) {
    std::istringstream lines(metrics::read_small_file(file).substr(0, kMaxFileBytes));
    for (std::string line; std::getline(lines, line);) add(line);
  }
  for (const char* folder : kFolders) add(folder);
  return folders;
}

LibraryFacts look_at(const std::string& name, const std::string& root, const std::string& path, bool hash) {
  LibraryFacts library;
  library.name = name;
  char real[PATH_MAX];
  const std::string file = realpath((root + path).c_str(), real) != nullptr ? real : root + path;
  library.path = file.substr(file.starts_with(root) ? root.size() : 0);
  struct stat status{};
  if (stat(file.c_str(), &status) == 0) library.bytes = status.st_size;
  ElfFacts elf = read_elf(file);
  library.problem = std::move(elf.problem);
  library.build_id = std::move(elf.build_id);
  library.symbols = std::move(elf.symbols);
  if (hash && library.bytes <= kLargestHashed) library.sha256 = sha256_of_file(file);
  return library;
}

}  // namespace

std::vector<LibraryFacts> find_libraries(const FactsRequest& request) {
  const std::string root = request.root == "/" ? "" : request.root;
  std::vector<LibraryFacts> found;
  const auto add = [&](const std::string& name, const std::string& path) {
    if (found.size() >= kMaxLibraries) return;
    LibraryFacts library = look_at(name, root, path, request.hashes);
    // A file is found through several folders that are links to each other.
    for (const LibraryFacts& other : found)
      if (other.path == library.path && other.name == library.name) return;
    found.push_back(std::move(library));
  };
  for (const std::string& plugin : request.plugins) add(plugin, plugin);
  const std::vector<std::string> folders = folders_of(root);
  for (const char* name : kNames)
    for (const std::string& folder : folders)
      for (const std::string& path : expand(root + folder + "/" + name))
        add(path.substr(path.rfind('/') + 1), path.substr(root.size()));
  return found;
}

}  // namespace collbench::facts
