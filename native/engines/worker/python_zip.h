#pragma once
// Packs Python modules into a file that Python can import from like a folder.
#include <map>
#include <string>

namespace collbench::worker {

/// Returns the bytes of an uncompressed zip file from which Python can import. @param modules source text by
/// module name, without ".py"
std::string python_zip(const std::map<std::string, std::string>& modules);

}  // namespace collbench::worker
