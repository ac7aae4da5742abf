// PCI devices on the path of collective data: GPUs, network adapters, accelerators, NTBs, and the bridges
// above them. A server has hundreds of others, which are skipped.
#include <limits.h>
#include <stdlib.h>

#include <set>

#include "metrics/facts/facts.h"
#include "metrics/inventory.h"

namespace collbench::facts {
namespace {

constexpr std::size_t kConfigBytes = 4096;  // only root can read beyond the first 64
constexpr std::size_t kMaxDevices = 512;

/// True for PCI classes of devices that move data: network, display, accelerator, InfiniBand (0c06) and other
/// bridges (0680), such as NTBs.
/// @param class_code base class, subclass and interface in one number: 0x0200xx is Ethernet
bool carries_data(unsigned long class_code) {
  const unsigned long base = class_code >> 16, kind = class_code >> 8;
  return base == 0x02 || base == 0x03 || base == 0x12 || kind == 0x0680 || kind == 0x0c06;
}

/// True for a PCI address such as "0000:17:00.0".
bool is_address(const std::string& name) { return name.size() == 12 && name[4] == ':' && name[10] == '.'; }

/// Adds to `wanted` the PCI addresses of a device and of all bridges above it.
/// @param place its path: /sys/devices/pci0000:16/0000:16:02.0/0000:17:00.0
void add_with_bridges(const std::string& place, std::set<std::string>& wanted) {
  for (std::size_t begin = 0; begin < place.size();) {
    const auto end = std::min(place.find('/', begin), place.size());
    const std::string part = place.substr(begin, end - begin);
    if (is_address(part)) wanted.insert(part);
    begin = end + 1;
  }
}

}  // namespace

void read_pci(const std::string& root, Files& files) {
  const std::string folder = "/sys/bus/pci/devices/";
  Files seen;
  add_text(root, folder + "*/class", seen);
  std::set<std::string> wanted;
  for (const auto& [path, text] : seen.text) {
    const std::string device = path.substr(0, path.rfind('/'));
    if (!carries_data(std::strtoul(text.c_str(), nullptr, 16)) || wanted.size() >= kMaxDevices) continue;
    char place[PATH_MAX];
    wanted.insert(device.substr(folder.size()));
    if (realpath((root + device).c_str(), place) != nullptr) add_with_bridges(place, wanted);
  }
  for (const std::string& address : wanted) {
    const std::string device = folder + address;
    add_text(root, device + "/{class,vendor,device,subsystem_vendor,numa_node,local_cpulist}", files);
    add_text(root, device + "/{current_link_speed,current_link_width,max_link_speed,max_link_width}", files);
    add_link(root, device, files);
    add_link(root, device + "/{driver,iommu_group}", files);
    add_hex(root, device + "/config", kConfigBytes, files);
  }
}

}  // namespace collbench::facts
