#include "cuda/fake/tests/device.h"

#include <cstdio>
#include <cstdlib>

#include "core/shared_object.h"

namespace fake_test {

using collbench::cuda::DriverApi;
using collbench::cuda::NvrtcApi;

const DriverApi& cuda() {
  static const DriverApi* const opened = [] {
    setenv("COLLBENCH_CUDA_LIBRARY", FAKE_CUDA, 1);
    const DriverApi& driver = collbench::cuda::require_driver();
    must(driver.init(0), "cuInit");
    return &driver;
  }();
  return *opened;
}

const NvrtcApi& nvrtc() {
  setenv("COLLBENCH_NVRTC_LIBRARY", FAKE_NVRTC, 1);
  std::string why_not;
  const NvrtcApi* opened = collbench::cuda::open_nvrtc(13, &why_not);
  if (opened == nullptr) must(1, why_not.c_str());
  return *opened;
}

CudaFakeLive live() {
  std::string why;
  CudaFakeLive (*count)() = nullptr;
  collbench::bind(count, collbench::open_shared(FAKE_CUDA, why), "cudaFakeLive");
  return count();
}

Variable::Variable(const char* name, const std::string& value) : name_(name) {
  setenv(name, value.c_str(), 1);
}
Variable::~Variable() { unsetenv(name_); }

void must(int result, const char* what) {
  if (result == 0) return;
  std::fprintf(stderr, "%s: %d\n", what, result);
  std::abort();
}

OnDevice::OnDevice(int device) : device_(device) {
  void* context = nullptr;
  must(cuda().context_retain(&context, device_), "cuDevicePrimaryCtxRetain");
  must(cuda().context_use(context), "cuCtxSetCurrent");
  must(cuda().stream_create(&stream, 1), "cuStreamCreate");
}

OnDevice::~OnDevice() {
  cuda().stream_destroy(stream);
  for (const std::uint64_t at : memory_) cuda().free(at);
  cuda().context_release(device_);
}

void* OnDevice::memory(std::size_t bytes) {
  std::uint64_t at = 0;
  must(cuda().allocate(&at, bytes), "cuMemAlloc");
  memory_.push_back(at);
  return reinterpret_cast<void*>(at);
}

void OnDevice::copy_in(void* at, const void* from, std::size_t bytes) const {
  must(cuda().copy_to_device(reinterpret_cast<std::uint64_t>(at), from, bytes, stream), "copy");
}

void OnDevice::copy_out(void* to, const void* at, std::size_t bytes) const {
  must(cuda().copy_to_host(to, reinterpret_cast<std::uint64_t>(at), bytes, stream), "copy");
  must(drain(), "cuStreamSynchronize");
}

int OnDevice::drain() const { return cuda().stream_synchronize(stream); }

}  // namespace fake_test
