#pragma once
// One set of calls for any ncclNet plugin, versions 6 to 12. The versions differ in argument types;
// foreign_net.cc handles the differences.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "net_plugin/nccl_net.h"
#include "transports/transport.h"

namespace collbench::plugin {

inline constexpr int kOldestVersion = 6;
inline constexpr int kNewestVersion = 12;
inline constexpr int kMaxGroup = 32;  // highest number of buffers in one irecv, far above what plugins report

/// An initialised net plugin; the calls are those of NCCL's ncclNet table. Comms, regions and requests are
/// pointers owned by the plugin. A call that returns nullptr was not ready and must be repeated with the same
/// arguments.
class ForeignNet {
 public:
  virtual ~ForeignNet() = default;
  ForeignNet() = default;
  ForeignNet(const ForeignNet&) = delete;
  ForeignNet& operator=(const ForeignNet&) = delete;

  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual int version() const = 0;
  virtual int devices() = 0;
  virtual DeviceProperties properties(int device) = 0;
  /// Names the first property of a device that is invalid but that NCCL accepts: "no name" or e.g. "maxRecvs
  /// 0"; properties() replaces it by a valid value. "" if there is none.
  virtual std::string corrected_properties(int device) = 0;
  virtual void* listen(int device, ConnectHandle& handle) = 0;
  virtual void* connect(int device, ConnectHandle& handle) = 0;
  virtual void* accept(void* listener) = 0;
  virtual void* register_memory(void* comm, void* data, std::size_t bytes, MemoryKind kind) = 0;
  /// Ends a registration. A failure is only logged as a warning.
  virtual void deregister_memory(void* comm, void* region) noexcept = 0;
  virtual void* isend(void* comm, const void* data, std::size_t bytes, int tag, void* region) = 0;
  /// Posts one receive of `count` buffers; each array has one element per buffer.
  /// @param count 1 to kMaxGroup
  virtual void* irecv(void* comm, int count, void** data, std::size_t* bytes, int* tags, void** regions) = 0;
  /// True if the request is done.
  /// @param sizes receives the length of each buffer's message, if the plugin reports lengths. One element
  /// per buffer, zeroed by the caller
  virtual bool test(void* request, int* sizes) = 0;
  /// Closes a send comm. A failure is only logged as a warning; the same holds for close_recv() and
  /// close_listen().
  virtual void close_send(void* comm) noexcept = 0;
  virtual void close_recv(void* comm) noexcept = 0;
  virtual void close_listen(void* comm) noexcept = 0;
};

/// Opens and initialises the plugin at `path`. Uses the newest interface version that the plugin exports, or
/// exactly `version` if it is not 0. Calls with the same arguments share one ForeignNet while it is in use; a
/// later call initialises the plugin again. The library is never unloaded, because it may have threads.
/// @throws Error(kUnavailable) with cause and remedy: no such file, no ncclNetPlugin symbol, failed
/// initialisation, no device, or a device that the cpu engine cannot use
std::shared_ptr<ForeignNet> open_foreign_net(const std::string& path, int version = 0);

}  // namespace collbench::plugin
