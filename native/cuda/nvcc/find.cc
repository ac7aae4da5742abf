#include "cuda/nvcc/find.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace collbench::cuda {
namespace {

namespace fs = std::filesystem;

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_program(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed) && access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> program_folders() {
  std::vector<fs::path> folders;
  const std::string path = environment_value("PATH");
  for (std::size_t begin = 0; begin < path.size();) {
    const auto end = std::min(path.find(':', begin), path.size());
    if (end > begin) add_folder(folders, path.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

/// Adds the folders with nvcc in CUDA packages next to a library site-packages/nvidia/NAME/lib/libNAME.so.2.
/// From CUDA 13 on, nvcc is in site-packages/nvidia/cu13/bin.
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
  const auto folders = program_folders();
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

bool is_file(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

std::string listed(const std::vector<fs::path>& folders) {
  std::string text;
  for (const auto& folder : folders) text += (text.empty() ? "" : ", ") + folder.string();
  return text;
}

NvccSearch find_nvcc(const fs::path& library, const std::string& beside) {
  NvccSearch look;
  std::vector<fs::path> folders;
  add_folder_below(folders, "CUDA_HOME", "bin");
  add_folder_below(folders, "CUDA_PATH", "bin");
  for (const auto& folder : program_folders()) add_folder(folders, folder);
  add_folder(folders, "/usr/local/cuda/bin");
  add_packages(folders, library);
  const auto has = std::find_if(folders.begin(), folders.end(),
                                [](const fs::path& folder) { return is_program(folder / "nvcc"); });
  if (has != folders.end())
    look.nvcc = (*has / "nvcc").string();
  else
    look.why_not += "No nvcc in $CUDA_HOME/bin, in PATH, in /usr/local/cuda/bin or beside " + beside +
                    "; it comes with the CUDA toolkit. ";
  if (!has_host_compiler())
    look.why_not +=
        "No g++ in PATH, which nvcc needs; install it, or name another compiler with NVCC_CCBIN. ";
  return look;
}

}  // namespace collbench::cuda
