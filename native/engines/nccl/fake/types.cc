#include "engines/nccl/fake/types.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "collectives/half.h"
#include "engines/nccl/fake/float8.h"

namespace collbench::nccl_fake {
namespace {

/// A type as it is stored and as it is computed with.
template <typename StoredType, typename WideType, WideType (*kLoad)(StoredType),
          StoredType (*kStore)(WideType)>
struct Type {
  using Stored = StoredType;
  using Wide = WideType;
  static Wide load(Stored stored) { return kLoad(stored); }
  static Stored store(Wide wide) { return kStore(wide); }
};

template <typename Value>
Value same(Value value) {
  return value;
}
template <typename Value>
using Plain = Type<Value, Value, same<Value>, same<Value>>;
using Half = Type<std::uint16_t, float, float_of_half, half_of_float>;
using Bfloat16 = Type<std::uint16_t, float, float_of_bfloat16, bfloat16_of_float>;
template <typename Format>
using Small = Type<std::uint8_t, float, Format::to_float, Format::of_float>;

/// Calls `action` with the Type of an ncclDataType_t.
template <typename Action>
void with_type(int dtype, const Action& action) {
  switch (dtype) {
    case 0:
      return action(Plain<std::int8_t>{});
    case 1:
      return action(Plain<std::uint8_t>{});
    case 2:
      return action(Plain<std::int32_t>{});
    case 3:
      return action(Plain<std::uint32_t>{});
    case 4:
      return action(Plain<std::int64_t>{});
    case 5:
      return action(Plain<std::uint64_t>{});
    case 6:
      return action(Half{});
    case 7:
      return action(Plain<float>{});
    case 8:
      return action(Plain<double>{});
    case 9:
      return action(Bfloat16{});
    case 10:
      return action(Small<Float8e4m3>{});
    default:
      return action(Small<Float8e5m2>{});
  }
}

/// Integers wrap: they are combined without a sign.
template <typename Wide>
Wide add(Wide a, Wide b) {
  if constexpr (std::is_integral_v<Wide>)
    return static_cast<Wide>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}
template <typename Wide>
Wide times(Wide a, Wide b) {
  if constexpr (std::is_integral_v<Wide>)
    return static_cast<Wide>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}
template <typename Wide>
Wide combined(int op, Wide a, Wide b) {
  switch (op) {
    case kProd:
      return times(a, b);
    case kMax:
      return std::max(a, b);
    case kMin:
      return std::min(a, b);
    default:
      return add(a, b);
  }
}

/// Buffers may be off their alignment.
template <typename Stored>
Stored element(const void* data, std::size_t index) {
  Stored value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * sizeof value, sizeof value);
  return value;
}
template <typename Stored>
void set_element(void* data, std::size_t index, Stored value) {
  std::memcpy(static_cast<std::byte*>(data) + index * sizeof value, &value, sizeof value);
}

}  // namespace

std::size_t bytes_of_type(int dtype) {
  constexpr std::size_t kBytes[kTypeCount] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
  return kBytes[dtype];
}

bool is_float_type(int dtype) { return dtype >= 6; }

void combine(int dtype, int op, std::span<const void* const> inputs, void* out, std::size_t count) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    for (std::size_t i = 0; i < count; ++i) {
      auto sum = T::load(element<typename T::Stored>(inputs[0], i));
      for (const void* input : inputs.subspan(1))
        sum = combined(op, sum, T::load(element<typename T::Stored>(input, i)));
      if constexpr (std::is_integral_v<typename T::Wide>)
        if (op == kAvg) {
          using Wide = std::conditional_t<std::is_signed_v<typename T::Wide>, std::int64_t, std::uint64_t>;
          sum = static_cast<typename T::Wide>(static_cast<Wide>(sum) / static_cast<Wide>(inputs.size()));
        }
      set_element(out, i, T::store(sum));
    }
  });
}

void multiply(int dtype, const void* in, const void* scalar, void* out, std::size_t count) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    const auto factor = T::load(element<typename T::Stored>(scalar, 0));
    for (std::size_t i = 0; i < count; ++i)
      set_element(out, i, T::store(times(T::load(element<typename T::Stored>(in, i)), factor)));
  });
}

void reciprocal(int dtype, int ranks, void* out) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_floating_point_v<typename T::Wide>)
      set_element(out, 0, T::store(typename T::Wide{1} / static_cast<typename T::Wide>(ranks)));
  });
}

}  // namespace collbench::nccl_fake
