#pragma once
// The fakes, opened as engines open the vendors' libraries, and a device of them.
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "cuda/driver_api.h"
#include "cuda/fake/fake_cuda.h"
#include "cuda/nvrtc_api.h"

namespace fake_test {

/// Opened and cuInit called once per process.
const collbench::cuda::DriverApi& cuda();
const collbench::cuda::NvrtcApi& nvrtc();
CudaFakeLive live();

/// Numbers of the vendor's headers that tests ask for.
inline constexpr int kInvalidValue = 1, kInvalidContext = 201, kInvalidHandle = 400, kNotReady = 600,
                     kIllegalAddress = 700;

/// Sets a variable for as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value);
  ~Variable();
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

/// A device whose context is current in this thread, with a stream. Errors of the calls that are not under
/// test end the program with a line.
class OnDevice {
 public:
  explicit OnDevice(int device = 0);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  void* stream = nullptr;

  /// Device memory that lives as long as this.
  void* memory(std::size_t bytes);
  template <typename Value>
  Value* upload(const std::vector<Value>& values) {
    void* at = memory(values.size() * sizeof(Value) + 1);
    copy_in(at, values.data(), values.size() * sizeof(Value));
    return static_cast<Value*>(at);
  }
  /// Waits for the stream and copies.
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

/// Ends the test program with a line when `result` is not 0.
void must(int result, const char* what);

}  // namespace fake_test
