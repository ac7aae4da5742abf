#include "net_plugin/gin/gpu_memory.h"

#include <string>

#include "core/error.h"
#include "core/loaded_cuda.h"
#include "core/spin.h"

namespace collbench::net_plugin::gin {
namespace {

constexpr int kSuccess = 0, kNotReady = 600;
constexpr int kDeviceOrdinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
constexpr int kAlreadyRegistered = 712;
constexpr unsigned kNonBlocking = 1;  // CU_STREAM_NON_BLOCKING, to run beside kernels that wait for this copy
constexpr unsigned kPortable = 1;     // CU_MEMHOSTREGISTER_PORTABLE

/// Makes a CUDA context current in this thread, and restores the previous one at the end of the scope.
class ContextScope {
 public:
  ContextScope(const LoadedCuda& cuda, void* context) : cuda_(cuda), context_(context) {
    cuda_.current(&before_);
    if (before_ != context_) cuda_.use(context_);
  }
  ~ContextScope() {
    if (before_ != context_) cuda_.use(before_);
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const LoadedCuda& cuda_;
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

std::unique_ptr<GpuCopyStream> GpuCopyStream::of_current_context() {
  const LoadedCuda* cuda = loaded_cuda();
  void* context = nullptr;
  if (cuda == nullptr || cuda->current(&context) != kSuccess || context == nullptr) return nullptr;
  return std::unique_ptr<GpuCopyStream>(new GpuCopyStream(context));
}

std::unique_ptr<GpuCopyStream> GpuCopyStream::of_memory(const void* memory) {
  const LoadedCuda* cuda = loaded_cuda();
  void* context = nullptr;
  int device = 0;
  if (cuda == nullptr || cuda->pointer_attribute(&device, kDeviceOrdinal, address(memory)) != kSuccess ||
      cuda->retain(&context, device) != kSuccess)
    return nullptr;
  return std::unique_ptr<GpuCopyStream>(new GpuCopyStream(context));
}

GpuCopyStream::GpuCopyStream(void* context) : context_(context) {
  const ContextScope use(*loaded_cuda(), context_);
  check(loaded_cuda()->stream_create(&stream_, kNonBlocking), "cuStreamCreate");
}

GpuCopyStream::~GpuCopyStream() {
  const ContextScope use(*loaded_cuda(), context_);
  loaded_cuda()->stream_destroy(stream_);
}

void GpuCopyStream::copy(void* to, const void* from, std::size_t bytes) {
  const ContextScope use(*loaded_cuda(), context_);
  check(loaded_cuda()->copy(address(to), address(from), bytes, stream_), "cuMemcpyAsync");
}

void GpuCopyStream::finish() {
  const ContextScope use(*loaded_cuda(), context_);
  int result = kNotReady;
  while ((result = loaded_cuda()->stream_query(stream_)) == kNotReady) cpu_relax();
  check(result, "a copy between host and GPU");
}

bool GpuCopyStream::pin(void* memory, std::size_t bytes) {
  const ContextScope use(*loaded_cuda(), context_);
  const int result = loaded_cuda()->host_register(memory, bytes, kPortable);
  return result == kSuccess || result == kAlreadyRegistered;
}

}  // namespace collbench::net_plugin::gin
