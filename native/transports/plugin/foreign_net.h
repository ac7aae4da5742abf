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

/// One initialised plugin. Pointers belong to the plugin; a call that returns nullptr is not ready and must
/// be repeated.
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
  /// Properties that properties() corrects and NCCL does not, e.g. "maxRecvs 0"; "" = none.
  virtual std::string corrected_properties(int device) = 0;
  virtual void* listen(int device, ConnectHandle& handle) = 0;
  virtual void* connect(int device, ConnectHandle& handle) = 0;
  virtual void* accept(void* listener) = 0;
  virtual void* register_memory(void* comm, void* data, std::size_t bytes, MemoryKind kind) = 0;
  /// Deregisters. This call and the close calls log failures as warnings.
  virtual void deregister_memory(void* comm, void* region) noexcept = 0;
  virtual void* isend(void* comm, const void* data, std::size_t bytes, int tag, void* region) = 0;
  /// @param count length of each array, 1 to kMaxGroup
  virtual void* irecv(void* comm, int count, void** data, std::size_t* bytes, int* tags, void** regions) = 0;
  /// @param sizes one int per buffer of the request, zeroed by the caller
  virtual bool test(void* request, int* sizes) = 0;
  virtual void close_send(void* comm) noexcept = 0;
  virtual void close_recv(void* comm) noexcept = 0;
  virtual void close_listen(void* comm) noexcept = 0;
};

/// Opens the plugin at `path`: the newest version it exports, or exactly `version` if not 0. A plugin is
/// opened and initialised once per process and stays loaded, because it may own threads.
/// @throws Error(kUnavailable) with the cause and the remedy: no such file, no ncclNetPlugin symbol, init
/// failed, no device, or a device that the cpu engine cannot use
std::shared_ptr<ForeignNet> open_foreign_net(const std::string& path, int version = 0);

}  // namespace collbench::plugin
