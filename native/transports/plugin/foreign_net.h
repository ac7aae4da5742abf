#pragma once
// Any ncclNet plugin, versions 6 to 12, behind one set of calls. Each version differs in argument types only;
// the differences live in foreign_net.cc.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "net_plugin/nccl_net.h"
#include "transports/transport.h"

namespace collbench::plugin {

inline constexpr int kOldestVersion = 6;
inline constexpr int kNewestVersion = 12;
inline constexpr int kMaxGroup = 32;  // receives of one irecv, far above what plugins report

/// One plugin, initialised. Pointers are the plugin's own; nullptr out of a call means "not yet, call again".
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
  /// What properties() puts right and NCCL does not, e.g. "maxRecvs 0"; empty: nothing.
  virtual std::string flaw(int device) = 0;
  virtual void* listen(int device, ConnectHandle& handle) = 0;
  virtual void* connect(int device, ConnectHandle& handle) = 0;
  virtual void* accept(void* listener) = 0;
  virtual void* register_memory(void* comm, void* data, std::size_t bytes, MemoryKind kind) = 0;
  /// This and closing report failures as warnings.
  virtual void deregister_memory(void* comm, void* region) noexcept = 0;
  virtual void* isend(void* comm, const void* data, std::size_t bytes, int tag, void* region) = 0;
  /// Arrays of `count` entries, count <= kMaxGroup.
  virtual void* irecv(void* comm, int count, void** data, std::size_t* bytes, int* tags, void** regions) = 0;
  /// `sizes`: as many ints as the request has buffers, zeroed by the caller.
  virtual bool test(void* request, int* sizes) = 0;
  virtual void close_send(void* comm) noexcept = 0;
  virtual void close_recv(void* comm) noexcept = 0;
  virtual void close_listen(void* comm) noexcept = 0;
};

/// The plugin at `path`, newest version first, or exactly `version` when it is not 0. Opened and initialised
/// once per process; stays loaded because it may own threads.
/// @throws Error(kUnavailable) no such file, no ncclNetPlugin symbol, init failed, no device, a device that
/// the cpu engine cannot use: says which and what to do
std::shared_ptr<ForeignNet> open_foreign_net(const std::string& path, int version = 0);

}  // namespace collbench::plugin
