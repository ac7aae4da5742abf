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
  bool connectx = false;   // True for NVIDIA/Mellanox adapters with the mlx5 driver, which GDAKI needs.
};

/// Returns all ports by device and port number; empty if the machine has none.
std::vector<InfinibandPort> list_infiniband(const std::filesystem::path& sysfs = "/sys/class/infiniband");

/// Returns the device of a network interface: "mlx5_0" for "ib0"; "" if it has none.
std::string infiniband_of(const std::string& interface,
                          const std::filesystem::path& sysfs = "/sys/class/net");

}  // namespace collbench::nccl
