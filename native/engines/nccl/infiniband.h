#pragma once
// InfiniBand and RoCE devices as the kernel lists them.
#include <filesystem>
#include <string>
#include <vector>

namespace collbench::nccl {

struct InfinibandPort {
  std::string device;  // "mlx5_0"
  int port = 1;
  bool active = false;
  std::string rate;        // "400 Gb/sec (4X NDR)", "" = not said
  std::string link_layer;  // "InfiniBand", "Ethernet"
  bool connectx = false;   // of NVIDIA/Mellanox with the mlx5 driver, which GDAKI needs
};

/// By device and port; empty where the machine has none.
std::vector<InfinibandPort> list_infiniband(const std::filesystem::path& sysfs = "/sys/class/infiniband");

/// The device that a network interface is of: "mlx5_0" for "ib0"; empty where it is of none.
std::string infiniband_of(const std::string& interface,
                          const std::filesystem::path& sysfs = "/sys/class/net");

}  // namespace collbench::nccl
