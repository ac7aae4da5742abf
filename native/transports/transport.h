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

#include "transports/detail.h"

namespace collbench {

/// Address of a listener, in a form private to the transport. The caller sends it to the peer by other means,
/// and the peer passes it to connect(). 128 bytes like NCCL_NET_HANDLE_MAXSIZE; plain data.
using ConnectHandle = std::array<std::byte, 128>;

enum class MemoryKind : std::uint8_t { kHost, kCuda };

/// Says whether real hardware moves the bytes or an emulation in software does. kUnknown: a foreign plugin
/// that does not report it.
enum class Medium : std::uint8_t { kHardware, kEmulated, kUnknown };

struct DeviceProperties {
  std::string name;      // unique per device, e.g. "lo", "sisci0"
  std::string pci_path;  // sysfs path; empty if the device is not on PCI
  Medium medium = Medium::kHardware;
  TransportDetail detail;
  int speed_mbps = 0;       // 0 = unknown
  float latency_us = 0.0F;  // 0 = unknown
  int max_receives = 1;     // receive buffers that one irecv may group
  int max_comms = 0;        // connections of one rank, each way; 0 = no limit
  std::size_t max_message_bytes = SIZE_MAX;
  std::size_t flagged_bytes = 0;  // longest message that can carry flags (carry_flags()); 0 = none
  bool host_memory = true;
  bool cuda_memory = false;
};

/// Bytes and messages that the program handed to the transport, or received from it, since the transport
/// object was made. They are read between blocks of measurements, to prove that the data took this transport.
struct TransportCounters {
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t flagged_sent = 0;  // messages sent that carried flags
};

/// A registration of one memory range. One made by register_memory() of a comm belongs to the comm and is
/// valid until deregister_memory() or until the comm is destroyed. One made by PutPort::expose() belongs to
/// the caller.
struct MemoryRegion {
  virtual ~MemoryRegion() = default;
};

/// A send, receive or flush that is not finished. The comm owns it; the pointer is invalid once test() has
/// returned true.
struct Request {
 protected:
  ~Request() = default;
};

/// Memory for one incoming message, with the tag that the message must have.
struct ReceiveBuffer {
  void* data = nullptr;
  std::size_t bytes = 0;  // upper bound; test() returns the received length
  int tag = 0;
  MemoryRegion* region = nullptr;
};

/// Sending end of a connection between two ranks. One thread at a time uses it.
class SendComm {
 public:
  virtual ~SendComm() = default;
  /// Registers [data, data + bytes) for sending from it. Returns nullptr if the transport needs no
  /// registration; isend() accepts nullptr too.
  virtual MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) = 0;
  virtual void deregister_memory(MemoryRegion* region) = 0;
  /// Starts to send one message, which may have 0 bytes. Returns nullptr if there is no room now; the caller
  /// repeats the call. `data` must stay unchanged until test() returns true.
  virtual Request* isend(const void* data, std::size_t bytes, int tag, MemoryRegion* region) = 0;
  /// Lets the comm work without waiting. Returns true once: when the message has left `data`, so that the
  /// caller may reuse the memory.
  virtual bool test(Request* request) = 0;
  /// Selects whether messages of at most DeviceProperties::flagged_bytes carry flags in their data instead of
  /// being announced separately (flagged_words.h). The receiver needs no setting: it accepts both forms at
  /// any time.
  virtual void carry_flags(bool /*on*/) {}
  /// Adds the file descriptors that become ready when a further call can make progress, for a caller that
  /// wants to sleep in poll(). Adds none if only a further call can show whether progress is possible; then
  /// the caller must not sleep.
  virtual void add_to_poll(std::vector<pollfd>& /*set*/) const {}
};

/// Receiving end of a connection between two ranks. One thread at a time uses it.
class RecvComm {
 public:
  virtual ~RecvComm() = default;
  virtual MemoryRegion* register_memory(void* data, std::size_t bytes, MemoryKind kind) = 0;
  virtual void deregister_memory(MemoryRegion* region) = 0;
  /// Posts one receive with 1 to DeviceProperties::max_receives buffers, one message each. Returns nullptr if
  /// there is no room now. If max_receives is 1, messages fill the posted buffers in the order in which they
  /// were sent.
  virtual Request* irecv(std::span<const ReceiveBuffer> buffers) = 0;
  /// Lets the comm work without waiting. Returns true once: when all data of the request is in its buffers.
  /// @param received_bytes null, or an array that receives the length of each buffer's message
  virtual bool test(Request* request, std::size_t* received_bytes) = 0;
  /// Starts to make received data visible to a GPU. Returns a request for test(), or nullptr if nothing has
  /// to be awaited; with buffers in host memory it is always nullptr.
  virtual Request* iflush(std::span<const ReceiveBuffer> buffers) = 0;
  virtual void add_to_poll(std::vector<pollfd>& /*set*/) const {}
};

/// A listener: peers connect to the address that handle() returns.
class ListenComm {
 public:
  virtual ~ListenComm() = default;
  [[nodiscard]] virtual const ConnectHandle& handle() const = 0;
  /// Returns the receiving end of a new connection; nullptr if no connection is complete yet.
  virtual std::unique_ptr<RecvComm> accept() = 0;
  virtual void add_to_poll(std::vector<pollfd>& /*set*/) const {}
};

/// A connection that is being made. The caller repeats poll() until it returns the comm (nullptr = not yet).
/// Destroying this object earlier abandons the attempt.
class Connecting {
 public:
  virtual ~Connecting() = default;
  virtual std::unique_ptr<SendComm> poll() = 0;
  virtual void add_to_poll(std::vector<pollfd>& /*set*/) const {}
};

class PutPort;

/// A way to move data between ranks, e.g. TCP, shared memory or RDMA. It makes listeners and connections;
/// these may outlive it.
class Transport {
 public:
  virtual ~Transport() = default;
  [[nodiscard]] virtual std::vector<DeviceProperties> devices() = 0;
  virtual std::unique_ptr<ListenComm> listen(int device) = 0;
  virtual std::unique_ptr<Connecting> connect(int device, const ConnectHandle& handle) = 0;
  [[nodiscard]] virtual TransportCounters counters() const = 0;
  /// Returns the port for queues whose work queue entries the caller writes itself (transports/puts.h);
  /// nullptr if this transport has no such queues. The transport owns the port.
  virtual PutPort* put_port() { return nullptr; }
};

/// Options for a new transport object. If only some transports use an option, its comment names them; the
/// others ignore it.
struct TransportOptions {
  std::string
      interface_name;  // socket: network interface to bind to; empty = chosen by the transport, then recorded
  std::string token;   // the run's secret, 32 hex digits; listeners refuse peers that do not know it
  int rank = 0;
  int ranks = 1;
  bool spans_hosts = false;  // some ranks are on other machines, so lo does not reach all
  bool sleeps = true;        // waiting threads may sleep on the descriptors that add_to_poll() adds
  int streams = 0;           // socket: TCP connections per peer, 0 = choose
  int buffer_bytes = 0;      // socket: size of the kernel's buffers of a connection, 0 = the kernel chooses
  std::string queue = "rc";  // ibgda: rc or dc (ibgda/device.h, QueueKind)
  DoorbellSide doorbells = DoorbellSide::kCpuThreads;  // ibgda
  std::string link = "none";                           // link model of softntb or softmlx5
  std::string fault;    // fault switches of softntb or softmlx5, "" = none (emulated/*/README.md)
  std::string library;  // sisci, ibgda: path, "softntb", "softmlx5", "" = search; plugin: its path
  bool path_proof =
      true;  // sisci: prove the DMA path on connect (off only to test that verification finds errors)
};

}  // namespace collbench
