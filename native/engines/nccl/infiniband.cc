#include "engines/nccl/infiniband.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace collbench::nccl {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed))
    entries.push_back(entry->path());
  // By number where names have one: port 2 before port 10.
  std::sort(entries.begin(), entries.end(), [](const fs::path& one, const fs::path& other) {
    return strverscmp(one.filename().c_str(), other.filename().c_str()) < 0;
  });
  return entries;
}

}  // namespace

std::vector<InfinibandPort> list_infiniband(const fs::path& sysfs) {
  std::vector<InfinibandPort> ports;
  for (const auto& device : entries_of(sysfs))
    for (const auto& entry : entries_of(device / "ports")) {
      InfinibandPort port;
      port.device = device.filename().string();
      port.port = std::atoi(entry.filename().c_str());
      // The file contains "4: ACTIVE".
      port.active = first_line(entry / "state").find("ACTIVE") != std::string::npos;
      port.rate = first_line(entry / "rate");
      port.link_layer = first_line(entry / "link_layer");
      port.connectx = port.device.starts_with("mlx5") || first_line(device / "device" / "vendor") == "0x15b3";
      ports.push_back(port);
    }
  return ports;
}

std::string infiniband_of(const std::string& interface, const fs::path& sysfs) {
  const auto devices = entries_of(sysfs / interface / "device" / "infiniband");
  return devices.empty() ? "" : devices.front().filename().string();
}

}  // namespace collbench::nccl
