#pragma once
#include <optional>
#include <string>

namespace collbench::sisci {

/// PCI address of the first Dolphin adapter, with or without a driver; nullopt if the machine has none or no
/// visible PCI bus.
std::optional<std::string> find_card(const std::string& devices = "/sys/bus/pci/devices");

}  // namespace collbench::sisci
