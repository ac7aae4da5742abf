#pragma once
// What libcuda-fake.so offers beside the driver's functions: the door for the fakes of NCCL and
// NVSHMEM, which link to it.
#include <cstddef>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

/// Queues `work(argument)` on a stream of device `ordinal`; it runs on the stream's thread and returns a
/// CUresult (not 0: the device's sticky error). A capturing stream records it instead, and each launch of the
/// graph runs it again. `release(argument)` is called when nobody can run it any more, also when this fails.
/// @return 0, 400 (no such stream, or another device's), 700 and the like (sticky error)
FAKE_EXPORT int cudaFakeEnqueue(void* stream, int ordinal, int (*work)(void*), void* argument,
                                void (*release)(void*));
/// 1 when the stream is capturing: what is queued now runs only when a graph is launched.
FAKE_EXPORT int cudaFakeIsCapturing(void* stream);
/// Device of the context that is current in this thread: `ordinal` as the process counts, `physical` as the
/// machine does. @return 0, 3 (no cuInit), 201 (no current context)
FAKE_EXPORT int cudaFakeCurrentDevice(int* ordinal, int* physical);
/// Page-aligned memory of the current device, told apart from cuMemAlloc's. @return as cuMemAlloc
FAKE_EXPORT int cudaFakeAllocate(void** memory, std::size_t bytes);
/// @return 0, 1 (not from cudaFakeAllocate)
FAKE_EXPORT int cudaFakeFree(void* memory);
/// Memory of another library (shared with other processes) becomes reachable as the device's own; forgotten
/// before it is unmapped, after all streams of the device. @return as cuMemAlloc and cuMemFree
FAKE_EXPORT int cudaFakeAdopt(void* memory, std::size_t bytes);
FAKE_EXPORT int cudaFakeForget(void* memory);
/// 1 when [memory, memory + bytes) lies in one live allocation that kernels can reach; with `only_allocated`
/// in one of cudaFakeAllocate.
FAKE_EXPORT int cudaFakeReachable(const void* memory, std::size_t bytes, int only_allocated);

/// What is still alive in this process, for tests of an engine's tidiness.
struct CudaFakeLive {
  int device_allocations, host_allocations, streams, events, graphs, graph_execs, modules, contexts;
};
FAKE_EXPORT CudaFakeLive cudaFakeLive();
