// Memory operations of streams: store a word, wait for a word.
#include <atomic>

#include "core/spin.h"
#include "cuda/fake/driver/memory.h"
#include "cuda/fake/driver/stream.h"
#include "cuda/fake/fake_cuda.h"

using namespace collbench::cuda_fake;

namespace {

template <class Word>
std::atomic_ref<Word> word_at(std::uint64_t at) {
  return std::atomic_ref<Word>(*reinterpret_cast<Word*>(at));
}

/// Returns true if the address is aligned to the word's length (`bytes`) and in memory that the device can
/// access.
bool is_valid_word(std::uint64_t at, std::size_t bytes) {
  Allocation found;
  return at % bytes == 0 && find_memory(reinterpret_cast<const void*>(at), bytes, &found) && found.is_mapped;
}

template <class Word>
int store(void* handle, std::uint64_t at, Word word) {
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  if (!is_valid_word(at, sizeof word)) return kInvalidValue;
  return stream->enqueue([at, word] {
    word_at<Word>(at).store(word, std::memory_order_seq_cst);
    return static_cast<int>(kSuccess);
  });
}

}  // namespace

FAKE_EXPORT int cuStreamWriteValue32_v2(void* stream, std::uint64_t at, std::uint32_t word, unsigned) {
  return store(stream, at, word);
}
FAKE_EXPORT int cuStreamWriteValue64_v2(void* stream, std::uint64_t at, std::uint64_t word, unsigned) {
  return store(stream, at, word);
}

FAKE_EXPORT int cuStreamWaitValue32_v2(void* handle, std::uint64_t at, std::uint32_t word, unsigned flags) {
  constexpr unsigned kGreaterEqual = 0, kEqual = 1, kAnd = 2, kNor = 3;
  std::shared_ptr<Stream> stream;
  if (const int result = require_stream(handle, stream); result != kSuccess) return result;
  if (flags > kNor || !is_valid_word(at, sizeof word)) return kInvalidValue;
  return stream->enqueue([=] {
    const auto has_come = [=](std::uint32_t seen) {
      switch (flags) {
        case kGreaterEqual:
          return static_cast<std::int32_t>(seen - word) >= 0;
        case kEqual:
          return seen == word;
        case kAnd:
          return (seen & word) != 0;
        default:
          return ~(seen | word) != 0;
      }
    };
    while (!has_come(word_at<std::uint32_t>(at).load(std::memory_order_acquire))) collbench::yield_core();
    return static_cast<int>(kSuccess);
  });
}
