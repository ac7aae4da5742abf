#include "engines/nvshmem/kernels.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/shared_object.h"

namespace collbench::nvshmem {
namespace {

constexpr std::size_t kWhyBytes = 512;

void check(int result, const char* why) {
  if (result != 0) throw Error(ErrorCode::kUnavailable, why);
}

constexpr std::size_t kGranularity = std::size_t{2} << 20;  // Size of GPU pages.

}  // namespace

NvshmemKernels::NvshmemKernels(const std::string& object, Bootstrap& bootstrap,
                               std::function<bool()> cancelled)
    : cancelled_(std::move(cancelled)) {
  open(object);
  char why[kWhyBytes] = "";
  std::string id(id_bytes_(), '\0');
  if (bootstrap.rank() == 0) check(make_id_(id.data(), why, sizeof why), why);
  id = bootstrap.all_gather("NVSHMEM unique id", bootstrap.rank() == 0 ? id : "").at(0);
  if (id.size() != id_bytes_())
    throw Error(ErrorCode::kProtocol, "rank 0 gave a unique id of " + std::to_string(id.size()) +
                                          " bytes; does it have another NVSHMEM?");
  const std::int64_t begin = now_ns();
  check(create_(id.data(), bootstrap.rank(), bootstrap.size(), &handle_, why, sizeof why), why);
  init_ns_ = now_ns() - begin;
  char version[32] = "";
  get_version_(version, sizeof version);
  version_ = version;
  reached_ = get_reached_(handle_);
}

void NvshmemKernels::open(const std::string& object) {
  std::string reason;
  void* library = open_shared(object, reason);
  if (library == nullptr)
    throw Error(ErrorCode::kUnavailable, "the kernels on NVSHMEM cannot be loaded: " + reason);
  const bool complete = bind(id_bytes_, library, "collbench_nvshmem_id_bytes") &&
                        bind(make_id_, library, "collbench_nvshmem_make_id") &&
                        bind(create_, library, "collbench_nvshmem_create") &&
                        bind(get_version_, library, "collbench_nvshmem_version") &&
                        bind(get_reached_, library, "collbench_nvshmem_reached") &&
                        bind(allocate_, library, "collbench_nvshmem_allocate") &&
                        bind(free_, library, "collbench_nvshmem_free") &&
                        bind(launch_, library, "collbench_nvshmem_launch") &&
                        bind(transfer_, library, "collbench_nvshmem_transfer") &&
                        bind(one_sided_, library, "collbench_nvshmem_one_sided") &&
                        bind(destroy_, library, "collbench_nvshmem_destroy");
  if (!complete) throw Error(ErrorCode::kInternal, object + " lacks a function of nvshmem/device/abi.h");
}

NvshmemKernels::~NvshmemKernels() {
  if (handle_ != nullptr) destroy_(handle_, orderly_ && !(cancelled_ && cancelled_()) ? 1 : 0);
}

void* NvshmemKernels::allocate(std::size_t bytes) {
  void* const memory = allocate_(handle_, bytes);
  if (memory == nullptr)
    throw Error(ErrorCode::kUnavailable, "NVSHMEM has no " + std::to_string(bytes) +
                                             " bytes of symmetric memory left (nvshmem_malloc); take smaller "
                                             "sizes, or raise NVSHMEM_SYMMETRIC_SIZE");
  return memory;
}

void NvshmemKernels::free(void* memory) noexcept {
  if (memory != nullptr && orderly_ && !(cancelled_ && cancelled_())) free_(handle_, memory);
}

void NvshmemKernels::launch(const CollbenchNvshmemCall& call) {
  char why[kWhyBytes] = "";
  check(launch_(handle_, &call, why, sizeof why), why);
}
void NvshmemKernels::transfer(const CollbenchNvshmemTransfer& transfer) {
  char why[kWhyBytes] = "";
  check(transfer_(handle_, &transfer, why, sizeof why), why);
}
void NvshmemKernels::one_sided(const CollbenchNvshmemOneSided& work) {
  char why[kWhyBytes] = "";
  check(one_sided_(handle_, &work, why, sizeof why), why);
}

void* NvshmemBuffers::get(int index, std::size_t bytes) {
  SymmetricBuffer& buffer = buffers_.at(static_cast<std::size_t>(index));
  bytes = (bytes + 16 + kGranularity - 1) / kGranularity * kGranularity;
  if (buffer.bytes >= bytes) return buffer.memory;
  kernels_.free(buffer.memory);  // The old memory is freed first, because both together might not fit.
  buffer = SymmetricBuffer();
  buffer = {kernels_.allocate(bytes), bytes};
  return buffer.memory;
}

void NvshmemBuffers::release() {
  for (SymmetricBuffer& buffer : buffers_) {
    kernels_.free(buffer.memory);
    buffer = SymmetricBuffer();
  }
}

}  // namespace collbench::nvshmem
