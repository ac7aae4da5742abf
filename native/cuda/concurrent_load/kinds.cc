#include "cuda/concurrent_load/kinds.h"

#include <string>

#include "core/error.h"
#include "cuda/driver_api.h"

namespace collbench::cuda {
namespace {

constexpr concurrent_load::LoadKind kKinds[] = {{"compute", compute_load}, {"copy", copy_load}};

}  // namespace

std::span<const concurrent_load::LoadKind> load_kinds() noexcept { return kKinds; }

int load_amount(const concurrent_load::LoadContext& context, std::string_view kind, int usual, int most) {
  if (!context.amount) return usual;
  if (*context.amount >= 1 && *context.amount <= most) return *context.amount;
  const std::string name(kind);
  throw Error(ErrorCode::kInvalidArgument,
              "--beside " + name + ":" + std::to_string(*context.amount) + ": 1 to " + std::to_string(most) +
                  " are allowed on this GPU; use " + name + " or " + name + ":" + std::to_string(most));
}

int current_gpu() {
  const DriverApi& driver = require_driver();
  if (driver.context_device == nullptr)
    throw Error(ErrorCode::kUnavailable, "--beside: " + driver.path + " has no cuCtxGetDevice");
  int device = 0;
  driver.check(driver.context_device(&device), "cuCtxGetDevice");
  int count = 0;
  driver.check(driver.device_count(&count), "cuDeviceGetCount");
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int known = 0;
    driver.check(driver.device_get(&known, ordinal), "cuDeviceGet");
    if (known == device) return ordinal;
  }
  throw Error(ErrorCode::kInternal, "--beside: the driver has no number for the current GPU");
}

}  // namespace collbench::cuda
