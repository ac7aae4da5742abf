#pragma once
#include <iterator>

#include "core/generated/dtype.h"

namespace collbench {

inline constexpr int kDataTypeCount = std::size(kDataTypeNames);
/// Number of element types that reductions on the host support. These are the first ones of DataType, up to
/// kFloat8e4m3 exclusive; only GPUs reduce 8-bit floats.
inline constexpr int kHostDataTypeCount = static_cast<int>(DataType::kFloat8e4m3);
inline constexpr int kReduceOpCount = std::size(kReduceOps);
/// Number of reductions that the cpu engine supports. These are the first ones of ReduceOp, up to kPremulsum
/// exclusive.
inline constexpr int kHostReduceOpCount = static_cast<int>(ReduceOp::kPremulsum);

constexpr std::size_t size_of(DataType t) noexcept { return kDataTypeBytes[static_cast<int>(t)]; }
constexpr std::string_view name_of(DataType t) noexcept { return kDataTypeNames[static_cast<int>(t)]; }
constexpr std::string_view name_of(ReduceOp op) noexcept { return kReduceOps[static_cast<int>(op)]; }

}  // namespace collbench
