// Elements that kernels combine, of every type, alone or several in a word. NVRTC compiles this text for one
// element type and one reduction (COLLBENCH_TYPE, COLLBENCH_OP); the twins on the host support all.
#ifndef COLLBENCH_ENGINES_CUDA_DEVICE_ELEMENTS_DEVICE_H
#define COLLBENCH_ENGINES_CUDA_DEVICE_ELEMENTS_DEVICE_H

#include "transports/ibgda/lane.h"

#ifndef __CUDACC__
#include "collectives/half.h"
#endif

namespace collbench {
namespace gpu {

using ibgda::u32;
using ibgda::u64;

constexpr u32 kMaxRanks = 16;

/// Kind of collective by what each rank sends to every other rank in the first hop.
enum DirectShape : u32 {
  kOneShot,        // Allreduce: the whole input to each rank; each reduces everything.
  kTwoShot,        // Allreduce: a part of the input to each rank; each reduces its part and sends it to all.
  kReduceScatter,  // Same as kTwoShot, without the second hop.
  kGather,         // The input into the result of each rank.
  kSpread,         // A different part of the input into the result of each rank.
  kBroadcast       // The root's input into the result of each rank.
};
/// Element types of the kernels, in the order of the host's DataType; DirectOp has the order of ReduceOp.
enum DirectType : u32 {
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
  kDirectTypes
};
enum DirectOp : u32 { kSum, kProd, kMin, kMax, kDirectOps };

/// Host memory that kernels can access, for signals between host and kernels.
struct DirectMailbox {
  u32 stop;      // Set by the host: kernels that wait for other ranks end.
  u32 syndrome;  // Set by kernels: error syndrome of a failed completion, plus 1; 0 = none failed.
};

/// Bytes and messages that this rank's kernels have sent to other ranks and received; in device memory.
struct DirectCounters {
  u64 bytes_sent, messages_sent, bytes_received, messages_received;
};

#ifdef __CUDACC__
#define COLLBENCH_UNROLL _Pragma("unroll")
COLLBENCH_ON_DEVICE void block_barrier() { __syncthreads(); }
using Wide = uint4;
/// Loads a word that a peer may write while the kernel runs. The load bypasses the L1 cache, which would
/// return an old value.
template <class Word>
COLLBENCH_ON_DEVICE Word fresh(const Word* at) {
  return *const_cast<const volatile Word*>(at);
}
COLLBENCH_ON_DEVICE Wide fresh(const Wide* at) {
  Wide word;
  asm volatile("ld.volatile.global.v4.u32 {%0,%1,%2,%3}, [%4];"
               : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
               : "l"(at)
               : "memory");
  return word;
}
#else
#define COLLBENCH_UNROLL
inline void block_barrier() {}
struct alignas(16) [[gnu::may_alias]] Wide {
  u32 words[4];
};
template <class Word>
Word fresh(const Word* at) {
  return *at;
}
#endif

/// Range [begin, end) of units of a vector. The caller decides what a unit is: packet, word, element or byte.
struct Range {
  u64 begin, end;
};
/// Returns piece number `index` of a range that is divided into pieces of length `each`; the last pieces may
/// be shorter or empty.
COLLBENCH_ON_DEVICE Range cut(const Range& range, u64 each, u32 index) {
  const u64 begin = range.begin + each * index, end = begin + each;
  return {begin < range.end ? begin : range.end, end < range.end ? end : range.end};
}

constexpr u32 kUnrolled = 4;  // Words that a thread loads before it stores them, so that loads overlap.

/// Copies the words of a range from the array at address `from` to the array at address `to`. All threads of
/// a block call it together.
/// @param workers threads per block @param me index of the calling thread @param range in words
template <class Word>
COLLBENCH_ON_DEVICE void copy_words(u32 workers, u32 me, u64 to, u64 from, const Range& range) {
  Word* const into = reinterpret_cast<Word*>(to);
  const Word* const out = reinterpret_cast<const Word*>(from);
  u64 i = range.begin + me;
  for (; i + (kUnrolled - 1) * workers < range.end; i += kUnrolled * workers) {
    Word held[kUnrolled];
    COLLBENCH_UNROLL
    for (u32 n = 0; n < kUnrolled; ++n) held[n] = out[i + n * workers];
    COLLBENCH_UNROLL
    for (u32 n = 0; n < kUnrolled; ++n) into[i + n * workers] = held[n];
  }
  for (; i < range.end; i += workers) into[i] = out[i];
}

// 16-bit floats are combined as float32, and each result is rounded.
struct Half {
  unsigned short bits;
};
struct Bfloat {
  unsigned short bits;
};
#ifdef __CUDACC__
COLLBENCH_ON_DEVICE float widened(Half value) {
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
}
COLLBENCH_ON_DEVICE float widened(Bfloat value) {
  return __uint_as_float(static_cast<u32>(value.bits) << 16);
}
COLLBENCH_ON_DEVICE void narrow(float wide, Half& value) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(value.bits) : "f"(wide));
}
COLLBENCH_ON_DEVICE void narrow(float wide, Bfloat& value) {
  const u32 bits = __float_as_uint(wide);
  const bool is_nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
  value.bits =
      static_cast<unsigned short>(is_nan ? bits >> 16 | 0x40U : (bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}
#else
inline float widened(Half value) { return float_of_half(value.bits); }
inline float widened(Bfloat value) { return float_of_bfloat16(value.bits); }
inline void narrow(float wide, Half& value) { value.bits = half_of_float(wide); }
inline void narrow(float wide, Bfloat& value) { value.bits = bfloat16_of_float(wide); }
#endif

template <u32 kType>
struct TypeOf;
template <>
struct TypeOf<kInt8> {
  using Element = signed char;
};
template <>
struct TypeOf<kUint8> {
  using Element = unsigned char;
};
template <>
struct TypeOf<kInt32> {
  using Element = int;
};
template <>
struct TypeOf<kUint32> {
  using Element = u32;
};
template <>
struct TypeOf<kInt64> {
  using Element = long long;
};
template <>
struct TypeOf<kUint64> {
  using Element = unsigned long long;
};
template <>
struct TypeOf<kFloat16> {
  using Element = Half;
};
template <>
struct TypeOf<kBfloat16> {
  using Element = Bfloat;
};
template <>
struct TypeOf<kFloat32> {
  using Element = float;
};
template <>
struct TypeOf<kFloat64> {
  using Element = double;
};

/// Type in which sums and products of elements of type T are computed. It is unsigned for integers, so that
/// results wrap.
template <class T>
struct Wrapping {
  using Type = T;
};
template <>
struct Wrapping<signed char> {
  using Type = u32;
};
template <>
struct Wrapping<unsigned char> {
  using Type = u32;
};
template <>
struct Wrapping<int> {
  using Type = u32;
};
template <>
struct Wrapping<long long> {
  using Type = unsigned long long;
};

template <class T>
COLLBENCH_ON_DEVICE T combined(T left, T right, u32 op) {
  using W = typename Wrapping<T>::Type;
  switch (op) {
    case kProd:
      return static_cast<T>(static_cast<W>(left) * static_cast<W>(right));
    case kMin:
      return right < left ? right : left;
    case kMax:
      return left < right ? right : left;
    default:
      return static_cast<T>(static_cast<W>(left) + static_cast<W>(right));
  }
}
template <class T>
COLLBENCH_ON_DEVICE T combined_wide(T left, T right, u32 op) {
  T result;
  narrow(combined(widened(left), widened(right), op), result);
  return result;
}
COLLBENCH_ON_DEVICE Half combined(Half left, Half right, u32 op) { return combined_wide(left, right, op); }
COLLBENCH_ON_DEVICE Bfloat combined(Bfloat left, Bfloat right, u32 op) {
  return combined_wide(left, right, op);
}

/// Combines two machine words, each of which holds one or more elements of type T.
/// @param op a DirectOp
template <class T, class Word>
COLLBENCH_ON_DEVICE Word combined_words(Word left, Word right, u32 op) {
  union Parts {
    Word word;
    T elements[sizeof(Word) / sizeof(T)];
  } a, b;
  a.word = left;
  b.word = right;
  COLLBENCH_UNROLL
  for (u32 i = 0; i < sizeof(Word) / sizeof(T); ++i)
    a.elements[i] = combined(a.elements[i], b.elements[i], op);
  return a.word;
}

/// Unsigned integer type with kBytes bytes, which holds one element of that size.
template <u64 kBytes>
struct WordOf;
template <>
struct WordOf<1> {
  using Word = unsigned char;
};
template <>
struct WordOf<2> {
  using Word = unsigned short;
};
template <>
struct WordOf<4> {
  using Word = u32;
};
template <>
struct WordOf<8> {
  using Word = u64;
};

#ifndef __CUDACC__
/// Calls `work` with a value of the element type `type` (a DirectType), so that `work` can deduce its C++
/// type.
template <class Work>
void with_type(u32 type, Work work) {
  switch (type) {
    case kInt8:
      return work(TypeOf<kInt8>::Element{});
    case kUint8:
      return work(TypeOf<kUint8>::Element{});
    case kInt32:
      return work(TypeOf<kInt32>::Element{});
    case kUint32:
      return work(TypeOf<kUint32>::Element{});
    case kInt64:
      return work(TypeOf<kInt64>::Element{});
    case kUint64:
      return work(TypeOf<kUint64>::Element{});
    case kFloat16:
      return work(TypeOf<kFloat16>::Element{});
    case kBfloat16:
      return work(TypeOf<kBfloat16>::Element{});
    case kFloat32:
      return work(TypeOf<kFloat32>::Element{});
    default:
      return work(TypeOf<kFloat64>::Element{});
  }
}
#endif

}  // namespace gpu
}  // namespace collbench
#endif
