#include "collectives/device/args.h"
#include "cuda/data.h"
#include "cuda/kernels.h"

namespace collbench::cuda {
namespace {

constexpr std::size_t kFoundBytes = 4 * sizeof(std::uint64_t);

class DeviceData final : public TestData {
 public:
  DeviceData(Device& device, const Kernels& kernels)
      : device_(device),
        kernels_(kernels),
        host_(make_host_data(device)),
        found_(device.driver(), kFoundBytes) {}

  void prepare(const Pattern& pattern, int rank, std::uint64_t iteration, void* send, void* recv) override {
    const BufferShape shape = shape_of(pattern.operation, rank, pattern.ranks);
    device::PatternArgs args = pattern_args(pattern, rank, iteration);
    // Same order as prepare_buffers: in place, bytes that the input does not cover stay poisoned.
    std::uint64_t bytes = shape.recv_elements * size_of(pattern.operation.dtype);
    if (bytes > 0) {
      void* parameters[] = {&args, &recv, &bytes};
      kernels_.launch(kernels_.poison(), bytes, parameters);
    }
    std::uint64_t elements = shape.send_elements;
    if (elements > 0) {
      void* parameters[] = {&args, &send, &elements};
      kernels_.launch(kernels_.fill(), elements, parameters);
    }
    device_.drain();
  }

  Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration, const void* recv) override {
    const BufferShape shape = shape_of(pattern.operation, rank, pattern.ranks);
    Verification result;
    std::uint64_t elements = shape.recv_elements;
    if (elements == 0) return result;
    device::PatternArgs args = pattern_args(pattern, rank, iteration);
    const DriverApi& driver = device_.driver();
    std::uint64_t found[4] = {0, UINT64_MAX, 0, 0};
    driver.check(driver.copy_to_device(found_.address(), found, sizeof found, device_.stream()),
                 "cuMemcpyHtoDAsync");
    std::uint64_t address = found_.address();
    void* parameters[] = {&args, &recv, &elements, &address};
    kernels_.launch(kernels_.verify(), elements, parameters);
    driver.check(driver.copy_to_host(found, found_.address(), sizeof found, device_.stream()),
                 "cuMemcpyDtoHAsync");
    device_.drain();
    result.compared = elements;
    // Only for wrong data, which is rare: the host compares again, because it can name the wrong value.
    if (found[0] != 0) {
      result = host_->verify(pattern, rank, iteration, recv);
      if (result.wrong == 0) {
        result.wrong = found[0];
        result.first_index = found[1];
        result.note = "seen by the GPU, gone when the host looked again";
      }
    }
    return result;
  }

 private:
  Device& device_;
  const Kernels& kernels_;
  std::unique_ptr<TestData> host_;
  DeviceMemory found_;  // number of wrong elements and index of the first one
};

}  // namespace

std::unique_ptr<TestData> make_device_data(Device& device, const Kernels& kernels) {
  return std::make_unique<DeviceData>(device, kernels);
}

}  // namespace collbench::cuda
