#pragma once
#include <string>

namespace collbench::worker {

/// A zip with one module, which Python imports where the file stands in PYTHONPATH.
std::string python_zip(const std::string& module, const std::string& text);

}  // namespace collbench::worker
