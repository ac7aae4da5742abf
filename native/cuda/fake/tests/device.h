#pragma once
// The fakes, opened like the vendors' libraries, and one of their devices.
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "cuda/driver_api.h"
#include "cuda/fake/fake_cuda.h"
#include "cuda/nvrtc_api.h"

namespace fake_test {

/// Opened once per process, with cuInit called.
const collbench::cuda::DriverApi& cuda();
const collbench::cuda::NvrtcApi& nvrtc();
CudaFakeLive live();

/// Numbers of the vendor's headers that tests use.
inline constexpr int kInvalidValue = 1, kInvalidContext = 201, kInvalidHandle = 400, kNotReady = 600,
                     kIllegalAddress = 700;

/// Sets an environment variable for its own lifetime.
class Variable {
 public:
  Variable(const char* name, const std::string& value);
  ~Variable();
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

/// A device whose context is current in this thread, with a stream. Errors of calls that are not under test
/// end the program with one line.
class OnDevice {
 public:
  explicit OnDevice(int device = 0);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  void* stream = nullptr;

  /// Device memory that is freed with this object.
  void* memory(std::size_t bytes);
  template <typename Value>
  Value* upload(const std::vector<Value>& values) {
    void* at = memory(values.size() * sizeof(Value) + 1);
    copy_in(at, values.data(), values.size() * sizeof(Value));
    return static_cast<Value*>(at);
  }
  /// Waits for the stream and copies the value.
  template <typename Value>
  std::vector<Value> download(const void* at, std::size_t count) const {
    std::vector<Value> values(count);
    copy_out(values.data(), at, count * sizeof(Value));
    return values;
  }
  void copy_in(void* at, const void* from, std::size_t bytes) const;
  void copy_out(void* to, const void* at, std::size_t bytes) const;
  int drain() const;

 private:
  int device_;
  std::list<std::uint64_t> memory_;
};

/// Ends the test program with one line if `result` is not 0.
void must(int result, const char* what);

}  // namespace fake_test
