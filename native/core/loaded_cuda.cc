#include "core/loaded_cuda.h"

#include <dlfcn.h>

#include <cstring>
#include <mutex>

namespace collbench {

const LoadedCuda* loaded_cuda() {
  static std::mutex mutex;
  static LoadedCuda found;
  static bool is_whole = false;
  const std::lock_guard lock(mutex);
  if (is_whole) return &found;
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  const auto bind = [handle](auto& function, const char* name) {
    void* symbol = dlsym(handle, name);
    std::memcpy(&function, &symbol, sizeof symbol);
    return symbol != nullptr;
  };
  is_whole = bind(found.pointer_attribute, "cuPointerGetAttribute") &&
             bind(found.retain, "cuDevicePrimaryCtxRetain") && bind(found.current, "cuCtxGetCurrent") &&
             bind(found.use, "cuCtxSetCurrent") && bind(found.stream_create, "cuStreamCreate") &&
             bind(found.stream_destroy, "cuStreamDestroy_v2") && bind(found.stream_query, "cuStreamQuery") &&
             bind(found.copy, "cuMemcpyAsync") && bind(found.host_register, "cuMemHostRegister_v2");
  return is_whole ? &found : nullptr;
}

}  // namespace collbench
