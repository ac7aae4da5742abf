#pragma once
// Facts about what moves the bytes of a transport, as they are stored with every result.
#include <cstdint>
#include <optional>
#include <string>

namespace collbench {

/// Way on which data move between ranks of one host without a network. kProcessMemory: transport shm copies
/// through memory that both processes map, or directly between them. kSharedMemory: an MPI library uses
/// shared memory of its own. kGpuStores: loads and stores of GPU kernels. kNothing: no data move (engine
/// toy).
enum class LocalPath : std::uint8_t { kProcessMemory, kSharedMemory, kGpuStores, kNothing };
/// Processor that starts RDMA writes, by ringing the adapter's doorbells.
enum class DoorbellSide : std::uint8_t { kCpuThreads, kGpuKernels };
/// Kind of DMA that moves messages of SISCI. kRegistered: between registered buffers, no copy by a CPU.
/// kUserMemory: from user memory into a driver segment of the receiver, whose CPU copies it out.
enum class DmaPath : std::uint8_t { kRegistered, kUserMemory };

/// Facts about what moves the bytes. Absent = does not apply or is not known. The controller turns them into
/// words (results/schema/transports/detail.ts).
struct TransportDetail {
  /// Training framework with its version ("PyTorch 2.11.0"), and its communication library ("gloo").
  std::optional<std::string> framework, backend;
  /// Communication library with its version ("NCCL 2.28.9"), and the transport that it was told to use
  /// ("p2p").
  std::optional<std::string> library, library_transport;
  /// NCCL net plugin: its name, its file, its device and the version of its interface (10 for ncclNet_v10).
  std::optional<std::string> net_plugin, net_plugin_path, net_plugin_device;
  std::optional<int> net_plugin_version;
  std::optional<std::string> network_interface;
  std::optional<int> streams;       // TCP connections per peer; absent = one
  std::optional<int> buffer_bytes;  // size of the kernel's buffers of a connection
  /// True if collbench chose the interface: ranks are on several hosts and the user named none.
  std::optional<bool> chose_interface;
  /// True if lo carries the bytes to a peer although another interface was chosen, because that peer is on
  /// this machine.
  std::optional<bool> carried_by_loopback;
  std::optional<LocalPath> local_path;
  std::optional<int> copies;             // how often a large message is copied: once or twice
  std::optional<int> single_copy_bytes;  // length of the shortest message that is copied only once
  /// Adapter ("SISCI 2.5", "mlx5_0"), path of its library, its number in the fabric.
  std::optional<std::string> adapter, adapter_library;
  std::optional<int> node;
  /// Software device in place of an adapter ("softntb", "softmlx5"), and its link model ("pcie-gen3-x8").
  std::optional<std::string> software_card, link;
  std::optional<std::string> queue;  // kind of the adapter's queues: "rc", "dc"
  std::optional<DoorbellSide> doorbells;
  std::optional<DmaPath> dma;
  /// True if a fake of NCCL, NVSHMEM or CUDA moves the bytes in host memory, as in tests.
  std::optional<bool> is_fake;
  /// True if ranks share a GPU. They take turns on it, unless CUDA's Multi-Process Service (MPS) runs their
  /// kernels at the same time.
  std::optional<bool> shares_gpu, uses_mps;
};

}  // namespace collbench
