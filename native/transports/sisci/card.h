#pragma once
#include <optional>
#include <string>

namespace collbench::sisci {

/// Returns the PCI address of the first Dolphin adapter, whether or not a driver serves it; nullopt if the
/// machine has none or PCI devices cannot be listed.
/// @param devices sysfs folder of PCI devices
std::optional<std::string> find_card(const std::string& devices = "/sys/bus/pci/devices");

}  // namespace collbench::sisci
