#include "cuda/nvcc/find.h"

#include <algorithm>
#include <cctype>

#include "core/environment.h"

namespace collbench::cuda {
namespace {

namespace fs = std::filesystem;

/// Adds the folders site-packages/nvidia/cuNN/bin (NN = CUDA version, newest first), for a library
/// site-packages/nvidia/NAME/lib/libNAME.so.2. Since CUDA 13 a Python package may have nvcc in such a folder.
void add_packages(std::vector<fs::path>& folders, const fs::path& library) {
  const fs::path vendor = library.parent_path().parent_path().parent_path();
  if (vendor.filename() != "nvidia") return;
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::directory_iterator entry(vendor, failed), end; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (name.size() > 2 && name.starts_with("cu") && std::isdigit(static_cast<unsigned char>(name[2])) != 0)
      found.push_back(entry->path() / "bin");
  }
  std::sort(found.rbegin(), found.rend());
  for (const auto& folder : found) add_folder(folders, folder);
}

bool has_host_compiler() {
  if (!environment_value("NVCC_CCBIN").empty()) return true;
  const auto folders = folders_in("PATH");
  return std::any_of(folders.begin(), folders.end(),
                     [](const fs::path& folder) { return is_program(folder / "g++"); });
}

}  // namespace

void add_folder(std::vector<fs::path>& folders, const fs::path& folder) {
  if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
}

void add_folder_below(std::vector<fs::path>& folders, const char* name, const char* below) {
  if (const auto root = environment_value(name); !root.empty()) add_folder(folders, fs::path(root) / below);
}

NvccSearch find_nvcc(const fs::path& library, const std::string& beside) {
  NvccSearch look;
  std::vector<fs::path> folders;
  add_folder_below(folders, "CUDA_HOME", "bin");
  add_folder_below(folders, "CUDA_PATH", "bin");
  for (const auto& folder : folders_in("PATH")) add_folder(folders, folder);
  add_folder(folders, "/usr/local/cuda/bin");
  add_packages(folders, library);
  const auto has = std::find_if(folders.begin(), folders.end(),
                                [](const fs::path& folder) { return is_program(folder / "nvcc"); });
  if (has != folders.end())
    look.nvcc = (*has / "nvcc").string();
  else
    look.why_not +=
        "No nvcc in $CUDA_HOME/bin, in $CUDA_PATH/bin, in PATH, in /usr/local/cuda/bin or beside " + beside +
        "; it comes with the CUDA toolkit. ";
  if (!has_host_compiler())
    look.why_not +=
        "No g++ in PATH, which nvcc needs; install it, or name another compiler with NVCC_CCBIN. ";
  return look;
}

}  // namespace collbench::cuda
