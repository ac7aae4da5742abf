#pragma once
#include <optional>
#include <string>

namespace collbench::sisci {

/// PCI address of the first Dolphin adapter of this machine, with or without its driver; nothing where there
/// is none, or no PCI bus to be seen.
std::optional<std::string> find_card(const std::string& devices = "/sys/bus/pci/devices");

}  // namespace collbench::sisci
