#pragma once
#include <string>

namespace collbench::conformance::mlx5 {

/// Runs all tests of the verbs and mlx5 interfaces against the library at `path` (Library::open) and prints a
/// row for each.
/// @param only a group; "" = all
void run_all(const std::string& path, const std::string& only);

}  // namespace collbench::conformance::mlx5
