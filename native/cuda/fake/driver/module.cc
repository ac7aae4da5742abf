#include "cuda/fake/driver/module.h"

#include <cstring>
#include <mutex>
#include <string_view>

#include "cuda/fake/driver/stream.h"
#include "cuda/fake/fake_cuda.h"
#include "cuda/fake/image.h"
#include "cuda/fake/registry.h"

namespace fakes = collbench::fakes;
using namespace collbench::cuda_fake;

FAKE_EXPORT int cuModuleLoadData(void** module, const void* image) {
  Device* device = nullptr;
  if (module == nullptr || image == nullptr) return kInvalidValue;
  if (const int result = require_context(device); result != kSuccess) return result;
  if (const int result = check_no_capture(); result != kSuccess) return result;
  const auto* text = static_cast<const char*>(image);
  if (std::strncmp(text, kImageTag, sizeof kImageTag - 1) != 0) return kInvalidImage;
  auto made = std::make_shared<Module>();
  made->device = device;
  for (std::string_view rest = text + sizeof kImageTag - 1; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    made->names.emplace(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  *module = fakes::Registry<Module>::instance().add(std::move(made));
  return kSuccess;
}

FAKE_EXPORT int cuModuleUnload(void* module) {
  Device* device = nullptr;
  if (const int result = require_any_context(device); result != kSuccess) return result;
  const auto taken = fakes::Registry<Module>::instance().take(module);
  if (taken == nullptr) return kInvalidHandle;
  for (void* function : taken->functions) fakes::Registry<Function>::instance().take(function);
  return kSuccess;
}

FAKE_EXPORT int cuModuleGetFunction(void** function, void* module, const char* name) {
  Device* device = nullptr;
  if (function == nullptr || name == nullptr) return kInvalidValue;
  if (const int result = require_context(device); result != kSuccess) return result;
  const auto found = fakes::Registry<Module>::instance().find(module);
  if (found == nullptr) return kInvalidHandle;
  const Kernel* kernel = find_kernel(name);
  if (kernel == nullptr || !found->names.contains(name)) return kNotFound;
  *function =
      fakes::Registry<Function>::instance().add(std::make_shared<Function>(Function{kernel, found->device}));
  found->functions.push_back(*function);
  return kSuccess;
}

FAKE_EXPORT int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared, void* handle, void** parameters,
                               void** extra) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  const auto found = fakes::Registry<Function>::instance().find(function);
  if (found == nullptr || found->device != stream->device) return kInvalidHandle;
  const Kernel* kernel = found->kernel;
  if (gx == 0 || bx == 0 || gy != 1 || gz != 1 || by != 1 || bz != 1 || bx > 1024 || shared > 48 << 10 ||
      extra != nullptr || (parameters == nullptr && !kernel->parameter_bytes.empty()))
    return kInvalidValue;
  Parameters copies;
  for (std::size_t i = 0; i < kernel->parameter_bytes.size(); ++i) {
    const auto* from = static_cast<const std::byte*>(parameters[i]);
    copies.emplace_back(from, from + kernel->parameter_bytes[i]);
  }
  return stream->enqueue([kernel, shape = LaunchShape{gx, bx}, copies = std::move(copies)] {
    return kernel->run(shape, copies);
  });
}
