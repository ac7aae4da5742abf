#pragma once
// The one interface of every data mover, shaped like NCCL's net plugin API: listen, connect, accept,
// register, isend, irecv, test, flush, close. The same transport thus serves the cpu engine, our exported
// plugin and any foreign plugin. No call blocks: one that is not ready returns nullptr or false and is
// repeated with the same arguments. Failures throw collbench::Error (core/error.h). One comm object is used
// by one thread at a time.
#include <poll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace collbench {

/// Address of a listener that its peer receives out of band. 128 bytes like NCCL_NET_HANDLE_MAXSIZE; plain
/// data.
using ConnectHandle = std::array<std::byte, 128>;

enum class MemoryKind : std::uint8_t { kHost, kCuda };

/// Whether real hardware moves the bytes or a software device in its place. Unknown for foreign plugins that
/// do not report it.
enum class Medium : std::uint8_t { kHardware, kEmulated, kUnknown };
inline constexpr const char* kMediumNames[] = {"hardware", "emulated", "unknown"};

struct DeviceProperties {
  std::string name;      // unique per device, e.g. "lo", "sisci0"
  std::string pci_path;  // sysfs path; empty if the device is not on PCI
  Medium medium = Medium::kHardware;
  std::string detail;       // one line for users: "TCP over lo", "softntb, link pcie-gen3-x8"
  int speed_mbps = 0;       // 0 = unknown
  float latency_us = 0.0F;  // 0 = unknown
  int max_receives = 1;     // receive buffers that one irecv may group
  int max_comms = 0;        // connections of one rank, each way; 0 = no limit
  std::size_t max_message_bytes = SIZE_MAX;
  std::size_t flagged_bytes = 0;  // longest message that can carry flags (carry_flags()); 0 = none
  bool host_memory = true;
  bool cuda_memory = false;
};

/// Bytes and messages handed over since the transport object was made. Read between blocks as evidence.
struct TransportCounters {
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t flagged_sent = 0;  // messages sent that carried flags
};

/// A registration of one memory range with one comm. Owned by the comm; valid until deregister_memory() or
/// the comm's end.
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
  std::size_t bytes = 0;  // upper bound; test() returns the received length
  int tag = 0;
  MemoryRegion* region = nullptr;
};

class SendComm {
 public:
  virtual ~SendComm() = default;
  /// Prepares `bytes` at `data` for sending. nullptr if the transport needs no registration.
  virtual MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) = 0;
  virtual void deregister_memory(MemoryRegion* region) = 0;
  /// Starts to send; a message may have 0 bytes. nullptr = no room now, call again. `data` must stay
  /// unchanged until test() returns true.
  virtual Request* isend(const void* data, std::size_t bytes, int tag, MemoryRegion* region) = 0;
  /// Drives progress. True once, when the buffer may be used again.
  virtual bool test(Request* request) = 0;
  /// Selects whether messages up to DeviceProperties::flagged_bytes carry flags in their data instead of
  /// being announced (flagged_words.h). Receivers accept both forms at any time.
  virtual void carry_flags(bool /*on*/) {}
  /// Adds the descriptors that become ready when test() may make progress, for a caller that sleeps in
  /// poll(). Adds none if only another call can show progress. The same holds in all classes here.
  virtual void add_to_poll(std::vector<pollfd>& /*set*/) const {}
};

class RecvComm {
 public:
  virtual ~RecvComm() = default;
  virtual MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) = 0;
  virtual void deregister_memory(MemoryRegion* region) = 0;
  /// Posts 1 to max_receives buffers. If max_receives is 1, the messages of a connection match in order.
  virtual Request* irecv(std::span<const ReceiveBuffer> buffers) = 0;
  /// True once, when the data is in place. `received_bytes` receives one size per buffer; it may be nullptr.
  virtual bool test(Request* request, std::size_t* received_bytes) = 0;
  /// Makes received data visible to a GPU. nullptr = no wait is needed, which is always so for host memory.
  virtual Request* iflush(std::span<const ReceiveBuffer> buffers) = 0;
  virtual void add_to_poll(std::vector<pollfd>& /*set*/) const {}
};

class ListenComm {
 public:
  virtual ~ListenComm() = default;
  [[nodiscard]] virtual const ConnectHandle& handle() const = 0;
  /// A new connection; nullptr if none is complete yet.
  virtual std::unique_ptr<RecvComm> accept() = 0;
  virtual void add_to_poll(std::vector<pollfd>& /*set*/) const {}
};

/// A connection being made. Repeat poll() until it returns the comm; destroying the object abandons the
/// attempt.
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
  /// Queues that the caller writes itself (transports/puts.h); nullptr if this transport has none.
  virtual PutPort* put_port() { return nullptr; }
};

/// Options of a new transport object; every field is recorded with the launch.
struct TransportOptions {
  std::string
      interface_name;  // socket: network interface to bind to; empty = chosen by the transport, then recorded
  std::string token;   // the run's secret, 32 hex digits; listeners refuse peers that do not know it
  int rank = 0;
  int ranks = 1;
  bool spans_hosts = false;  // some ranks are on other machines, so lo does not reach all
  bool sleeps = true;        // waiting threads may sleep on the descriptors that add_to_poll() adds
  int streams = 0;           // socket: TCP connections per peer, 0 = choose
  std::string queue = "rc";  // ibgda: rc or dc (ibgda/device.h, QueueKind)
  std::string initiators = "CPU threads";  // ibgda: who rings the doorbells, in words for users
  std::string link = "none";               // sisci on softntb: link model
  std::string fault;                       // softntb fault switches, "" = none (softntb/README.md)
  std::string library;  // sisci: path of libsisci.so, plugin: path of the plugin; "" = search
  bool path_proof =
      true;  // sisci: prove the DMA path on connect (off only to test that verification catches it)
};

}  // namespace collbench
