#pragma once
#include <string>

namespace collbench::conformance::sisci {

/// The SISCI library to test, and the numbers of two adapters, which may be equal. Segments are exported at
/// one and imported at the other.
struct SisciTarget {
  std::string path;  // argument of SisciLibrary::open
  unsigned exporter = 0, importer = 0;
};

/// Reads the adapter numbers from text: "0,1" = exporter and importer; "0" = the same adapter for both.
/// @returns false for other text
bool read_adapters(const std::string& text, SisciTarget* target);

/// Runs the tests of the SISCI API and prints a result for each.
/// @param only name of a single group of tests; "" = all
void run_all(const SisciTarget& target, const std::string& only);

}  // namespace collbench::conformance::sisci
