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

/// Opens this process's SISCI transport, with the options in environment variables (COLLBENCH_SISCI_*). If it
/// is open already, only counts one more user. Each call needs a call of finalize(). Thread-safe.
/// @param logger NCCL's log function, to which this plugin's messages go from now on; may be null
void init(nccl::Logger logger);
/// Ends one use that init() began. After the last one, connects in progress are abandoned, and the transport
/// is closed as soon as no comm uses it.
void finalize();
/// Returns the SISCI transport that all NCCL communicators of this process share.
/// @throws Error(kInvalidArgument) before init and after the last finalize
std::shared_ptr<Transport> transport();
/// Writes a warning to NCCL's log; does nothing before init().
/// @param call name of the plugin function that failed
void warn(const char* call, const char* text) noexcept;
/// True if the open transport uses an adapter emulated in software (softntb) instead of a real one. False if
/// none is open.
bool emulated();
/// Returns bytes and messages that this process moved since the transport was opened; 0 if none is open.
TransportCounters counters();

/// Properties of the adapter, in the types that ncclNetProperties uses. The strings stay valid until the
/// process ends. The speed is 100,000 Mbit/s if the adapter states none.
struct PluginDevice {
  char* name = nullptr;
  char* pci_path = nullptr;  // NULL if the adapter has no sysfs path
  int speed_mbps = 0;
  float latency_us = 0;
};
int device_count();
PluginDevice device(int index);

void* listen(int device, void* handle);
/// NCCL's connect: connects to a listener. nullptr = not ready; call again with the same handle, whose
/// content also identifies the attempt in progress.
void* connect(int device, void* handle);
void* accept(void* listener);
void* register_memory(void* comm, void* data, std::size_t bytes, int type);
void deregister_memory(void* comm, void* region);
void* isend(void* comm, const void* data, std::size_t bytes, int tag, void* region);
void* irecv(void* comm, int count, void* const* data, const std::size_t* bytes, const int* tags,
            void* const* regions);
bool test(void* request, int* sizes);
/// Closes a send comm. Does nothing for NULL or a pointer that is already closed.
void close_send(void* comm);
/// Closes a receive comm. Does nothing for NULL or a pointer that is already closed.
void close_recv(void* comm);
/// Closes a listener. Does nothing for NULL or a pointer that is already closed.
void close_listen(void* comm);

}  // namespace collbench::net_plugin
