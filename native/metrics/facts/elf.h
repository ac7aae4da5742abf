#pragma once
// What a shared library says about itself without being loaded.
#include <string>
#include <vector>

namespace collbench::facts {

struct ElfFacts {
  std::string problem;               // "" = a shared library for this kind of machine
  std::string build_id;              // hex of the GNU note; "" = none
  std::vector<std::string> symbols;  // defined ones that begin with "nccl" and end in "_vN", sorted
};
/// Reads at most the tables of the file; never throws.
ElfFacts read_elf(const std::string& path);

}  // namespace collbench::facts
