#pragma once
// One opened adapter: protection domain, numbers that queues need, memory that it may touch.
#include <memory>
#include <string>

#include "transports/ibgda/library.h"

namespace collbench::ibgda {

/// Registered with the adapter for as long as it lives.
class Registration final : public MemoryRegion {
 public:
  Registration(std::shared_ptr<const Library> library, rdma::ibv_mr* region) noexcept
      : library_(std::move(library)), region_(region) {}
  ~Registration() override;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  [[nodiscard]] bool covers(const void* data, std::size_t bytes) const noexcept;
  [[nodiscard]] std::uint32_t local_key() const noexcept { return region_->lkey; }
  [[nodiscard]] std::uint32_t remote_key() const noexcept { return region_->rkey; }

 private:
  std::shared_ptr<const Library> library_;
  rdma::ibv_mr* region_;
};

class Device {
 public:
  /// @param name of the adapter ("mlx5_0"); "" = the first whose port is active
  /// @throws Error(kUnavailable) with what is missing
  Device(std::shared_ptr<const Library> library, const std::string& name);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  /// @throws Error(kUnavailable) where the adapter refuses the range
  [[nodiscard]] std::unique_ptr<Registration> register_memory(void* data, std::size_t bytes) const;

  [[nodiscard]] const Library& library() const noexcept { return *library_; }
  [[nodiscard]] rdma::ibv_context* context() const noexcept { return context_; }
  [[nodiscard]] std::uint32_t domain() const noexcept { return domain_number_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::uint16_t lid() const noexcept { return port_.lid; }
  [[nodiscard]] const rdma::ibv_gid& gid() const noexcept { return gid_; }
  [[nodiscard]] bool is_ethernet() const noexcept {
    return port_.link_layer == rdma::IBV_LINK_LAYER_ETHERNET;
  }
  [[nodiscard]] unsigned mtu() const noexcept { return static_cast<unsigned>(port_.active_mtu); }
  [[nodiscard]] int speed_mbps() const noexcept;
  [[nodiscard]] const std::string& pci_path() const noexcept { return pci_path_; }

 private:
  std::shared_ptr<const Library> library_;
  rdma::ibv_context* context_ = nullptr;
  rdma::ibv_pd* domain_ = nullptr;
  std::uint32_t domain_number_ = 0;
  std::string name_, pci_path_;
  rdma::ibv_port_attr port_{};
  rdma::ibv_gid gid_{};
};

inline constexpr std::uint8_t kPort = 1;

}  // namespace collbench::ibgda
