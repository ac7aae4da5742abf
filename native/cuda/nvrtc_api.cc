#include "cuda/nvrtc_api.h"

#include <cstdlib>
#include <optional>

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
  const char* wanted = std::getenv("COLLBENCH_NVRTC_LIBRARY");
  std::string path = wanted != nullptr ? wanted : "";
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

}  // namespace collbench::cuda
