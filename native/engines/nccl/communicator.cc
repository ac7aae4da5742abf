#include "engines/nccl/communicator.h"

#include <algorithm>
#include <cstring>

#include "collectives/half.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/spin.h"

namespace collbench::nccl {
namespace {

constexpr int kRemoteError = 6;
constexpr int kHostImmediate = 1;
constexpr int kHeaderVersion = 23007;  // NCCL version whose NcclConfig layout is used.

/// Returns the bytes of `value` (1 or 2) in the format of the element type, which ncclRedOpCreatePreMulSum
/// reads from host memory.
std::uint64_t scalar_bits(DataType dtype, int value) {
  std::uint64_t bits = 0;
  const auto put = [&](auto typed) { std::memcpy(&bits, &typed, sizeof typed); };
  switch (dtype) {
    case DataType::kFloat16:
      put(half_of_float(static_cast<float>(value)));
      break;
    case DataType::kBfloat16:
      put(bfloat16_of_float(static_cast<float>(value)));
      break;
    case DataType::kFloat32:
      put(static_cast<float>(value));
      break;
    case DataType::kFloat64:
      put(static_cast<double>(value));
      break;
    case DataType::kFloat8e4m3:
      put(static_cast<std::uint8_t>(value == 2 ? 0x40 : 0x38));  // Codes of 2.0 and 1.0.
      break;
    case DataType::kFloat8e5m2:
      put(static_cast<std::uint8_t>(value == 2 ? 0x40 : 0x3C));
      break;
    default:
      put(static_cast<std::int64_t>(value));  // Little-endian, so the value is right for every width.
  }
  return bits;
}

}  // namespace

Communicator::Communicator(const NcclApi& api, Bootstrap& bootstrap, const NcclSettings& settings,
                           std::function<bool()> cancelled)
    : api_(api), settings_(settings), cancelled_(std::move(cancelled)), rank_(bootstrap.rank()) {
  const std::int64_t begin = now_ns();
  try {
    init(bootstrap);
    if (settings_.split > 0) split(rank_);
  } catch (...) {
    abort();
    throw;
  }
  init_ns_ = now_ns() - begin;
}

NcclConfig Communicator::config() const {
  NcclConfig config;
  config.version = static_cast<unsigned>(std::min(kHeaderVersion, api_.version));
  config.blocking = settings_.blocking ? 1 : 0;
  return config;
}

void Communicator::init(Bootstrap& bootstrap) {
  NcclUniqueId id;
  std::string mine;
  if (rank_ == 0) {
    api_.check(api_.get_unique_id(&id), "ncclGetUniqueId");
    mine.assign(id.internal, sizeof id.internal);
  }
  const std::vector<std::string> all = bootstrap.all_gather("nccl unique id", mine);
  if (all.at(0).size() != sizeof id.internal)
    throw Error(ErrorCode::kProtocol,
                "rank 0 gave a unique id of " + std::to_string(all[0].size()) + " bytes");
  std::memcpy(id.internal, all[0].data(), sizeof id.internal);
  if (api_.init_rank != nullptr) {
    NcclConfig wanted = config();
    const int result = api_.init_rank(&comm_, bootstrap.size(), id, rank_, &wanted);
    if (result == kNcclInProgress)
      wait_until_ready(comm_, "ncclCommInitRankConfig");
    else
      api_.check(result, "ncclCommInitRankConfig");
  } else {
    api_.check(api_.init_rank_plain(&comm_, bootstrap.size(), id, rank_), "ncclCommInitRank");
  }
}

void Communicator::split(int rank) {
  if (api_.split == nullptr)
    throw Error(ErrorCode::kUnavailable,
                "NCCL " + api_.version_text() + " cannot split communicators; 2.18 can");
  if (settings_.split != 1)
    throw Error(ErrorCode::kInvalidArgument,
                "split " + std::to_string(settings_.split) +
                    ": only 1 is offered, all ranks in one communicator split from another");
  parent_ = comm_;
  comm_ = nullptr;
  NcclConfig wanted = config();
  const int result = api_.split(parent_, 0, rank, &comm_, &wanted);
  if (result == kNcclInProgress)
    wait_until_ready(parent_, "ncclCommSplit");
  else
    api_.check(result, "ncclCommSplit");
  if (!settings_.blocking) wait_until_ready(comm_, "ncclCommSplit");
}

void Communicator::wait_until_ready(NcclComm* comm, const char* what) {
  Spinner spinner(0);
  for (;;) {
    int state = 0;
    api_.check(api_.async_error(comm, &state), "ncclCommGetAsyncError");
    if (state != kNcclInProgress) return api_.check(state, what);
    if (cancelled_ && cancelled_())
      throw Error(ErrorCode::kCancelled, std::string("stopped while in ") + what);
    spinner.step();
  }
}

void Communicator::check(int result, const char* what) {
  if (result == kNcclSuccess) return;
  if (result == kNcclInProgress) return wait_until_ready(comm_, what);
  api_.check(result, what);
}

void Communicator::check_async_error() {
  int state = 0;
  api_.check(api_.async_error(comm_, &state), "ncclCommGetAsyncError");
  if (state == kNcclSuccess || state == kNcclInProgress) return;
  const char* words = api_.error_string != nullptr ? api_.error_string(state) : "error";
  const char* last = api_.last_error != nullptr ? api_.last_error(comm_) : nullptr;
  throw Error(state == kRemoteError ? ErrorCode::kConnectionLost : ErrorCode::kUnavailable,
              std::string("NCCL reports: ") + words +
                  (last != nullptr && *last != '\0' ? std::string("; ") + last : ""));
}

void Communicator::abort() noexcept {
  if (comm_ != nullptr) api_.abort(comm_);
  if (parent_ != nullptr) api_.abort(parent_);
  comm_ = parent_ = nullptr;
}

Communicator::~Communicator() {
  if (comm_ == nullptr) return;
  for (const auto& [dtype, op] : premul_) api_.op_destroy(op, comm_);
  // ncclCommFinalize waits for all ranks. If one is gone, this rank must still end, which only an abort
  // guarantees.
  if ((cancelled_ && cancelled_()) || !settings_.blocking) {
    abort();
    return;
  }
  api_.destroy(comm_);
  if (parent_ != nullptr) api_.destroy(parent_);
}

int Communicator::op(ReduceOp op, DataType dtype) {
  if (op != ReduceOp::kPremulsum) return nccl_op(op);
  const auto known = premul_.find(dtype);
  if (known != premul_.end()) return known->second;
  if (api_.premulsum_create == nullptr)
    throw Error(ErrorCode::kUnavailable,
                "NCCL " + api_.version_text() + " has no premultiplied sum; 2.11 has");
  std::uint64_t scalar = scalar_bits(dtype, premul_factor(rank_));
  int made = 0;
  check(api_.premulsum_create(&made, &scalar, nccl_type(dtype, api_.version), kHostImmediate, comm_),
        "ncclRedOpCreatePreMulSum");
  return premul_[dtype] = made;
}

}  // namespace collbench::nccl
