#include <algorithm>
#include <array>
#include <cstring>

#include "emulated/softmlx5/direct/commands.h"
#include "emulated/softmlx5/verbs/device.h"

namespace collbench::softmlx5::direct {
namespace {

using namespace rdma::devx;
using Capabilities = std::array<std::byte, kCapBytes>;

void put_general(std::byte* at) {
  set(at, cap::kLogMaxQpSize, verbs::kLogMaxBlocks);
  set(at, cap::kLogMaxQp, 16);
  set(at, cap::kLogMaxCqSize, verbs::kLogMaxEntries);
  set(at, cap::kLogMaxCq, 16);
  set(at, cap::kGidTableSize, 0);  // 8 entries, the smallest value
  set(at, cap::kPortType, 0);      // InfiniBand
  set(at, cap::kNumPorts, 1);
  set(at, cap::kCqeVersion, 1);
  set(at, cap::kCompactAddressVector, 1);
  set(at, cap::kDct, 1);
  set(at, cap::kRc, 1);
  set(at, cap::kLogBfRegSize, 9);
  set(at, cap::kMaxWqeSizeSq, 1024);
  set(at, cap::kMaxWqeSizeRq, 512);
}

void put_atomic(std::byte* at) {
  using namespace atomic_cap;
  set(at, kOperations, kCompareSwap | kFetchAdd | kMaskedCompareSwap | kMaskedFetchAdd);
  set(at, kSizeQp, kFourBytes | kEightBytes);
  set(at, kSizeDc, kFourBytes | kEightBytes);
}

}  // namespace

Status query_capabilities(const void* in, void* out, std::size_t out_bytes) {
  Capabilities capabilities{};
  switch (get(in, kOpMod) >> 1) {
    case kCapGeneral:
      put_general(capabilities.data());
      break;
    case kCapAtomic:
      put_atomic(capabilities.data());
      break;
    case kCapRoce:
      break;  // InfiniBand: no RoCE fields
    default:
      return kBadParameter;
  }
  const std::size_t head = kCapInMailbox / 8;
  if (out_bytes > head)
    std::memcpy(static_cast<std::byte*>(out) + head, capabilities.data(),
                std::min(out_bytes - head, capabilities.size()));
  return kOk;
}

}  // namespace collbench::softmlx5::direct
