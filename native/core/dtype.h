#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace collbench {

/// Element types; names are those of the command line. Values are ours (ncclDataType_t is mapped at its
/// edge).
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
/// The first so many types are those that loops on the host combine; the 8-bit floats are for GPUs only.
inline constexpr int kHostDataTypeCount = 10;

/// Reductions; avg is the sum divided by the number of ranks (integers: truncated towards zero, as NCCL
/// does). premulsum multiplies each rank's input by that rank's factor (collectives' premul_factor), then
/// sums.
enum class ReduceOp : std::uint8_t { kSum, kProd, kMin, kMax, kAvg, kPremulSum };
inline constexpr int kReduceOpCount = 6;
/// The first so many are what the cpu engine offers.
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
