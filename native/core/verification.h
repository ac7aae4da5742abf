#pragma once
#include <cstdint>
#include <string>

namespace collbench {

/// Result of comparing output with expected output on one rank, for one or more operations. `compared` and
/// `wrong` are numbers of elements. `wanted` and `got` are the expected and actual value of the first wrong
/// element, as decimal text, so that 64-bit integers are exact; empty if nothing is wrong.
struct Verification {
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  std::uint64_t first_index = 0;  // Index of the first wrong element.
  std::string wanted;
  std::string got;
  std::string note;         // Explains the wrong value if it is recognised, or "".
  std::uint64_t units = 1;  // Number of units of work whose output was compared.
};

}  // namespace collbench
