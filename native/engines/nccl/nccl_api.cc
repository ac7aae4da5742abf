#include "engines/nccl/nccl_api.h"

#include <map>
#include <mutex>

#include "core/error.h"
#include "core/shared_object.h"

namespace collbench::nccl {
namespace {

constexpr int kOldestNccl = 21300, kFirstWithFloat8 = 22400;
constexpr const char* kWayOut = "; give another with --nccl (any NCCL from 2.13 on)";

std::unique_ptr<NcclApi> open(const std::string& path) {
  std::string why;
  void* handle = open_shared(path, why);
  if (handle == nullptr)
    throw Error(ErrorCode::kUnavailable, "NCCL library " + path + " cannot be loaded: " + why + kWayOut);
  auto api = std::make_unique<NcclApi>();
  api->path = file_of(handle);
#define NCCL_FUNCTION(name, symbol, since, parameters) bind(api->name, handle, symbol);
#include "engines/nccl/nccl_functions.def"
#undef NCCL_FUNCTION
  bind(api->error_string, handle, "ncclGetErrorString");
  bind(api->last_error, handle, "ncclGetLastError");
  if (api->get_version == nullptr || api->get_version(&api->version) != kNcclSuccess)
    throw Error(ErrorCode::kUnavailable,
                api->path + " is no NCCL: it has no working ncclGetVersion" + kWayOut);
  if (api->version < kOldestNccl)
    throw Error(ErrorCode::kUnavailable,
                api->path + " is NCCL " + api->version_text() + ", older than 2.13" + kWayOut);
  std::string missing = api->error_string == nullptr ? "ncclGetErrorString" : "";
#define NCCL_FUNCTION(name, symbol, since, parameters) \
  if (api->name == nullptr && (since) <= kOldestNccl && missing.empty()) missing = symbol;
#include "engines/nccl/nccl_functions.def"
#undef NCCL_FUNCTION
  if (!missing.empty())
    throw Error(ErrorCode::kUnavailable,
                api->path + " says it is NCCL " + api->version_text() + " but lacks " + missing + kWayOut);
  return api;
}

}  // namespace

void NcclApi::check(int result, const char* what) const {
  if (result == kNcclSuccess) [[likely]]
    return;
  std::string message = std::string(what) + " failed: " + error_string(result);
  const char* last =
      // NCCL has one text per process; the communicator is not used.
      last_error != nullptr ? last_error(nullptr) : nullptr;
  if (last != nullptr && *last != '\0') message += " (" + std::string(last) + ")";
  while (message.ends_with("\n)")) message.erase(message.size() - 2, 1);
  throw Error(ErrorCode::kUnavailable, message);
}

std::string NcclApi::version_text() const {
  // Versions up to 2.8 are counted as 2804 for 2.8.4.
  const int major = version >= 10000 ? version / 10000 : version / 1000;
  const int minor = version >= 10000 ? version / 100 % 100 : version / 100 % 10;
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(version % 100);
}

const NcclApi& open_nccl(const std::string& path) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<NcclApi>> open_ones;
  const std::lock_guard lock(mutex);
  auto& api = open_ones[path];
  if (api == nullptr) api = open(path);
  return *api;
}

int nccl_type(DataType type, int nccl_version) {
  // Numbers in the order of DataType: the integers, float16, bfloat16, float32, float64, float8e4m3,
  // float8e5m2.
  constexpr int kTypes[] = {0, 1, 2, 3, 4, 5, 6, 9, 7, 8, 10, 11};
  static_assert(sizeof kTypes / sizeof kTypes[0] >= kDataTypeCount);
  const int nccl = kTypes[static_cast<int>(type)];
  if (nccl >= 10 && nccl_version < kFirstWithFloat8)
    throw Error(ErrorCode::kInvalidArgument, std::string(name_of(type)) + " needs NCCL 2.24 or newer");
  return nccl;
}

int nccl_op(ReduceOp op) {
  switch (op) {
    case ReduceOp::kSum:
      return 0;
    case ReduceOp::kProd:
      return 1;
    case ReduceOp::kMax:
      return 2;
    case ReduceOp::kMin:
      return 3;
    case ReduceOp::kAvg:
      return 4;
    default:
      throw Error(ErrorCode::kInvalidArgument,
                  std::string(name_of(op)) + " is made per communicator (ncclRedOpCreatePreMulSum)");
  }
}

}  // namespace collbench::nccl
