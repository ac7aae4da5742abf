#include "engines/nvshmem/toolchain.h"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "core/environment.h"
#include "core/text.h"
#include "cuda/nvcc/build.h"
#include "cuda/nvcc/find.h"

namespace collbench::nvshmem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libnvshmem_host.so.3";
constexpr const char* kDevice = "libnvshmem_device.a";

/// Folders of NVSHMEM in a distribution's packages, which are separate for CUDA 12 and 13.
constexpr const char* kPackaged[] = {"/usr/lib/x86_64-linux-gnu/nvshmem/13",
                                     "/usr/lib/x86_64-linux-gnu/nvshmem/12",
                                     "/usr/lib/aarch64-linux-gnu/nvshmem/13",
                                     "/usr/lib/aarch64-linux-gnu/nvshmem/12",
                                     "/opt/nvidia/nvshmem/lib",
                                     "/usr/local/nvshmem/lib"};

/// Returns NVSHMEM's version, from the three numbers NVSHMEM_VENDOR_MAJOR_VERSION, _MINOR_ and _PATCH_ of a
/// header; "" if there are none.
std::string version_in(const fs::path& include) {
  std::string parts[3];
  constexpr std::string_view kNames[] = {"NVSHMEM_VENDOR_MAJOR_VERSION ", "NVSHMEM_VENDOR_MINOR_VERSION ",
                                         "NVSHMEM_VENDOR_PATCH_VERSION "};
  for (const char* header :
       {"non_abi/nvshmem_version.h", "non_abi/nvshmem_build_options.h", "host/nvshmem_version.h"}) {
    std::ifstream file(include / header);
    for (std::string line; std::getline(file, line);)
      for (int i = 0; i < 3; ++i)
        if (const auto at = line.find(kNames[i]); line.starts_with("#define") && at != std::string::npos)
          parts[i] = line.substr(at + kNames[i].size());
  }
  for (std::string& part : parts) {
    while (!part.empty() && (part.back() == ' ' || part.back() == '\r')) part.pop_back();
    while (part.starts_with(' ')) part.erase(0, 1);
    if (part.empty()) return "";
  }
  return parts[0] + "." + parts[1] + "." + parts[2];
}

void find_headers(const fs::path& lib, NvshmemToolchainSearch& look) {
  std::vector<fs::path> folders;
  cuda::add_folder(folders, lib.parent_path() / "include");
  cuda::add_folder(folders, lib.parent_path().parent_path() / "include");
  for (const char* name : {"NVSHMEM_HOME", "NVSHMEM_PREFIX"})
    cuda::add_folder_below(folders, name, "include");
  for (const char* folder : {"/usr/include/nvshmem_13", "/usr/include/nvshmem_12", "/usr/include/nvshmem"})
    cuda::add_folder(folders, folder);
  for (const auto& folder : folders)
    if (is_file(folder / "nvshmem.h") && is_file(folder / "nvshmemx.h")) {
      look.found.include = folder.string();
      look.found.version = version_in(folder);
      return;
    }
  look.why_not += "No headers of NVSHMEM (nvshmem.h, nvshmemx.h) in " + join(folders, &fs::path::native) +
                  "; the Python package of NVSHMEM has them. ";
}

void find_device(const fs::path& lib, NvshmemToolchainSearch& look) {
  std::vector<fs::path> folders;
  cuda::add_folder(folders, lib);
  for (const char* name : {"NVSHMEM_HOME", "NVSHMEM_PREFIX"}) cuda::add_folder_below(folders, name, "lib");
  for (const auto& folder : folders)
    if (is_file(folder / kDevice)) {
      look.found.device = folder.string();
      return;
    }
  look.why_not += std::string("No ") + kDevice + " in " + join(folders, &fs::path::native) +
                  "; the Python package of NVSHMEM has it. ";
}

}  // namespace

cuda::LibrarySearch find_nvshmem(const std::string& wanted) {
  if (!wanted.empty()) return cuda::find_at(wanted, "--nvshmem", kLibrary);
  cuda::LibrarySearch found;
  cuda::SearchFolders folders;
  for (const char* name : {"NVSHMEM_HOME", "NVSHMEM_PREFIX"}) cuda::add_library_folders(folders, name);
  cuda::add_loader_folders(folders);
  cuda::add_python_folders(folders, {"nvidia/nvshmem/lib"});
  cuda::add_cuda_folders(folders);
  for (const char* folder : kPackaged) folders.push_back({folder, "package of the distribution"});
  cuda::find_in(folders, kLibrary, found);
  return found;
}

NvshmemToolchainSearch find_toolchain(const std::string& wanted) {
  NvshmemToolchainSearch look;
  const cuda::LibrarySearch library = find_nvshmem(wanted);
  look.how = library.how;
  if (library.path.empty()) {
    look.why_not = wanted.empty() ? "No NVSHMEM found: there is no libnvshmem_host.so.3 in " +
                                        cuda::describe_folders(library) + ". "
                                  : "There is no libnvshmem_host.so.3 at " + wanted + " (--nvshmem). ";
  } else {
    std::error_code failed;
    const fs::path resolved = fs::canonical(library.path, failed);
    look.found.library = failed ? library.path : resolved.string();
    const fs::path lib = fs::path(library.path).parent_path();
    find_headers(lib, look);
    find_device(lib, look);
  }
  const cuda::NvccSearch tools = cuda::find_nvcc(library.path, "the NVSHMEM library");
  look.found.nvcc = tools.nvcc;
  look.why_not += tools.why_not;
  if (!look.why_not.empty()) look.why_not.pop_back();
  return look;
}

std::string build_kernels(const NvshmemToolchain& tools, int capability,
                          const std::function<bool()>& cancelled) {
  cuda::NvccBuild build;
  build.what = "the kernels on NVSHMEM";
  build.name = "nvshmem";
  build.nvcc = tools.nvcc;
  build.source = kernels_source();
  build.capability = capability;
  build.key = {tools.version};
  const fs::path library = tools.library;
  // nvcc itself links NVSHMEM's device functions. The object names the library by its path and needs no
  // search path.
  build.options = {"-rdc=true",
                   "-isystem",
                   tools.include,
                   "-L" + tools.device,
                   "-lnvshmem_device",
                   "-L" + library.parent_path().string(),
                   "-l:" + library.filename().string(),
                   "-Xlinker",
                   "-rpath=" + library.parent_path().string()};
  build.cancelled = cancelled;
  return cuda::build_with_nvcc(build);
}

}  // namespace collbench::nvshmem
