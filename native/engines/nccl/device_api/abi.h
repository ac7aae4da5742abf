#ifndef COLLBENCH_DEVICE_API_ABI_H
#define COLLBENCH_DEVICE_API_ABI_H
// Interface of the shared object that nvcc compiles from collectives.cu on the node. This text is compiled in
// front of collectives.cu, hence no #pragma once.
#include <stddef.h>

// NOLINTBEGIN(modernize-use-using)
extern "C" {

/// Functions of the libnccl that created the communicator; the object links to none.
struct CollbenchDeviceFunctions {
  int (*create)(void* comm, const void* requirements, void* device_comm);  // ncclDevCommCreate.
  int (*destroy)(void* comm, const void* device_comm);                     // ncclDevCommDestroy.
};

enum CollbenchDeviceReach { kCollbenchDeviceLsa = 1, kCollbenchDeviceGin = 2 };
enum CollbenchDeviceCollective { kCollbenchDeviceAllreduce, kCollbenchDeviceAlltoall };
/// Element types that allreduce adds; alltoall accepts any.
enum CollbenchDeviceType { kCollbenchDeviceFloat32, kCollbenchDeviceFloat16, kCollbenchDeviceBfloat16 };

struct CollbenchDeviceCall {
  int collective;
  int type;
  size_t element_bytes;
  size_t count;       // Count as in ncclAllReduce and ncclAlltoAll.
  void* send_window;  // ncclWindow_t of symmetric memory. Offsets are in bytes and equal on all ranks.
  size_t send_offset;
  void* recv_window;
  size_t recv_offset;
  void* stream;
};

/// Creates a handle; all ranks call it together. Returns 0 and *handle for launch and destroy; above 0 an
/// ncclResult_t; below 0 a message in `why` (why_bytes long).
typedef int (*CollbenchDeviceCreate)(const struct CollbenchDeviceFunctions* functions, void* comm, int ranks,
                                     int reach, void** handle, char* why, size_t why_bytes);
/// Queues one call; results as for create.
typedef int (*CollbenchDeviceLaunch)(void* handle, const struct CollbenchDeviceCall* call, char* why,
                                     size_t why_bytes);
/// Frees the handle. with_nccl is 0 if the communicator has been aborted.
typedef void (*CollbenchDeviceDestroy)(void* handle, int with_nccl);
}
// NOLINTEND(modernize-use-using)

#endif
