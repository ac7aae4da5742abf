#pragma once
#include <iterator>

#include "core/generated/dtype.h"

namespace collbench {

inline constexpr int kDataTypeCount = std::size(kDataTypeNames);
/// Number of element types that reductions on the host support: those before the 8-bit floats, which only
/// GPUs support.
inline constexpr int kHostDataTypeCount = static_cast<int>(DataType::kFloat8e4m3);
inline constexpr int kReduceOpCount = std::size(kReduceOps);
/// Number of reductions that the cpu engine supports: those before kPremulsum.
inline constexpr int kHostReduceOpCount = static_cast<int>(ReduceOp::kPremulsum);

constexpr std::size_t size_of(DataType t) noexcept { return kDataTypeBytes[static_cast<int>(t)]; }
constexpr std::string_view name_of(DataType t) noexcept { return kDataTypeNames[static_cast<int>(t)]; }
constexpr std::string_view name_of(ReduceOp op) noexcept { return kReduceOps[static_cast<int>(op)]; }

}  // namespace collbench
