#include "collectives/device/args.h"

#include <bit>

#include "collectives/half.h"
#include "collectives/pattern_form.h"
#include "collectives/pattern_kernels.h"

namespace collbench {
namespace {

template <class A, class B>
constexpr bool same(A a, B b) {
  return static_cast<int>(a) == static_cast<int>(b);
}
static_assert(same(device::kWide, ValueForm::kWide) && same(device::kPower, ValueForm::kPower) &&
              same(device::kSparse, ValueForm::kSparse));
static_assert(device::kDeviationMask == kDeviationMask && device::kSparseBits == kSparseBits &&
              device::kRankStep == kRankStep);
static_assert(same(device::kSum, ReduceOp::kSum) && same(device::kPremulSum, ReduceOp::kPremulsum));
static_assert(same(device::kPremulSum + 1, kReduceOpCount));
static_assert(same(device::kAllreduce, CollectiveKind::kAllreduce));
static_assert(same(device::kAlltoallv, CollectiveKind::kAlltoallv));
static_assert(sizeof(device::U64) == 8 && sizeof(device::U32) == 4);

struct FloatLayout {
  int mantissa_bits;
  int exponent_bias;
};
FloatLayout layout_of(DataType type) noexcept {
  switch (type) {
    case DataType::kFloat8e4m3:
      return {3, 7};
    case DataType::kFloat8e5m2:
      return {2, 15};
    case DataType::kFloat16:
      return {10, 15};
    case DataType::kBfloat16:
      return {7, 127};
    case DataType::kFloat32:
      return {23, 127};
    case DataType::kFloat64:
      return {52, 1023};
    default:
      return {0, 0};
  }
}

/// Returns the bits of 1/ranks in the element type, rounded in the same way as in the pattern's loops on the
/// host.
std::uint64_t reciprocal_of(DataType type, int ranks) noexcept {
  const float one = 1.0F / static_cast<float>(ranks);
  switch (type) {
    case DataType::kFloat8e4m3:
      return float8e4m3_of_float(one);
    case DataType::kFloat8e5m2:
      return float8e5m2_of_float(one);
    case DataType::kFloat16:
      return half_of_float(one);
    case DataType::kBfloat16:
      return bfloat16_of_float(one);
    case DataType::kFloat32:
      return std::bit_cast<std::uint32_t>(one);
    default:
      return std::bit_cast<std::uint64_t>(1.0 / static_cast<double>(ranks));
  }
}

}  // namespace

device::PatternArgs pattern_args(const Pattern& pattern, int rank, std::uint64_t iteration) noexcept {
  const Operation& operation = pattern.operation;
  const BufferShape shape = shape_of(operation, rank, pattern.ranks);
  const ValueRequest input = input_request(pattern);
  const ValueRequest result = result_request(pattern);
  const FloatLayout layout = layout_of(operation.dtype);
  const auto divisor = static_cast<device::U32>(result.divisor == 0 ? 1 : result.divisor);
  const bool floating = is_float(operation.dtype);
  device::PatternArgs args{};
  args.count = operation.count;
  args.seed = pattern.seed;
  args.iteration = iteration;
  args.send_elements = shape.send_elements;
  args.recv_elements = shape.recv_elements;
  args.kind = static_cast<device::U32>(operation.kind);
  args.op = static_cast<device::U32>(input.op);
  args.root = static_cast<device::U32>(operation.root);
  args.rank = static_cast<device::U32>(rank);
  args.ranks = static_cast<device::U32>(pattern.ranks);
  args.width = static_cast<device::U32>(size_of(operation.dtype));
  args.is_float = floating ? 1 : 0;
  args.is_signed = is_signed(operation.dtype) ? 1 : 0;
  args.mantissa_bits = static_cast<device::U32>(layout.mantissa_bits);
  args.exponent_bias = static_cast<device::U32>(layout.exponent_bias);
  args.form = static_cast<device::U32>(input.form);
  args.bits = static_cast<device::U32>(input.bits);
  args.scrambled = input.scrambled ? 1 : 0;
  args.own = input.own;
  args.centred = input.centred ? 1 : 0;
  args.reciprocal = input.form == ValueForm::kSparse ? reciprocal_of(operation.dtype, pattern.ranks) : 0;
  args.result_shift = floating ? static_cast<device::U32>(std::bit_width(divisor) - 1) : 0;
  args.divisor = floating ? 1 : divisor;
  args.key = key_of(pattern.seed, iteration, 0);
  args.poison = poison_byte(operation);
  return args;
}

}  // namespace collbench
