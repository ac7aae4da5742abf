#ifndef COLLBENCH_DEVICE_API_ABI_H
#define COLLBENCH_DEVICE_API_ABI_H
// Interface of the shared object that nvcc compiles from collectives.cu on the node. This text is compiled in
// front of collectives.cu, hence no #pragma once.
#include <stddef.h>

// NOLINTBEGIN(modernize-use-using)
extern "C" {

/// Addresses of functions in the libnccl that created the communicator. The shared object gets them this way
/// because it is not linked to a libnccl.
struct CollbenchDeviceFunctions {
  int (*create)(void* comm, const void* requirements, void* device_comm);  // ncclDevCommCreate.
  int (*destroy)(void* comm, const void* device_comm);                     // ncclDevCommDestroy.
};

enum CollbenchDeviceReach { kCollbenchDeviceLsa = 1, kCollbenchDeviceGin = 2 };
enum CollbenchDeviceCollective { kCollbenchDeviceAllreduce, kCollbenchDeviceAlltoall };
/// Element types that the allreduce supports; alltoall supports any type.
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

/// Creates the state for collectives on communicator `comm`; all ranks must call it together. `reach` is a
/// CollbenchDeviceReach. Returns 0 and the state in *handle, a positive ncclResult_t, or a negative number
/// with a message in `why` (a buffer of why_bytes).
typedef int (*CollbenchDeviceCreate)(const struct CollbenchDeviceFunctions* functions, void* comm, int ranks,
                                     int reach, void** handle, char* why, size_t why_bytes);
/// Queues one collective on call->stream. Returns 0, a positive ncclResult_t, or a negative number with a
/// message in `why`.
typedef int (*CollbenchDeviceLaunch)(void* handle, const struct CollbenchDeviceCall* call, char* why,
                                     size_t why_bytes);
/// Frees the state. with_nccl 0: the communicator has been aborted, so NCCL must not be called any more.
typedef void (*CollbenchDeviceDestroy)(void* handle, int with_nccl);
}
// NOLINTEND(modernize-use-using)

#endif
