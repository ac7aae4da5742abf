#pragma once
// Common part of all interface versions of the exported plugin: one transport per process; comms and requests
// as the opaque pointers that NCCL passes around. Functions throw collbench::Error; versions.cc turns errors
// into ncclResult_t.
#include <cstddef>
#include <memory>

#include "net_plugin/nccl_net.h"
#include "transports/transport.h"

namespace collbench::net_plugin {

inline constexpr char kName[] = "SISCI";

/// Opens the SISCI library as the environment configures it (README.md). Each init adds one user.
/// Thread-safe.
void init(nccl::Logger logger);
/// Removes one user. After the last one the library is closed as soon as no comm uses it.
void finalize();
/// The transport of this process. @throws Error(kInvalidArgument) before init and after finalize
std::shared_ptr<Transport> transport();
/// Writes a warning to NCCL's log.
void warn(const char* call, const char* text) noexcept;
bool emulated();
/// Traffic of this process so far; zeros if no transport is open.
TransportCounters counters();

/// Device data for the property structs of all versions; strings stay valid for the life of the process.
struct PluginDevice {
  char* name = nullptr;
  char* pci_path = nullptr;  // NULL if the adapter has no sysfs path
  int speed_mbps = 0;
  float latency_us = 0;
};
int device_count();
PluginDevice device(int index);

void* listen(int device, void* handle);
/// nullptr = not ready, call again. The handle identifies the pending attempt.
void* connect(int device, void* handle);
void* accept(void* listener);
void* register_memory(void* comm, void* data, std::size_t bytes, int type);
void deregister_memory(void* comm, void* region);
void* isend(void* comm, const void* data, std::size_t bytes, int tag, void* region);
void* irecv(void* comm, int count, void* const* data, const std::size_t* bytes, const int* tags,
            void* const* regions);
bool test(void* request, int* sizes);
/// The close functions do nothing for NULL and for pointers that are already closed.
void close_send(void* comm);
void close_recv(void* comm);
void close_listen(void* comm);

}  // namespace collbench::net_plugin
