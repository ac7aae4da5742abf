#pragma once
// CUresult values that the fake returns, with the driver's numbers and names.

// Columns: name here, number, name after CUDA_
#define FAKE_CUDA_RESULTS(RESULT)                                       \
  RESULT(kSuccess, 0, SUCCESS)                                          \
  RESULT(kInvalidValue, 1, ERROR_INVALID_VALUE)                         \
  RESULT(kOutOfMemory, 2, ERROR_OUT_OF_MEMORY)                          \
  RESULT(kNotInitialized, 3, ERROR_NOT_INITIALIZED)                     \
  RESULT(kNoDevice, 100, ERROR_NO_DEVICE)                               \
  RESULT(kInvalidDevice, 101, ERROR_INVALID_DEVICE)                     \
  RESULT(kInvalidImage, 200, ERROR_INVALID_IMAGE)                       \
  RESULT(kInvalidContext, 201, ERROR_INVALID_CONTEXT)                   \
  RESULT(kInvalidHandle, 400, ERROR_INVALID_HANDLE)                     \
  RESULT(kIllegalState, 401, ERROR_ILLEGAL_STATE)                       \
  RESULT(kNotFound, 500, ERROR_NOT_FOUND)                               \
  RESULT(kNotReady, 600, ERROR_NOT_READY)                               \
  RESULT(kIllegalAddress, 700, ERROR_ILLEGAL_ADDRESS)                   \
  RESULT(kAlreadyRegistered, 712, ERROR_HOST_MEMORY_ALREADY_REGISTERED) \
  RESULT(kNotRegistered, 713, ERROR_HOST_MEMORY_NOT_REGISTERED)         \
  RESULT(kLaunchFailed, 719, ERROR_LAUNCH_FAILED)                       \
  RESULT(kCaptureUnsupported, 900, ERROR_STREAM_CAPTURE_UNSUPPORTED)    \
  RESULT(kCaptureInvalidated, 901, ERROR_STREAM_CAPTURE_INVALIDATED)

namespace collbench::cuda_fake {

enum CudaResult : int {
#define FAKE_RESULT(name, number, text) name = number,
  FAKE_CUDA_RESULTS(FAKE_RESULT)
#undef FAKE_RESULT
};

}  // namespace collbench::cuda_fake
