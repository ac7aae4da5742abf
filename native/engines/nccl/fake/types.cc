#include "engines/nccl/fake/types.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "collectives/half.h"

namespace collbench::nccl_fake {
namespace {

/// Element type that is stored in few bits (kLoad, kStore convert it) and computed as float32.
template <typename StoredType, float (*kLoad)(StoredType) noexcept, StoredType (*kStore)(float) noexcept>
struct Small {
  using Stored = StoredType;
  using Wide = float;
  static float load(Stored stored) { return kLoad(stored); }
  static Stored store(float wide) { return kStore(wide); }
};
template <typename Value>
struct Plain {
  using Stored = Value;
  using Wide = Value;
  static Value load(Value value) { return value; }
  static Value store(Value value) { return value; }
};

/// Types in the order of ncclDataType_t.
using Types =
    std::tuple<Plain<std::int8_t>, Plain<std::uint8_t>, Plain<std::int32_t>, Plain<std::uint32_t>,
               Plain<std::int64_t>, Plain<std::uint64_t>, Small<std::uint16_t, float_of_half, half_of_float>,
               Plain<float>, Plain<double>, Small<std::uint16_t, float_of_bfloat16, bfloat16_of_float>,
               Small<std::uint8_t, float_of_float8e4m3, float8e4m3_of_float>,
               Small<std::uint8_t, float_of_float8e5m2, float8e5m2_of_float>>;

/// Calls `action` with a value of the element type whose number in ncclDataType_t is `dtype`.
template <typename Action>
void with_type(int dtype, const Action& action) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    ((I == dtype ? action(std::tuple_element_t<I, Types>{}) : void()), ...);
  }(std::make_integer_sequence<int, kTypeCount>{});
}

/// Combines two values by the ncclRedOp_t `op`. Integers are combined as unsigned, so that they wrap.
template <typename Wide>
Wide combined(int op, Wide a, Wide b) {
  using Raw = std::conditional_t<std::is_integral_v<Wide>, std::uint64_t, Wide>;
  switch (op) {
    case kProd:
      return static_cast<Wide>(static_cast<Raw>(a) * static_cast<Raw>(b));
    case kMax:
      return std::max(a, b);
    case kMin:
      return std::min(a, b);
    default:
      return static_cast<Wide>(static_cast<Raw>(a) + static_cast<Raw>(b));
  }
}

/// Returns element `index` of an array, in the type in which it is computed. The array may be misaligned.
template <typename Type>
typename Type::Wide element(const void* data, std::size_t index) {
  typename Type::Stored value;
  std::memcpy(&value, static_cast<const std::byte*>(data) + index * sizeof value, sizeof value);
  return Type::load(value);
}
template <typename Type>
void set_element(void* data, std::size_t index, typename Type::Wide wide) {
  const typename Type::Stored value = Type::store(wide);
  std::memcpy(static_cast<std::byte*>(data) + index * sizeof value, &value, sizeof value);
}

}  // namespace

std::size_t bytes_of_type(int dtype) {
  std::size_t bytes = 0;
  with_type(dtype, [&](auto type) { bytes = sizeof(typename decltype(type)::Stored); });
  return bytes;
}

bool is_float_type(int dtype) { return dtype >= 6; }

void combine(int dtype, int op, std::span<const void* const> inputs, void* out, std::size_t count) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    for (std::size_t i = 0; i < count; ++i) {
      auto sum = element<T>(inputs[0], i);
      for (const void* input : inputs.subspan(1)) sum = combined(op, sum, element<T>(input, i));
      if constexpr (std::is_integral_v<typename T::Wide>) {
        using Wide = std::conditional_t<std::is_signed_v<typename T::Wide>, std::int64_t, std::uint64_t>;
        if (op == kAvg)
          sum = static_cast<typename T::Wide>(static_cast<Wide>(sum) / static_cast<Wide>(inputs.size()));
      }
      set_element<T>(out, i, sum);
    }
  });
}

void multiply(int dtype, const void* in, const void* scalar, void* out, std::size_t count) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    for (std::size_t i = 0; i < count; ++i)
      set_element<T>(out, i, combined(kProd, element<T>(in, i), element<T>(scalar, 0)));
  });
}

void reciprocal(int dtype, int ranks, void* out) {
  with_type(dtype, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_floating_point_v<typename T::Wide>)
      set_element<T>(out, 0, typename T::Wide{1} / static_cast<typename T::Wide>(ranks));
  });
}

}  // namespace collbench::nccl_fake
