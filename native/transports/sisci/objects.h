#pragma once
// SISCI resources, each with one owner and a descriptor of its own. Only newer drivers allow several kinds of
// resource to share a descriptor.
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "transports/sisci/library.h"

namespace collbench::sisci {

/// The local adapter and the SISCI library to use it. `number` selects the adapter within this machine;
/// `node_id` is its address in the PCIe network.
struct Adapter {
  std::shared_ptr<const SisciLibrary> library;
  unsigned int number = 0;
  unsigned int node_id = 0;
};

/// Owns a SISCI descriptor (SCIOpen to SCIClose), which every other SISCI resource needs.
class Descriptor {
 public:
  explicit Descriptor(const Adapter& adapter);
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] sci_desc_t get() const { return descriptor_; }
  [[nodiscard]] const SisciLibrary& library() const { return *library_; }

 private:
  std::shared_ptr<const SisciLibrary> library_;
  sci_desc_t descriptor_ = nullptr;
};

/// Owns a segment of this node: memory that peers may connect to. It is either allocated by the driver (then
/// mapped and zeroed here) or consists of pages of the caller.
class LocalSegment {
 public:
  /// Creates a segment in memory that the driver allocates.
  /// @throws Error(kUnavailable) naming the size if the driver has no room
  LocalSegment(const Adapter& adapter, std::size_t bytes);
  /// Creates a segment of the caller's pages [address, address + bytes); both are multiples of the page size.
  /// data() returns `address`.
  LocalSegment(const Adapter& adapter, void* address, std::size_t bytes);
  LocalSegment(const LocalSegment&) = delete;
  LocalSegment& operator=(const LocalSegment&) = delete;
  ~LocalSegment();
  [[nodiscard]] unsigned int id() const { return id_; }
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] sci_local_segment_t get() const { return segment_; }

 private:
  void create(unsigned int flags);
  void publish();
  void remove() noexcept;

  Adapter adapter_;
  Descriptor descriptor_;
  sci_local_segment_t segment_ = nullptr;
  sci_map_t map_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  unsigned int id_ = 0;
};

/// Owns the connection to a segment of a peer. Repeat connect() until it returns true; then map() it for
/// access by load and store (programmed I/O, PIO), or use it as destination of DMA.
class RemoteSegment {
 public:
  RemoteSegment(const Adapter& adapter, unsigned int node_id, unsigned int segment_id);
  RemoteSegment(const RemoteSegment&) = delete;
  RemoteSegment& operator=(const RemoteSegment&) = delete;
  ~RemoteSegment();
  /// Connects to the segment. False = the segment does not exist or its node does not answer yet; call again.
  bool connect();
  /// Maps the first `bytes` of the segment into this process and starts a SISCI sequence, with which errors
  /// of later stores are detected.
  /// @returns address of the mapping
  std::byte* map(std::size_t bytes);
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] sci_remote_segment_t get() const { return segment_; }
  /// Ensures that the peer sees the stores made before this call before those made after it.
  void store_barrier() const { library().SCIStoreBarrier(sequence_, 0); }
  /// Moves stores out of the CPU's write-combining buffers, so that they reach the peer soon. Does nothing
  /// for softntb, which uses ordinary memory.
  void flush() const {
    if (write_combining_) library().SCIFlush(sequence_, library().constants.SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY);
  }
  /// Checks that link and peer work. If the segment is mapped, it waits for an answer over the link (1 to 2
  /// us on hardware), so call it rarely.
  /// @throws Error(kConnectionLost) if link or peer has failed
  void check_alive();

 private:
  [[nodiscard]] const SisciLibrary& library() const { return *adapter_.library; }
  Adapter adapter_;
  Descriptor descriptor_;
  unsigned int node_id_;
  unsigned int segment_id_;
  sci_remote_segment_t segment_ = nullptr;
  sci_map_t map_ = nullptr;
  sci_sequence_t sequence_ = nullptr;
  std::byte* data_ = nullptr;
  bool write_combining_;
};

/// Owns one DMA queue of the adapter, which carries one transfer at a time.
class DmaQueue {
 public:
  explicit DmaQueue(const Adapter& adapter);
  DmaQueue(const DmaQueue&) = delete;
  DmaQueue& operator=(const DmaQueue&) = delete;
  ~DmaQueue();
  [[nodiscard]] bool is_idle() const { return !busy_; }
  /// Starts a transfer from a local segment to a peer's segment; offsets and size are in bytes. Returns false
  /// if the adapter accepts no transfer now; then call again.
  /// @throws Error as check()
  bool start(const LocalSegment& from, std::size_t from_offset, const RemoteSegment& to,
             std::size_t to_offset, std::size_t bytes);
  /// Like start(), but the source is ordinary memory of this process, which need not be in a segment.
  bool start_from_user(const void* from, const RemoteSegment& to, std::size_t to_offset, std::size_t bytes);
  /// True if the last transfer has ended, or none was started.
  /// @throws Error(kConnectionLost) if the transfer failed
  bool has_finished();
  /// Stops the running transfer, if any. When this returns, the adapter no longer reads or writes memory for
  /// it.
  void abort() noexcept;

 private:
  bool started(sci_error_t error, const char* call);
  Descriptor descriptor_;
  sci_dma_queue_t queue_ = nullptr;
  bool busy_ = false;
};

/// Owns a SISCI data interrupt: it receives small messages that peers send to its number.
class DataInterrupt {
 public:
  explicit DataInterrupt(const Adapter& adapter);
  DataInterrupt(const DataInterrupt&) = delete;
  DataInterrupt& operator=(const DataInterrupt&) = delete;
  ~DataInterrupt();
  [[nodiscard]] unsigned int number() const { return number_; }
  /// Receives the next message into `buffer`, without waiting. Returns its length in bytes; nullopt if no
  /// message has arrived, or if it is longer than the buffer.
  std::optional<std::size_t> receive(std::span<std::byte> buffer);

 private:
  Descriptor descriptor_;
  sci_local_data_interrupt_t interrupt_ = nullptr;
  unsigned int number_ = 0;
};

/// Sends small messages to a data interrupt of another node.
class RemoteDataInterrupt {
 public:
  RemoteDataInterrupt(const Adapter& adapter, unsigned int node_id, unsigned int number);
  RemoteDataInterrupt(const RemoteDataInterrupt&) = delete;
  RemoteDataInterrupt& operator=(const RemoteDataInterrupt&) = delete;
  ~RemoteDataInterrupt();
  /// Sends one message. False = the data interrupt cannot be reached yet; call again.
  bool send(std::span<const std::byte> message);

 private:
  Adapter adapter_;
  Descriptor descriptor_;
  unsigned int node_id_;
  unsigned int number_;
  sci_remote_data_interrupt_t interrupt_ = nullptr;
};

}  // namespace collbench::sisci
