#pragma once
// One opened adapter: protection domain, numbers that queues need, registered memory.
#include <memory>
#include <string>

#include "transports/ibgda/dc_target.h"
#include "transports/ibgda/library.h"

namespace collbench::ibgda {

/// A memory registration with the adapter; destroying it deregisters the memory.
class Registration final : public MemoryRegion {
 public:
  Registration(std::shared_ptr<const VerbsLibrary> library, rdma::ibv_mr* region) noexcept
      : library_(std::move(library)), region_(region) {}
  ~Registration() override;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  [[nodiscard]] bool covers(const void* data, std::size_t bytes) const noexcept;
  [[nodiscard]] std::uint32_t local_key() const noexcept { return region_->lkey; }
  [[nodiscard]] std::uint32_t remote_key() const noexcept { return region_->rkey; }

 private:
  std::shared_ptr<const VerbsLibrary> library_;
  rdma::ibv_mr* region_;
};

/// Type of the queues to peers. kReliable: reliable connections (RC), one queue per peer. kDynamic:
/// dynamically connected (DC) queues; each entry names the target that it writes to, and one target per
/// process receives from all peers.
enum class QueueKind : std::uint8_t { kReliable, kDynamic };

/// Returns the queue type for "rc" or "dc".
/// @throws Error(kInvalidArgument) for any other name
QueueKind queue_kind(const std::string& name);

/// Lists in words what the adapter would need for queues of this type and does not have; "" if nothing is
/// missing.
/// @param general the adapter's general capabilities as the command QUERY_HCA_CAP returns them
/// @param is_ethernet true for RoCE, false for InfiniBand
std::string missing_abilities(QueueKind kind, const void* general, bool is_ethernet);

/// An opened RDMA adapter with its protection domain. All connections of a transport share it.
class IbgdaDevice {
 public:
  /// Opens the adapter, using its port 1.
  /// @param name "mlx5_0"; "" = the first mlx5 adapter that can be opened and whose port is active
  /// @throws Error(kUnavailable) naming what is missing
  IbgdaDevice(std::shared_ptr<const VerbsLibrary> library, const std::string& name, QueueKind kind);
  ~IbgdaDevice();
  IbgdaDevice(const IbgdaDevice&) = delete;
  IbgdaDevice& operator=(const IbgdaDevice&) = delete;

  /// Registers memory with the adapter, for local and remote access, until the result is destroyed.
  /// @throws Error(kUnavailable) if the adapter refuses the range
  [[nodiscard]] std::unique_ptr<Registration> register_memory(void* data, std::size_t bytes) const;

  [[nodiscard]] const VerbsLibrary& library() const noexcept { return *library_; }
  [[nodiscard]] rdma::ibv_context* context() const noexcept { return context_; }
  /// Returns the DC target through which peers write to this process; nullptr if queues are reliable
  /// connections.
  [[nodiscard]] const DcTarget* target() const noexcept { return target_.get(); }
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
  std::shared_ptr<const VerbsLibrary> library_;
  rdma::ibv_context* context_ = nullptr;
  rdma::ibv_pd* domain_ = nullptr;
  std::uint32_t domain_number_ = 0;
  std::string name_, pci_path_;
  rdma::ibv_port_attr port_{};
  rdma::ibv_gid gid_{};
  std::unique_ptr<DcTarget> target_;
};

}  // namespace collbench::ibgda
