#include "cuda/nvrtc_api.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "core/environment.h"
#include "core/error.h"
#include "core/shared_object.h"
#include "cuda/search.h"

namespace collbench::cuda {
namespace {

struct OpenedCompiler {
  std::optional<NvrtcApi> api;
  std::string why;
};

OpenedCompiler open(int cuda_major) {
  OpenedCompiler opened;
  std::string path = environment_value("COLLBENCH_NVRTC_LIBRARY");
  if (path.empty()) {
    const LibrarySearch found = find_nvrtc(cuda_major);
    path = found.path;
    if (path.empty()) {
      opened.why = "No libnvrtc for CUDA " + std::to_string(cuda_major) + " or older in " +
                   describe_folders(found) + ".";
      return opened;
    }
  }
  std::string why;
  void* handle = open_shared(path, why);
  if (handle == nullptr) {
    opened.why = path + " cannot be loaded: " + why + ".";
    return opened;
  }
  NvrtcApi api;
  api.path = file_of(handle);
  std::string missing;
#define NVRTC_FUNCTION(name, symbol, parameters) \
  if (!bind(api.name, handle, symbol)) missing += missing.empty() ? symbol : ", " symbol;
#include "cuda/nvrtc_functions.def"
#undef NVRTC_FUNCTION
  bind(api.error_string, handle, "nvrtcGetErrorString");
  if (!missing.empty())
    opened.why = api.path + " lacks " + missing + ": it is older than CUDA 11.1.";
  else if (const int result = api.version(&api.major, &api.minor); result != 0)
    opened.why = api.path + ": nvrtcVersion failed (" + std::to_string(result) + ").";
  else
    opened.api = std::move(api);
  return opened;
}

/// Owns an NVRTC program object (nvrtcProgram).
class Program {
 public:
  Program(const NvrtcApi& nvrtc, const char* source) : nvrtc_(nvrtc) {
    if (nvrtc_.create(&program_, source, "collbench.cu", 0, nullptr, nullptr) != 0)
      throw Error(ErrorCode::kUnavailable, "NVRTC cannot make a program");
  }
  ~Program() { nvrtc_.destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  std::vector<char> compile(int capability) {
    const std::string architecture = "--gpu-architecture=sm_" + std::to_string(capability);
    const char* options[] = {architecture.c_str(), "--std=c++17", "-default-device"};
    if (nvrtc_.compile(program_, 3, options) != 0)
      throw Error(ErrorCode::kUnavailable,
                  "NVRTC cannot compile our kernels for " + architecture + ": " + log());
    std::size_t bytes = 0;
    std::vector<char> image;
    if (nvrtc_.image_size(program_, &bytes) == 0) image.resize(bytes);
    if (image.empty() || nvrtc_.image(program_, image.data()) != 0)
      throw Error(ErrorCode::kUnavailable, "NVRTC gives no image of our kernels");
    return image;
  }

 private:
  std::string log() const {
    std::size_t bytes = 0;
    if (nvrtc_.log_size(program_, &bytes) != 0 || bytes == 0) return "no log";
    std::string text(bytes, '\0');
    nvrtc_.log(program_, text.data());
    return text.substr(0, std::min<std::size_t>(1000, text.find('\0')));
  }
  const NvrtcApi& nvrtc_;
  void* program_ = nullptr;
};

}  // namespace

void NvrtcApi::check(int result, const char* what) const {
  if (result == 0) [[likely]]
    return;
  const char* text = error_string != nullptr ? error_string(result) : "NVRTC error";
  throw Error(ErrorCode::kUnavailable,
              std::string(what) + " failed with " + text + " (" + std::to_string(result) + ")");
}

const NvrtcApi* open_nvrtc(int cuda_major, std::string* why_not) {
  static const OpenedCompiler opened = open(cuda_major);
  if (opened.api) return &*opened.api;
  if (why_not != nullptr) *why_not = opened.why;
  return nullptr;
}

std::vector<char> compile(const NvrtcApi& nvrtc, const char* source, int capability) {
  return Program(nvrtc, source).compile(capability);
}

}  // namespace collbench::cuda
