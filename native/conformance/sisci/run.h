#pragma once
#include <string>

namespace collbench::conformance::sisci {

/// The library and adapters to test. Segments are exported at one adapter and imported at another or the
/// same.
struct SisciTarget {
  std::string path;  // argument of Library::open
  unsigned exporter = 0, importer = 0;
};

/// Parses "0" or "0,1". @returns false for other text
bool read_adapters(const std::string& text, SisciTarget* target);

/// Runs all tests of the SISCI API and prints a row for each.
/// @param only a group; "" = all
void run_all(const SisciTarget& target, const std::string& only);

}  // namespace collbench::conformance::sisci
