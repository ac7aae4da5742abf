#pragma once
// CUresult values that the fake gives, with the driver's numbers.

namespace collbench::cuda_fake {

enum Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kContextIsDestroyed = 709,
  kLaunchFailed = 719,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
  kCaptureWrongThread = 908,
};

/// "CUDA_ERROR_INVALID_VALUE"; nullptr for a number that the fake never gives.
const char* name_of_result(int result);

}  // namespace collbench::cuda_fake
