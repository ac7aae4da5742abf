#include "cuda/driver_api.h"

#include <cstdlib>
#include <optional>

#include "core/environment.h"
#include "core/error.h"
#include "core/shared_object.h"

namespace collbench::cuda {
namespace {

struct OpenedDriver {
  std::optional<DriverApi> api;
  std::string why;
};

OpenedDriver open() {
  OpenedDriver opened;
  const std::string path = environment_value("COLLBENCH_CUDA_LIBRARY", "libcuda.so.1");
  std::string why;
  void* handle = open_shared(path, why);
  if (handle == nullptr) {
    opened.why = "There is no NVIDIA GPU with its driver: " + path + " cannot be loaded (" + why + ").";
    return opened;
  }
  DriverApi api;
  api.path = file_of(handle);
  api.fake = symbol_of(handle, "cudaFakeLive") != nullptr;
  std::string missing;
#define CUDA_FUNCTION(name, symbol, parameters) \
  if (!bind(api.name, handle, symbol)) missing += missing.empty() ? symbol : ", " symbol;
#define CUDA_OPTIONAL(name, symbol, parameters) static_cast<void>(bind(api.name, handle, symbol));
#include "cuda/driver_functions.def"
#undef CUDA_OPTIONAL
#undef CUDA_FUNCTION
  if (missing.empty())
    opened.api = std::move(api);
  else
    opened.why =
        "The CUDA driver library " + api.path + " lacks " + missing + ": it is older than CUDA 11.4.";
  return opened;
}

}  // namespace

void DriverApi::check(int result, const char* what) const {
  if (result == kCudaSuccess) [[likely]]
    return;
  const char* text = nullptr;
  if (error_name(result, &text) != kCudaSuccess || text == nullptr) text = "an unknown CUDA error";
  throw Error(ErrorCode::kUnavailable,
              std::string(what) + " failed with " + text + " (" + std::to_string(result) + ")");
}

const DriverApi* open_driver(std::string* why_not) {
  static const OpenedDriver opened = open();
  if (opened.api) return &*opened.api;
  if (why_not != nullptr) *why_not = opened.why;
  return nullptr;
}

const DriverApi& require_driver() {
  std::string why_not;
  if (const DriverApi* driver = open_driver(&why_not)) return *driver;
  throw Error(ErrorCode::kUnavailable, why_not);
}

}  // namespace collbench::cuda
