#include "engines/nccl/device_api/toolchain.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

namespace collbench::nccl {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstWithDeviceApi = 22803;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

bool is_program(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed) && access(path.c_str(), X_OK) == 0;
}

bool is_file(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

void add(std::vector<fs::path>& folders, const fs::path& folder) {
  if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
}

void add_below(std::vector<fs::path>& folders, const char* name, const char* below) {
  if (const auto root = variable(name); !root.empty()) add(folders, fs::path(root) / below);
}

std::vector<fs::path> program_folders() {
  std::vector<fs::path> folders;
  const std::string path = variable("PATH");
  for (std::size_t begin = 0; begin < path.size();) {
    const auto end = std::min(path.find(':', begin), path.size());
    if (end > begin) add(folders, path.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

std::string listed(const std::vector<fs::path>& folders) {
  std::string text;
  for (const auto& folder : folders) text += (text.empty() ? "" : ", ") + folder.string();
  return text;
}

/// 22809 to "2.28.9".
std::string version_text(int code) {
  return std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) + "." +
         std::to_string(code % 100);
}

/// NCCL_VERSION_CODE of a nccl.h; 0 = there is none in it.
int version_of(const fs::path& header) {
  std::ifstream file(header);
  constexpr std::string_view kDefine = "#define NCCL_VERSION_CODE ";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kDefine)) return std::atoi(line.c_str() + kDefine.size());
  return 0;
}

/// site-packages/nvidia/nccl/lib/libnccl.so.2: nvcc is in site-packages/nvidia/cu13/bin, from CUDA 13 on.
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
  for (const auto& folder : found) add(folders, folder);
}

void find_nvcc(const fs::path& library, ToolchainLook& look) {
  std::vector<fs::path> folders;
  add_below(folders, "CUDA_HOME", "bin");
  add_below(folders, "CUDA_PATH", "bin");
  for (const auto& folder : program_folders()) add(folders, folder);
  add(folders, "/usr/local/cuda/bin");
  add_packages(folders, library);
  for (const auto& folder : folders)
    if (is_program(folder / "nvcc")) {
      look.found.nvcc = (folder / "nvcc").string();
      return;
    }
  look.why_not +=
      "No nvcc in $CUDA_HOME/bin, in PATH, in /usr/local/cuda/bin or beside the NCCL library; it comes with "
      "the CUDA "
      "toolkit. ";
}

void find_host_compiler(ToolchainLook& look) {
  if (!variable("NVCC_CCBIN").empty()) return;
  for (const auto& folder : program_folders())
    if (is_program(folder / "g++")) return;
  look.why_not += "No g++ in PATH, which nvcc needs; install it, or name another compiler with NVCC_CCBIN. ";
}

void find_headers(const fs::path& library, int nccl_version, ToolchainLook& look) {
  std::vector<fs::path> folders;
  const fs::path lib = library.parent_path();
  add(folders, lib.parent_path() / "include");
  add(folders, lib.parent_path().parent_path() / "include");
  for (const char* name : {"NCCL_HOME", "CUDA_HOME", "CUDA_PATH"}) add_below(folders, name, "include");
  add(folders, "/usr/local/cuda/include");
  add(folders, "/usr/include");
  std::string others;
  for (const auto& folder : folders) {
    if (!is_file(folder / "nccl.h")) continue;
    const int version = version_of(folder / "nccl.h");
    if (version == nccl_version && is_file(folder / "nccl_device.h")) {
      look.found.include = folder.string();
      return;
    }
    others +=
        (others.empty() ? "" : ", ") + folder.string() + " has " +
        (version == nccl_version ? "nccl.h without nccl_device.h" : "those of " + version_text(version));
  }
  const std::string wanted = version_text(nccl_version);
  look.why_not += others.empty() ? "No headers of NCCL (nccl.h, nccl_device.h) in " + listed(folders) +
                                       "; the Python package of NCCL has them, or libnccl-dev. "
                                 : "The library is NCCL " + wanted +
                                       " and wants the headers of that release: " + others + ". ";
}

}  // namespace

ToolchainLook find_toolchain(const std::string& nccl_path, int nccl_version) {
  ToolchainLook look;
  if (nccl_version < kFirstWithDeviceApi) {
    look.why_not = "NCCL " + version_text(nccl_version) + " has no device API; 2.28.3 and newer have.";
    return look;
  }
  find_nvcc(nccl_path, look);
  find_host_compiler(look);
  find_headers(nccl_path, nccl_version, look);
  if (!look.why_not.empty()) look.why_not.pop_back();
  return look;
}

}  // namespace collbench::nccl
