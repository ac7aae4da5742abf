#pragma once
// Facts about a shared library, read from its file without loading it.
#include <string>
#include <vector>

namespace collbench::facts {

/// Facts about a shared library, read from its file: whether this machine can load it, and what it exports.
struct ElfFacts {
  std::string problem;   // "" = a shared library for this kind of machine; otherwise why it is not
  std::string build_id;  // GNU build id in hex; "" = none
  std::vector<std::string> symbols;  // defined symbols that begin with "nccl" and end in "_vN", sorted
};
/// Reads the headers and tables of the file, not its code; at most 256 exported symbols. Never throws: a file
/// that is unreadable, or no shared library for this machine, gives only a `problem`.
ElfFacts read_elf(const std::string& path);

}  // namespace collbench::facts
