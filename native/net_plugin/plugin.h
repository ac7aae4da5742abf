#pragma once
// What all interface versions of the exported plugin share: one transport per process, comms and requests as
// the opaque pointers NCCL carries around. Functions throw collbench::Error; versions.cc turns that into
// ncclResult_t.
#include <cstddef>
#include <memory>

#include "net_plugin/nccl_net.h"
#include "transports/transport.h"

namespace collbench::net_plugin {

inline constexpr char kName[] = "SISCI";

/// Opens the SISCI library as the environment says (README.md); each init is one user. Threads: any.
void init(nccl::Logger logger);
/// One user less; with the last one the library is closed once no comm needs it any more.
void finalize();
/// That of this process. @throws Error(kInvalidArgument) before init and after finalize
std::shared_ptr<Transport> transport();
/// Writes a warning to NCCL's log.
void warn(const char* call, const char* text) noexcept;
bool emulated();
/// Moved by this process so far; zeros while no transport is open.
TransportCounters counters();

/// What the versions' property structs are filled from; strings stay valid for the life of the process.
struct Device {
  char* name = nullptr;
  char* pci_path = nullptr;  // NULL when the adapter has no place in sysfs
  int speed_mbps = 0;
  float latency_us = 0;
};
int device_count();
Device device(int index);

void* listen(int device, void* handle);
/// nullptr = not yet; the state of the attempt is found again by the handle.
void* connect(int device, void* handle);
void* accept(void* listener);
void* register_memory(void* comm, void* data, std::size_t bytes, int type);
void deregister_memory(void* comm, void* region);
void* isend(void* comm, const void* data, std::size_t bytes, int tag, void* region);
void* irecv(void* comm, int count, void* const* data, const std::size_t* bytes, const int* tags,
            void* const* regions);
bool test(void* request, int* sizes);
/// All three do nothing for NULL and for what is closed already.
void close_send(void* comm);
void close_recv(void* comm);
void close_listen(void* comm);

}  // namespace collbench::net_plugin
