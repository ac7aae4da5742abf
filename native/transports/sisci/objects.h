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

/// The library, the local adapter and its node id.
struct Adapter {
  std::shared_ptr<const Library> library;
  unsigned int number = 0;
  unsigned int node_id = 0;
};

class Descriptor {
 public:
  explicit Descriptor(const Adapter& adapter);
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] sci_desc_t get() const { return descriptor_; }
  [[nodiscard]] const Library& library() const { return *library_; }

 private:
  std::shared_ptr<const Library> library_;
  sci_desc_t descriptor_ = nullptr;
};

/// Memory that peers may connect to: the driver's own (mapped and zeroed here) or pages of the caller.
class LocalSegment {
 public:
  /// Segment in driver memory. @throws Error(kUnavailable) naming the bytes if the driver has no room
  LocalSegment(const Adapter& adapter, std::size_t bytes);
  /// Segment of the caller's pages [address, address+bytes), both multiples of the page size. The pages are
  /// not mapped again.
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

/// A segment of a peer. Repeat connect() until true, then map() it for programmed I/O (PIO).
class RemoteSegment {
 public:
  RemoteSegment(const Adapter& adapter, unsigned int node_id, unsigned int segment_id);
  RemoteSegment(const RemoteSegment&) = delete;
  RemoteSegment& operator=(const RemoteSegment&) = delete;
  ~RemoteSegment();
  /// False = the segment does not exist yet, call again.
  bool connect();
  /// Maps the first `bytes` and starts a sequence for error checks.
  std::byte* map(std::size_t bytes);
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] sci_remote_segment_t get() const { return segment_; }
  /// Orders earlier stores before later ones as the peer sees them.
  void store_barrier() const { library().SCIStoreBarrier(sequence_, 0); }
  /// Pushes stores out of the CPU's write-combining buffers; does nothing for softntb, which uses ordinary
  /// memory.
  void flush() const {
    if (write_combining_) library().SCIFlush(sequence_, library().constants.SCI_FLAG_FLUSH_CPU_BUFFERS_ONLY);
  }
  /// Costs a round trip (1-2 us on hardware), so call it rarely. @throws Error(kConnectionLost) if link or
  /// peer has failed
  void check_alive();

 private:
  [[nodiscard]] const Library& library() const { return *adapter_.library; }
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

/// One DMA queue; carries one transfer at a time.
class DmaQueue {
 public:
  explicit DmaQueue(const Adapter& adapter);
  DmaQueue(const DmaQueue&) = delete;
  DmaQueue& operator=(const DmaQueue&) = delete;
  ~DmaQueue();
  [[nodiscard]] bool is_idle() const { return !busy_; }
  /// False = the engine accepts nothing now, call again.
  bool start(const LocalSegment& from, std::size_t from_offset, const RemoteSegment& to,
             std::size_t to_offset, std::size_t bytes);
  bool start_from_user(const void* from, const RemoteSegment& to, std::size_t to_offset, std::size_t bytes);
  /// True if no transfer is running. @throws Error(kConnectionLost) if the transfer failed
  bool has_finished();
  /// Stops the transfer; when this returns, the engine no longer accesses memory.
  void abort() noexcept;

 private:
  bool started(sci_error_t error, const char* call);
  Descriptor descriptor_;
  sci_dma_queue_t queue_ = nullptr;
  bool busy_ = false;
};

/// Receives small messages sent to its interrupt number.
class DataInterrupt {
 public:
  explicit DataInterrupt(const Adapter& adapter);
  DataInterrupt(const DataInterrupt&) = delete;
  DataInterrupt& operator=(const DataInterrupt&) = delete;
  ~DataInterrupt();
  [[nodiscard]] unsigned int number() const { return number_; }
  /// Number of bytes received into `buffer`; nullopt if no message has arrived.
  std::optional<std::size_t> receive(std::span<std::byte> buffer);

 private:
  Descriptor descriptor_;
  sci_local_data_interrupt_t interrupt_ = nullptr;
  unsigned int number_ = 0;
};

class RemoteDataInterrupt {
 public:
  RemoteDataInterrupt(const Adapter& adapter, unsigned int node_id, unsigned int number);
  RemoteDataInterrupt(const RemoteDataInterrupt&) = delete;
  RemoteDataInterrupt& operator=(const RemoteDataInterrupt&) = delete;
  ~RemoteDataInterrupt();
  /// False = the listener cannot be reached yet, call again.
  bool send(std::span<const std::byte> message);

 private:
  Adapter adapter_;
  Descriptor descriptor_;
  unsigned int node_id_;
  unsigned int number_;
  sci_remote_data_interrupt_t interrupt_ = nullptr;
};

}  // namespace collbench::sisci
