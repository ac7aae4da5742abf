#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collbench {

/// Element types. Their names are those of the command line. Their values are this project's own; the nccl
/// engine converts them to ncclDataType_t.
enum class DataType : std::uint8_t {
  kInt8,
  kUint8,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kFloat16,
  kBfloat16,
  kFloat32,
  kFloat64,
  kFloat8e4m3,
  kFloat8e5m2
};
inline constexpr int kDataTypeCount = 12;
/// Number of element types that reductions on the host support: those before the 8-bit floats, which only
/// GPUs support.
inline constexpr int kHostDataTypeCount = 10;

/// Reductions. kAvg divides the sum by the number of ranks (for integers rounded towards zero, as in NCCL).
/// kPremulSum multiplies each rank's input by that rank's factor (premul_factor()), then adds.
enum class ReduceOp : std::uint8_t { kSum, kProd, kMin, kMax, kAvg, kPremulSum };
inline constexpr int kReduceOpCount = 6;
/// Number of reductions that the cpu engine supports: those before kPremulSum.
inline constexpr int kHostReduceOpCount = 5;

struct DataTypeInfo {
  std::string_view name;
  std::size_t bytes;
};
inline constexpr DataTypeInfo kDataTypes[kDataTypeCount] = {
    {"int8", 1},    {"uint8", 1},    {"int32", 4},   {"uint32", 4},  {"int64", 8},      {"uint64", 8},
    {"float16", 2}, {"bfloat16", 2}, {"float32", 4}, {"float64", 8}, {"float8e4m3", 1}, {"float8e5m2", 1}};
inline constexpr auto kDataTypeNames = [] {
  std::array<std::string_view, kDataTypeCount> names;
  for (int i = 0; i < kDataTypeCount; ++i) names[static_cast<std::size_t>(i)] = kDataTypes[i].name;
  return names;
}();
inline constexpr std::string_view kReduceOps[kReduceOpCount] = {"sum", "prod", "min",
                                                                "max", "avg",  "premulsum"};

constexpr std::size_t size_of(DataType t) noexcept { return kDataTypes[static_cast<int>(t)].bytes; }
constexpr std::string_view name_of(DataType t) noexcept { return kDataTypes[static_cast<int>(t)].name; }
constexpr std::string_view name_of(ReduceOp op) noexcept { return kReduceOps[static_cast<int>(op)]; }

}  // namespace collbench
