// Modules and launches. Kernels are the device source (collectives/device/pattern_device.h) compiled for the
// host; one worker does the whole grid's work on the stream's thread.
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "collectives/device/pattern_device.h"
#include "cuda/fake/driver/memory.h"
#include "cuda/fake/driver/stream.h"
#include "cuda/fake/fake_cuda.h"
#include "cuda/fake/image.h"
#include "cuda/fake/registry.h"

using namespace collbench::cuda_fake;
namespace device = collbench::device;

namespace {

using device::PatternArgs;
using device::U64;

/// Kernel parameters, copied when the launch was queued, in the kernel's order.
using Parameters = std::vector<std::vector<std::byte>>;

template <typename Value>
Value parameter(const Parameters& parameters, std::size_t index) {
  Value value;
  std::memcpy(&value, parameters[index].data(), sizeof value);
  return value;
}

int run_fill(const Parameters& parameters) {
  const auto args = parameter<PatternArgs>(parameters, 0);
  auto* send = parameter<void*>(parameters, 1);
  const auto n = parameter<U64>(parameters, 2);
  if (!find_memory(send, n * args.width)) return kIllegalAddress;
  device::fill_share(args, send, n, 0, 1);
  return kSuccess;
}

int run_poison(const Parameters& parameters) {
  const auto args = parameter<PatternArgs>(parameters, 0);
  auto* recv = parameter<void*>(parameters, 1);
  const auto bytes = parameter<U64>(parameters, 2);
  if (!find_memory(recv, bytes)) return kIllegalAddress;
  device::poison_share(args, recv, bytes, 0, 1);
  return kSuccess;
}

int run_verify(const Parameters& parameters) {
  const auto args = parameter<PatternArgs>(parameters, 0);
  const auto* recv = parameter<const void*>(parameters, 1);
  const auto n = parameter<U64>(parameters, 2);
  auto* result = parameter<U64*>(parameters, 3);
  if (!find_memory(recv, n * args.width) || !find_memory(result, 4 * sizeof *result)) return kIllegalAddress;
  const device::WrongElements wrong = device::verify_share(args, recv, n, 0, 1);
  result[0] += wrong.count;
  if (wrong.first < result[1]) result[1] = wrong.first;
  return kSuccess;
}

/// Runs the kernel collbench_hold: polls its flag every 20 us until it has the wanted value. After the
/// timeout it ends too and sets `gave_up` to 1.
int run_hold(const Parameters& parameters) {
  auto* flag = parameter<unsigned*>(parameters, 0);
  const auto wanted = parameter<unsigned>(parameters, 1);
  auto* gave_up = parameter<unsigned*>(parameters, 2);
  const std::chrono::nanoseconds timeout(parameter<U64>(parameters, 3));
  if (!find_memory(flag, sizeof *flag) || !find_memory(gave_up, sizeof *gave_up)) return kIllegalAddress;
  const auto begin = std::chrono::steady_clock::now();
  while (std::atomic_ref<unsigned>(*flag).load(std::memory_order_acquire) < wanted) {
    if (std::chrono::steady_clock::now() - begin > timeout) {
      std::atomic_ref<unsigned>(*gave_up).store(1, std::memory_order_release);
      break;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  return kSuccess;
}

struct Kernel {
  std::vector<std::size_t> parameter_bytes;
  /// Runs the kernel for its whole grid. @returns a CUresult; kIllegalAddress if a pointer is in no
  /// allocation
  int (*run)(const Parameters& parameters);
};
/// Kernels in the order of kKernelNames.
const Kernel kKernels[] = {{{sizeof(PatternArgs), 8, 8}, run_fill},
                           {{sizeof(PatternArgs), 8, 8}, run_poison},
                           {{sizeof(PatternArgs), 8, 8, 8}, run_verify},
                           {{8, 4, 8, 8}, run_hold}};
static_assert(std::size(kKernels) == std::size(kKernelNames));

struct Module {};
using Modules = collbench::fakes::Registry<Module>;

const Kernel* kernel_of(const void* function) {
  for (const Kernel& kernel : kKernels)
    if (&kernel == function) return &kernel;
  return nullptr;
}

}  // namespace

int collbench::cuda_fake::live_modules() { return Modules::size(); }

FAKE_EXPORT int cuModuleLoadData(void** module, const void* image) {
  FakeDevice* device = nullptr;
  if (const int result = require_context(device); result != kSuccess) return result;
  if (std::strcmp(static_cast<const char*>(image), kImage) != 0) return kInvalidImage;
  *module = Modules::add(std::make_shared<Module>());
  return kSuccess;
}

FAKE_EXPORT int cuModuleUnload(void* module) {
  return Modules::take(module) == nullptr ? kInvalidHandle : kSuccess;
}

FAKE_EXPORT int cuModuleGetFunction(const void** function, void* module, const char* name) {
  if (Modules::find(module) == nullptr) return kInvalidHandle;
  for (std::size_t i = 0; i < std::size(kKernelNames); ++i)
    if (std::strcmp(name, kKernelNames[i]) == 0) {
      *function = &kKernels[i];
      return kSuccess;
    }
  return kNotFound;
}

FAKE_EXPORT int cuLaunchKernel(void* function, unsigned gx, unsigned /*gy*/, unsigned /*gz*/, unsigned bx,
                               unsigned /*by*/, unsigned /*bz*/, unsigned /*shared*/, void* handle,
                               void** parameters, void** /*extra*/) {
  constexpr unsigned kMaxThreads = 1024;
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  const Kernel* kernel = kernel_of(function);
  if (kernel == nullptr) return kInvalidHandle;
  if (gx == 0 || bx == 0 || bx > kMaxThreads) return kInvalidValue;
  Parameters copies;
  for (std::size_t i = 0; i < kernel->parameter_bytes.size(); ++i) {
    const auto* from = static_cast<const std::byte*>(parameters[i]);
    copies.emplace_back(from, from + kernel->parameter_bytes[i]);
  }
  return stream->enqueue([kernel, copies = std::move(copies)] { return kernel->run(copies); });
}
