#pragma once
// InfiniBand and RoCE devices as the kernel lists them.
#include <filesystem>
#include <string>
#include <vector>

namespace collbench::nccl {

struct InfinibandPort {
  std::string device;  // Name of the device: "mlx5_0".
  int port = 1;
  bool active = false;
  std::string rate;        // Rate as the kernel reports it: "400 Gb/sec (4X NDR)"; "" = unknown.
  std::string link_layer;  // "InfiniBand" or "Ethernet".
  /// True for an adapter of NVIDIA or Mellanox: its name begins with "mlx5", or its PCI vendor is 0x15b3.
  /// GDAKI needs one.
  bool connectx = false;
};

/// Returns all ports of all InfiniBand and RoCE devices, sorted by device and port number; empty if there are
/// none.
std::vector<InfinibandPort> list_infiniband(const std::filesystem::path& sysfs = "/sys/class/infiniband");

/// Returns the device of a network interface, such as "mlx5_0" for "ib0"; "" if the interface belongs to no
/// InfiniBand device.
std::string infiniband_of(const std::string& interface,
                          const std::filesystem::path& sysfs = "/sys/class/net");

}  // namespace collbench::nccl
