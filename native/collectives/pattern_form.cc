#include "collectives/pattern_form.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/error.h"

namespace collbench {
namespace {

/// Properties of a floating-point type: bits of its significand, including the hidden one, and the largest
/// exponent that is possible in both directions without subnormal numbers.
struct FloatFormat {
  int significand;
  int exponent;
};
FloatFormat format_of(DataType t) noexcept {
  switch (t) {
    case DataType::kFloat8e4m3:
      return {4, 6};
    case DataType::kFloat8e5m2:
      return {3, 14};
    case DataType::kFloat16:
      return {11, 14};
    case DataType::kBfloat16:
      return {8, 126};
    case DataType::kFloat32:
      return {24, 126};
    default:
      return {53, 1022};
  }
}

/// Number of bits that inputs of integer averages (form kSmall) leave unused, besides those that the sum over
/// all ranks needs. So no average is near the poison, with which outputs are overwritten before an operation.
constexpr int kFromPoison = 2;

int ceil_log2(std::uint64_t n) noexcept { return static_cast<int>(std::bit_width(n - 1)); }

/// Returns by how much a sum over all ranks can exceed the largest input value of one rank: `ranks` times, or
/// about 1.5 times as much for premulsum, which multiplies the input of odd ranks by 2.
std::uint64_t weight_of(ReduceOp op, int ranks) noexcept {
  const auto n = static_cast<std::uint64_t>(ranks);
  return op == ReduceOp::kPremulsum ? n + n / 2 : n;
}

/// Returns how many bits an input value may have so that the sum over all ranks is exact in the type; less
/// than 1 = no value is possible.
int summable_bits(ReduceOp op, DataType type, int ranks) noexcept {
  const int room = is_float(type) ? format_of(type).significand + 1 : static_cast<int>(size_of(type)) * 8;
  return room - ceil_log2(weight_of(op, ranks));
}

/// Returns true if an average of floats needs the form kSparse: the number of ranks is no power of two, so
/// that dividing the sum is not exact, or the type cannot hold the sum.
bool is_sparse(ReduceOp op, DataType type, int ranks) noexcept {
  return op == ReduceOp::kAvg && is_float(type) &&
         (!std::has_single_bit(static_cast<unsigned>(ranks)) || summable_bits(op, type, ranks) < 1);
}

/// Returns true if an average of integers needs input of the form kMean: a mean that all ranks share, and a
/// deviation that one of two neighbouring ranks adds and the other subtracts (mean_values()). With few bits
/// and many ranks, averages of independent values are nearly equal, so a missing rank would not change them.
bool is_mean(ReduceOp op, DataType type, int ranks) noexcept {
  return op == ReduceOp::kAvg && !is_float(type) &&
         summable_bits(op, type, ranks) - kFromPoison <= ceil_log2(static_cast<std::uint64_t>(ranks));
}

/// Returns how many of the lowest pseudorandom bits of an element of the test data determine its value.
int used_bits(const ValueRequest& q, DataType type) noexcept {
  return q.form == ValueForm::kSmall   ? q.bits
         : q.form == ValueForm::kPower ? q.bits + 1
                                       : static_cast<int>(size_of(type)) * 8 - 1;
}

bool is_extreme(ReduceOp op) noexcept { return op == ReduceOp::kMin || op == ReduceOp::kMax; }

/// Returns true if each rank's bits must be mixed again (ValueRequest::scrambled). Reason: the low bits of a
/// value run through all combinations from rank to rank and then repeat. With so many ranks the result of a
/// reduction would always be the same, so an old output would count as right. For minima and maxima this
/// already begins with one rank for every 8 values.
bool repeats_itself(const ValueRequest& q, DataType type, int ranks) noexcept {
  constexpr int kValuesForEach = 8;
  const int used = used_bits(q, type);
  const auto values = static_cast<std::uint64_t>(ranks) * (is_extreme(q.op) ? kValuesForEach : 1);
  return used < 32 && (std::uint64_t{1} << used) <= values;
}

bool has_bound(ReduceOp op, DataType type) noexcept {
  // All other integer results wrap, which is exact.
  return op == ReduceOp::kAvg || (is_float(type) && (op == ReduceOp::kSum || op == ReduceOp::kPremulsum));
}

}  // namespace

bool is_float(DataType type) noexcept { return type >= DataType::kFloat16; }

bool is_signed(DataType type) noexcept {
  return type == DataType::kInt8 || type == DataType::kInt32 || type == DataType::kInt64;
}

/// Mixes seed, iteration and the upper half of an index to a key, with the output function of SplitMix64.
std::uint32_t key_of(std::uint64_t seed, std::uint64_t iteration, std::uint64_t index_high) noexcept {
  std::uint64_t z =
      seed + iteration * kIterationStep + index_high * 0xBF58'476D'1CE4'E5B9ULL + 0x9E37'79B9'7F4A'7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EBULL;
  return static_cast<std::uint32_t>(z ^ (z >> 31));
}

ValueRequest input_request(const Pattern& pattern) noexcept {
  const DataType type = pattern.operation.dtype;
  ValueRequest q;
  q.op = reduces(pattern.operation.kind) ? pattern.operation.op : ReduceOp::kMax;
  q.members = pattern.ranks;
  const int summable = summable_bits(q.op, type, pattern.ranks);
  if (is_sparse(q.op, type, pattern.ranks)) {
    q.form = ValueForm::kSparse;
    return q;
  }
  if (is_mean(q.op, type, pattern.ranks)) {
    q.form = ValueForm::kMean;
    q.bits = std::max(1, summable);
    q.centred = is_signed(type);
    return q;
  }
  if (is_float(type)) {
    const FloatFormat format = format_of(type);
    if (q.op == ReduceOp::kProd) {
      q.form = ValueForm::kPower;
      const int room = format.exponent / pattern.ranks;  // The condition is 2^(bits-1) <= room.
      q.bits = static_cast<int>(std::bit_width(static_cast<unsigned>(room)));
    } else {
      q.form = ValueForm::kSmall;
      q.bits = has_bound(q.op, type) ? std::max(1, summable) : format.significand + 1;
    }
  } else if (q.op == ReduceOp::kAvg) {
    q.form = ValueForm::kSmall;
    q.bits = summable - kFromPoison;
    q.centred = is_signed(type);
  }
  q.scrambled = reduces(pattern.operation.kind) && repeats_itself(q, type, pattern.ranks);
  // One of many ranks nearly always has the type's largest value. So the bits that all ranks share
  // must vary instead.
  if (q.scrambled && is_extreme(q.op)) q.own = (1U << ((used_bits(q, type) + 1) / 2)) - 1;
  return q;
}

ValueRequest result_request(const Pattern& pattern) noexcept {
  ValueRequest q = input_request(pattern);
  q.ranks = pattern.ranks;
  q.rank = kAllRanks;
  if (q.op == ReduceOp::kAvg) q.divisor = pattern.ranks;
  return q;
}

void check_exact(const Pattern& pattern) {
  const Operation& operation = pattern.operation;
  const auto exact = [&](int ranks) {
    if (is_sparse(operation.op, operation.dtype, ranks))  // The condition is that 1/ranks is not subnormal.
      return ceil_log2(static_cast<std::uint64_t>(ranks)) <= format_of(operation.dtype).exponent;
    return summable_bits(operation.op, operation.dtype, ranks) >= 1;
  };
  if (!reduces(operation.kind) || !has_bound(operation.op, operation.dtype) || exact(pattern.ranks)) return;
  int limit = pattern.ranks - 1;
  while (limit > 1 && !exact(limit)) --limit;
  throw Error(ErrorCode::kInvalidArgument,
              std::string(name_of(operation.op)) + " of " + std::string(name_of(operation.dtype)) + " over " +
                  std::to_string(pattern.ranks) +
                  " ranks has no exact result to check against; the type holds it for up to " +
                  std::to_string(limit) + " ranks. --check 0 measures without checking");
}

std::uint8_t poison_byte(const Operation& operation) noexcept {
  const bool odd_or_small = !is_float(operation.dtype) && reduces(operation.kind) &&
                            (operation.op == ReduceOp::kProd || operation.op == ReduceOp::kAvg);
  return odd_or_small ? 0x80 : 0xFF;
}

}  // namespace collbench
