#pragma once
#include <string>

namespace collbench::conformance::mlx5 {

/// Runs the tests of the verbs and mlx5 interfaces and prints a result for each.
/// @param path libraries to test, as in VerbsLibrary::open
/// @param only name of a single group of tests; "" = all
void run_all(const std::string& path, const std::string& only);

}  // namespace collbench::conformance::mlx5
