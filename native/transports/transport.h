#pragma once
// The one contract every data mover fulfils, shaped like NCCL's net plugin API so that the same transport
// serves the cpu engine, our exported plugin and any foreign plugin: listen, connect, accept, register,
// isend, irecv, test, flush, close. Nothing here blocks: what is not ready returns nullptr or false and is
// called again with the same arguments. Failures throw collbench::Error (core/error.h). One comm object is
// used by one thread at a time.
#include <poll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace collbench {

/// What a listener gives to its peer out of band; 128 bytes like NCCL_NET_HANDLE_MAXSIZE, plain data,
/// copyable.
using ConnectHandle = std::array<std::byte, 128>;

enum class MemoryKind : std::uint8_t { kHost, kCuda };

/// Whether the bytes go through the thing named, or through a software device standing in for it; unknown of
/// foreign plugins, which do not say.
enum class Medium : std::uint8_t { kHardware, kEmulated, kUnknown };
inline constexpr const char* kMediumNames[] = {"hardware", "emulated", "unknown"};

struct DeviceProperties {
  std::string name;      // unique per device, e.g. "lo", "sisci0"
  std::string pci_path;  // sysfs path, empty when there is none
  Medium medium = Medium::kHardware;
  std::string detail;       // one line for people: "TCP over lo", "softntb, link pcie-gen3-x8"
  int speed_mbps = 0;       // 0 = unknown
  float latency_us = 0.0F;  // 0 = unknown
  int max_receives = 1;     // receives one irecv may group
  int max_comms = 0;        // connections of one rank, each way; 0 = no limit
  std::size_t max_message_bytes = SIZE_MAX;
  std::size_t flagged_bytes = 0;  // longest message that can carry_flags(); 0 = none can
  bool host_memory = true;
  bool cuda_memory = false;
};

/// Bytes and messages handed over since the transport object was made; evidence, read between blocks.
struct TransportCounters {
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t flagged_sent = 0;  // of the messages sent, those that carried flags
};

/// A registration of one memory range with one comm. Owned by the comm; dies with deregister() or the comm.
struct MemoryRegion {
  virtual ~MemoryRegion() = default;
};

/// An operation in flight. Owned by the comm; invalid once test() has returned true.
struct Request {
 protected:
  ~Request() = default;
};

struct ReceiveBuffer {
  void* data = nullptr;
  std::size_t bytes = 0;  // upper bound; what came is told by test()
  int tag = 0;
  MemoryRegion* region = nullptr;
};

class SendComm {
 public:
  virtual ~SendComm() = default;
  /// Prepares `bytes` at `data` for sending; may return nullptr where the transport needs no registration.
  virtual MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) = 0;
  virtual void deregister_memory(MemoryRegion* region) = 0;
  /// Starts to send; 0 bytes is a message too. nullptr = no room now, call again. `data` stays untouched
  /// until test().
  virtual Request* isend(const void* data, std::size_t bytes, int tag, MemoryRegion* region) = 0;
  /// True once, when the buffer may be used again; drives progress.
  virtual bool test(Request* request) = 0;
  /// Whether messages of at most DeviceProperties::flagged_bytes carry flags in their data from now on, and
  /// are not announced (flagged_words.h). Receivers take them as they come.
  virtual void carry_flags(bool /*on*/) {}
  /// Adds what becomes ready when test() may get on with what is in flight, for a caller that sleeps until
  /// then; nothing where only calling again can tell. So in all classes here.
  virtual void add_to_poll(std::vector<pollfd>& /*set*/) const {}
};

class RecvComm {
 public:
  virtual ~RecvComm() = default;
  virtual MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) = 0;
  virtual void deregister_memory(MemoryRegion* region) = 0;
  /// Posts 1 to max_receives buffers. Messages of one connection match in order when max_receives is 1.
  virtual Request* irecv(std::span<const ReceiveBuffer> buffers) = 0;
  /// True once, when the data is in place; `received_bytes` (one per buffer, may be nullptr) gets the sizes.
  virtual bool test(Request* request, std::size_t* received_bytes) = 0;
  /// Makes received data visible to a GPU; nullptr = nothing to wait for (always so for host memory).
  virtual Request* iflush(std::span<const ReceiveBuffer> buffers) = 0;
  virtual void add_to_poll(std::vector<pollfd>& /*set*/) const {}
};

class ListenComm {
 public:
  virtual ~ListenComm() = default;
  [[nodiscard]] virtual const ConnectHandle& handle() const = 0;
  /// nullptr = nobody has connected completely yet.
  virtual std::unique_ptr<RecvComm> accept() = 0;
  virtual void add_to_poll(std::vector<pollfd>& /*set*/) const {}
};

/// A connection being made: poll() until it yields the comm. Destroying it early abandons the attempt.
class Connecting {
 public:
  virtual ~Connecting() = default;
  virtual std::unique_ptr<SendComm> poll() = 0;
  virtual void add_to_poll(std::vector<pollfd>& /*set*/) const {}
};

class PutPort;

class Transport {
 public:
  virtual ~Transport() = default;
  [[nodiscard]] virtual std::vector<DeviceProperties> devices() = 0;
  virtual std::unique_ptr<ListenComm> listen(int device) = 0;
  virtual std::unique_ptr<Connecting> connect(int device, const ConnectHandle& handle) = 0;
  [[nodiscard]] virtual TransportCounters counters() const = 0;
  /// Queues that the caller writes itself (transports/puts.h); nullptr: this transport has none.
  virtual PutPort* put_port() { return nullptr; }
};

/// What a transport is told when it is made; every field is recorded with the launch.
struct TransportOptions {
  std::string
      interface_name;  // socket: network interface to bind to; empty = chosen by the transport, then recorded
  std::string token;   // the run's secret, 32 hex digits; data listeners refuse whoever does not know it
  int rank = 0;
  int ranks = 1;
  bool spans_hosts = false;                // there are ranks on other machines, which lo does not reach
  bool sleeps = true;                      // who waits may sleep on what add_to_poll() adds
  int streams = 0;                         // socket: TCP connections per peer, 0 = choose
  std::string queue = "rc";                // ibgda: rc or dc (ibgda/device.h, QueueKind)
  std::string initiators = "CPU threads";  // ibgda: who rings, for people
  std::string link = "none";               // sisci on softntb: link model
  std::string fault;                       // softntb fault switches, "" = none (softntb/README.md)
  std::string library;  // sisci: path of libsisci.so, plugin: path of the plugin; "" = search
  bool path_proof =
      true;  // sisci: prove the DMA path on connect (off only to test that verification catches it)
};

}  // namespace collbench
