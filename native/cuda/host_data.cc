#include <algorithm>
#include <cstddef>
#include <vector>

#include "cuda/data.h"

namespace collbench::cuda {
namespace {

/// Copy of a call's two buffers in host memory. For an in-place call, whose buffers overlap on the device,
/// `recv` holds both with the same overlap, and `send` is not used.
struct HostMirror {
  std::vector<std::byte> send, recv;
};

class HostData final : public TestData {
 public:
  explicit HostData(Device& device) : device_(device) {}

  void prepare(const Pattern& pattern, int rank, std::uint64_t iteration, void* send_buffer,
               void* recv_buffer) override {
    const Sizes sizes = sizes_of(pattern, rank);
    if (!pattern.operation.in_place) {
      mirror_.send.resize(sizes.send + 1);
      mirror_.recv.resize(sizes.recv + 1);
      prepare_buffers(pattern, rank, iteration, mirror_.send.data(), mirror_.recv.data());
      upload(send_buffer, mirror_.send.data(), sizes.send);
      upload(recv_buffer, mirror_.recv.data(), sizes.recv);
      return;
    }
    const auto* send = static_cast<const std::byte*>(send_buffer);
    auto* recv = static_cast<std::byte*>(recv_buffer);
    const std::byte* low = std::min<const std::byte*>(send, recv);
    const std::size_t bytes =
        static_cast<std::size_t>(std::max<const std::byte*>(send + sizes.send, recv + sizes.recv) - low);
    mirror_.recv.resize(bytes + 1);
    prepare_buffers(pattern, rank, iteration, mirror_.recv.data() + (send - low),
                    mirror_.recv.data() + (recv - low));
    upload(low, mirror_.recv.data(), bytes);
  }

  Verification verify(const Pattern& pattern, int rank, std::uint64_t iteration, const void* recv) override {
    const Sizes sizes = sizes_of(pattern, rank);
    mirror_.recv.resize(sizes.recv + 1);
    const DriverApi& driver = device_.driver();
    if (sizes.recv > 0)
      driver.check(driver.copy_to_host(mirror_.recv.data(), reinterpret_cast<std::uint64_t>(recv), sizes.recv,
                                       device_.stream()),
                   "cuMemcpyDtoHAsync");
    device_.drain();
    return collbench::verify(pattern, rank, iteration, mirror_.recv.data());
  }

 private:
  struct Sizes {
    std::size_t send, recv;
  };
  static Sizes sizes_of(const Pattern& pattern, int rank) {
    const BufferShape shape = shape_of(pattern.operation, rank, pattern.ranks);
    const std::size_t element = size_of(pattern.operation.dtype);
    return {shape.send_elements * element, shape.recv_elements * element};
  }
  void upload(const void* to, const void* from, std::size_t bytes) {
    if (bytes == 0) return;
    const DriverApi& driver = device_.driver();
    driver.check(driver.copy_to_device(reinterpret_cast<std::uint64_t>(to), from, bytes, device_.stream()),
                 "cuMemcpyHtoDAsync");
    device_.drain();
  }

  Device& device_;
  HostMirror mirror_;
};

}  // namespace

std::unique_ptr<TestData> make_host_data(Device& device) { return std::make_unique<HostData>(device); }

}  // namespace collbench::cuda
