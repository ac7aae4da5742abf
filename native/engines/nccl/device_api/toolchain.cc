#include "engines/nccl/device_api/toolchain.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "core/environment.h"
#include "core/text.h"
#include "cuda/nvcc/build.h"
#include "cuda/nvcc/find.h"

namespace collbench::nccl {
namespace {

namespace fs = std::filesystem;

constexpr int kFirstWithDeviceApi = 22803;

/// Converts 22809 to "2.28.9".
std::string version_text(int code) {
  return std::to_string(code / 10000) + "." + std::to_string(code / 100 % 100) + "." +
         std::to_string(code % 100);
}

/// Returns NCCL_VERSION_CODE of an nccl.h; 0 = it has none.
int version_of(const fs::path& header) {
  std::ifstream file(header);
  constexpr std::string_view kDefine = "#define NCCL_VERSION_CODE ";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kDefine)) return std::atoi(line.c_str() + kDefine.size());
  return 0;
}

void find_headers(const fs::path& library, int nccl_version, DeviceApiToolchainSearch& look) {
  std::vector<fs::path> folders;
  const fs::path lib = library.parent_path();
  cuda::add_folder(folders, lib.parent_path() / "include");
  cuda::add_folder(folders, lib.parent_path().parent_path() / "include");
  for (const char* name : {"NCCL_HOME", "CUDA_HOME", "CUDA_PATH"})
    cuda::add_folder_below(folders, name, "include");
  cuda::add_folder(folders, "/usr/local/cuda/include");
  cuda::add_folder(folders, "/usr/include");
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
  look.why_not +=
      others.empty()
          ? "No headers of NCCL (nccl.h, nccl_device.h) in " + join(folders, &fs::path::native) +
                "; the Python package of NCCL has them, or libnccl-dev. "
          : "The library is NCCL " + wanted + " and wants the headers of that release: " + others + ". ";
}

}  // namespace

DeviceApiToolchainSearch find_toolchain(const std::string& nccl_path, int nccl_version) {
  DeviceApiToolchainSearch look;
  if (nccl_version < kFirstWithDeviceApi) {
    look.why_not = "NCCL " + version_text(nccl_version) + " has no device API; 2.28.3 and newer have.";
    return look;
  }
  const cuda::NvccSearch tools = cuda::find_nvcc(nccl_path, "the NCCL library");
  look.found.nvcc = tools.nvcc;
  look.why_not = tools.why_not;
  find_headers(nccl_path, nccl_version, look);
  if (!look.why_not.empty()) look.why_not.pop_back();
  return look;
}

std::string build_device_api(const DeviceApiBuild& build) {
  cuda::NvccBuild wanted;
  wanted.what = "the kernels on NCCL's device API";
  wanted.name = "device-api";
  wanted.nvcc = build.tools.nvcc;
  wanted.source = build.source;
  wanted.capability = build.capability;
  wanted.key = {std::to_string(build.nccl_version), build.tools.include};
  // Declaring it as a system folder would hide it from the C++ library's own headers.
  if (build.tools.include != "/usr/include") wanted.options = {"-isystem", build.tools.include};
  wanted.cancelled = build.cancelled;
  return cuda::build_with_nvcc(wanted);
}

}  // namespace collbench::nccl
