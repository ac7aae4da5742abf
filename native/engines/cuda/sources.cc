#include "engines/cuda/sources.h"

#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace collbench::gpu {

/// Returns the text of the kernels for puts, with everything that it includes; stores_text() returns that of
/// the kernels for stores.
const char* puts_text() noexcept;
const char* stores_text() noexcept;

const char* source_of(KernelText text, std::uint32_t type, std::uint32_t op) {
  static std::mutex mutex;
  static std::map<std::tuple<KernelText, std::uint32_t, std::uint32_t>, std::string> known;
  const std::lock_guard lock(mutex);
  std::string& source = known[{text, type, op}];
  if (source.empty())
    source = "#define COLLBENCH_TYPE " + std::to_string(type) + "\n#define COLLBENCH_OP " +
             std::to_string(op) + "\n" + (text == KernelText::kPuts ? puts_text() : stores_text());
  return source.c_str();
}

}  // namespace collbench::gpu
