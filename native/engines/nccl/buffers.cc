#include "engines/nccl/buffers.h"

#include "core/error.h"

namespace collbench::nccl {
namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;  // Size of GPU pages; windows need 4096.

void require(bool there, const NcclApi& api, const char* what, const char* since) {
  if (!there)
    throw Error(ErrorCode::kUnavailable, std::string("NCCL ") + api.version_text() + " cannot register " +
                                             what + "; " + since + " can");
}

}  // namespace

NcclBuffers::NcclBuffers(cuda::Device& device, Communicator& comm, Registration registration)
    : device_(device), comm_(comm), registration_(registration) {
  if (registration == Registration::kLocal)
    require(comm.api().register_buffer != nullptr, comm.api(), "buffers", "2.19");
  if (registration == Registration::kSymmetric)
    require(comm.api().register_window != nullptr, comm.api(), "symmetric windows", "2.27");
}

NcclBuffers::~NcclBuffers() { release(); }

void* NcclBuffers::get(int index, std::size_t bytes) {
  RegisteredBuffer& buffer = buffers_.at(static_cast<std::size_t>(index));
  bytes = (std::max<std::size_t>(bytes, 1) + kGranularity - 1) / kGranularity * kGranularity;
  if (buffer.bytes >= bytes)
    return registration_ == Registration::kNone ? buffer.plain.data() : buffer.registered;
  free(buffer);  // The old memory is freed first, because both together might not fit.
  if (registration_ == Registration::kNone) {
    buffer.plain = cuda::DeviceMemory(device_.driver(), bytes);
    buffer.bytes = bytes;
    return buffer.plain.data();
  }
  const NcclApi& api = comm_.api();
  api.check(api.allocate(&buffer.registered, bytes), "ncclMemAlloc");
  const cuda::DriverApi& driver = device_.driver();
  driver.check(
      driver.fill_bytes(reinterpret_cast<std::uint64_t>(buffer.registered), 0, bytes, device_.stream()),
      "cuMemsetD8Async");
  device_.drain();
  if (registration_ == Registration::kLocal)
    comm_.check(api.register_buffer(comm_.get(), buffer.registered, bytes, &buffer.handle),
                "ncclCommRegister");
  else
    comm_.check(api.register_window(comm_.get(), buffer.registered, bytes, &buffer.handle, kWindowSymmetric),
                "ncclCommWindowRegister");
  buffer.bytes = bytes;
  return buffer.registered;
}

NcclBuffers::WindowOffset NcclBuffers::window_offset_of(const void* address) const {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  for (const RegisteredBuffer& buffer : buffers_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(buffer.registered);
    if (buffer.registered != nullptr && wanted >= begin && wanted < begin + buffer.bytes)
      return {buffer.handle, wanted - begin};
  }
  throw Error(ErrorCode::kInternal, "a call's memory lies in no symmetric window");
}

void NcclBuffers::release() {
  for (RegisteredBuffer& buffer : buffers_) free(buffer);
}

void NcclBuffers::free(RegisteredBuffer& buffer) noexcept {
  if (buffer.registered != nullptr) {
    const NcclApi& api = comm_.api();
    if (comm_.get() != nullptr && buffer.handle != nullptr) {
      if (registration_ == Registration::kLocal)
        api.deregister_buffer(comm_.get(), buffer.handle);
      else
        api.deregister_window(comm_.get(), buffer.handle);
    }
    api.free(buffer.registered);
  }
  buffer = RegisteredBuffer();
}

}  // namespace collbench::nccl
