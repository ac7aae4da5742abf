#include "net_plugin/gin/gpu_memory.h"

#include <dlfcn.h>

#include <cstring>
#include <mutex>
#include <string>

#include "core/error.h"
#include "core/spin.h"

namespace collbench::net_plugin::gin {
namespace {

constexpr int kSuccess = 0, kNotReady = 600;
constexpr int kDeviceOrdinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
constexpr int kAlreadyRegistered = 712;
constexpr unsigned kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING: beside kernels that wait for this copy
constexpr unsigned kPortable = 1;     // CU_MEMHOSTREGISTER_PORTABLE

struct Driver {
  int (*pointer_attribute)(void* value, int attribute, std::uint64_t address) = nullptr;
  int (*retain)(void** context, int device) = nullptr;
  int (*current)(void** context) = nullptr;
  int (*use)(void* context) = nullptr;
  int (*stream_create)(void** stream, unsigned flags) = nullptr;
  int (*stream_destroy)(void* stream) = nullptr;
  int (*stream_query)(void* stream) = nullptr;
  int (*copy)(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) = nullptr;
  int (*host_register)(void* memory, std::size_t bytes, unsigned flags) = nullptr;
  bool is_whole = false;
};

const Driver* driver() {
  static std::mutex mutex;
  static Driver found;
  const std::lock_guard lock(mutex);
  if (found.is_whole) return &found;
  void* handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  const auto bind = [handle](auto& function, const char* name) {
    void* symbol = dlsym(handle, name);
    std::memcpy(&function, &symbol, sizeof symbol);
    return symbol != nullptr;
  };
  found.is_whole = bind(found.pointer_attribute, "cuPointerGetAttribute") &&
                   bind(found.retain, "cuDevicePrimaryCtxRetain") && bind(found.current, "cuCtxGetCurrent") &&
                   bind(found.use, "cuCtxSetCurrent") && bind(found.stream_create, "cuStreamCreate") &&
                   bind(found.stream_destroy, "cuStreamDestroy_v2") &&
                   bind(found.stream_query, "cuStreamQuery") && bind(found.copy, "cuMemcpyAsync") &&
                   bind(found.host_register, "cuMemHostRegister_v2");
  return found.is_whole ? &found : nullptr;
}

/// The lane's context for the length of a scope.
class Using {
 public:
  Using(const Driver& cuda, void* context) : cuda_(cuda), context_(context) {
    cuda_.current(&before_);
    if (before_ != context_) cuda_.use(context_);
  }
  ~Using() {
    if (before_ != context_) cuda_.use(before_);
  }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;

 private:
  const Driver& cuda_;
  void* context_;
  void* before_ = nullptr;
};

void check(int result, const char* call) {
  if (result != kSuccess)
    throw Error(ErrorCode::kInternal,
                std::string(call) + " failed with CUDA error " + std::to_string(result));
}

std::uint64_t address(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

}  // namespace

std::unique_ptr<GpuLane> GpuLane::of_current_context() {
  const Driver* cuda = driver();
  void* context = nullptr;
  if (cuda == nullptr || cuda->current(&context) != kSuccess || context == nullptr) return nullptr;
  return std::unique_ptr<GpuLane>(new GpuLane(context));
}

std::unique_ptr<GpuLane> GpuLane::of_memory(const void* memory) {
  const Driver* cuda = driver();
  void* context = nullptr;
  int device = 0;
  if (cuda == nullptr || cuda->pointer_attribute(&device, kDeviceOrdinal, address(memory)) != kSuccess ||
      cuda->retain(&context, device) != kSuccess)
    return nullptr;
  return std::unique_ptr<GpuLane>(new GpuLane(context));
}

GpuLane::GpuLane(void* context) : context_(context) {
  const Using use(*driver(), context_);
  check(driver()->stream_create(&stream_, kNonBlocking), "cuStreamCreate");
}

GpuLane::~GpuLane() {
  const Using use(*driver(), context_);
  driver()->stream_destroy(stream_);
}

void GpuLane::copy(void* to, const void* from, std::size_t bytes) {
  const Using use(*driver(), context_);
  check(driver()->copy(address(to), address(from), bytes, stream_), "cuMemcpyAsync");
}

void GpuLane::finish() {
  const Using use(*driver(), context_);
  int result = kNotReady;
  while ((result = driver()->stream_query(stream_)) == kNotReady) cpu_relax();
  check(result, "a copy between host and GPU");
}

bool GpuLane::pin(void* memory, std::size_t bytes) {
  const Using use(*driver(), context_);
  const int result = driver()->host_register(memory, bytes, kPortable);
  return result == kSuccess || result == kAlreadyRegistered;
}

}  // namespace collbench::net_plugin::gin
