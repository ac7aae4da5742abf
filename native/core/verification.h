#pragma once
#include <cstdint>
#include <string>

namespace collbench {

/// Result of comparing what units of work left on one rank. Texts are decimal (64-bit integers exactly)
/// and empty when nothing is wrong.
struct Verification {
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  std::uint64_t first_index = 0;  // of the first wrong element
  std::string wanted;
  std::string got;
  std::string note;         // what the wrong value is known to be, or ""
  std::uint64_t units = 1;  // whose output was compared
};

}  // namespace collbench
