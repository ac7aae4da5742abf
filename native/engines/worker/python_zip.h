#pragma once
// Python modules as a file that Python takes for a folder of them.
#include <map>
#include <string>

namespace collbench::worker {

/// A zip file, nothing compressed. @param modules text by name, without ".py"
std::string python_zip(const std::map<std::string, std::string>& modules);

}  // namespace collbench::worker
