// What a device says of itself.
#include <cstdio>
#include <map>

#include "cuda/fake/driver/device.h"
#include "cuda/fake/fake_cuda.h"

using namespace collbench::cuda_fake;

namespace {

int find_device(int ordinal, Device*& device) {
  const auto& all = devices();
  if (all.empty()) return kNotInitialized;
  if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= all.size()) return kInvalidDevice;
  device = all[static_cast<std::size_t>(ordinal)];
  return kSuccess;
}

/// CUdevice_attribute values of a device of capability 9.0; all others are 0.
const std::map<int, int> kAttributes = {
    {1, 1024},                 // threads per block
    {10, 32},                  // warp
    {13, 1'980'000},           // clock, kHz
    {16, 132},                 // multiprocessors
    {36, 2'619'000},           // memory clock, kHz
    {37, 6144},                // memory bus, bits
    {38, 50 << 20},            // level 2 cache, bytes
    {39, 2048},                // threads per multiprocessor
    {41, 1},                   // unified addressing
    {75, 9},         {76, 0},  // compute capability
    {102, 1},                  // virtual memory management
};
constexpr int kPciBus = 33, kLastAttribute = 160;

}  // namespace

namespace collbench::cuda_fake {

const char* name_of_result(int result) {
  static const std::map<int, const char*> names = {
      {kSuccess, "CUDA_SUCCESS"},
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED"},
      {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
      {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE"},
      {kInvalidImage, "CUDA_ERROR_INVALID_IMAGE"},
      {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
      {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
      {kIllegalState, "CUDA_ERROR_ILLEGAL_STATE"},
      {kNotFound, "CUDA_ERROR_NOT_FOUND"},
      {kNotReady, "CUDA_ERROR_NOT_READY"},
      {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {kContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
      {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"},
      {kCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
      {kCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
      {kCaptureWrongThread, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
  };
  const auto at = names.find(result);
  return at == names.end() ? nullptr : at->second;
}

}  // namespace collbench::cuda_fake

FAKE_EXPORT int cuGetErrorName(int result, const char** text) {
  if (text == nullptr) return kInvalidValue;
  *text = name_of_result(result);
  return *text == nullptr ? kInvalidValue : kSuccess;
}

FAKE_EXPORT int cuDeviceGetName(char* name, int bytes, int ordinal) {
  Device* device = nullptr;
  if (name == nullptr || bytes <= 0) return kInvalidValue;
  if (const int result = find_device(ordinal, device); result != kSuccess) return result;
  std::snprintf(name, static_cast<std::size_t>(bytes), "%s", kDeviceName);
  return kSuccess;
}

FAKE_EXPORT int cuDeviceGetAttribute(int* value, int attribute, int ordinal) {
  Device* device = nullptr;
  if (value == nullptr || attribute <= 0 || attribute > kLastAttribute) return kInvalidValue;
  if (const int result = find_device(ordinal, device); result != kSuccess) return result;
  const auto at = kAttributes.find(attribute);
  *value = at == kAttributes.end() ? 0 : at->second;
  if (attribute == kPciBus) *value = device->physical + 1;
  return kSuccess;
}

FAKE_EXPORT int cuDeviceGetPCIBusId(char* text, int bytes, int ordinal) {
  Device* device = nullptr;
  if (text == nullptr || bytes <= 0) return kInvalidValue;
  if (const int result = find_device(ordinal, device); result != kSuccess) return result;
  const int needed = std::snprintf(text, static_cast<std::size_t>(bytes), "%04X:%02X:%02X.0", 0,
                                   static_cast<unsigned>(device->physical + 1), 0);
  return needed < bytes ? kSuccess : kInvalidValue;
}

FAKE_EXPORT int cuDeviceTotalMem_v2(std::size_t* bytes, int ordinal) {
  Device* device = nullptr;
  if (bytes == nullptr) return kInvalidValue;
  if (const int result = find_device(ordinal, device); result != kSuccess) return result;
  *bytes = device_memory_bytes();
  return kSuccess;
}
