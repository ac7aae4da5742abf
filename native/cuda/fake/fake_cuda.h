#pragma once
// Functions that libcuda-fake.so exports beside the driver's: for the fakes of NCCL and NVSHMEM, which link
// to it.
#include <cstddef>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

/// Queues `work(argument)` on a stream of device `ordinal`. The stream's thread runs it. It returns a
/// CUresult, which becomes the device's sticky error if it is not 0. A stream that is captured adds it to the
/// graph instead, and each launch of the graph runs it. `release(argument)` is called when `work` cannot run
/// again, also if this call fails.
/// @returns 0, 400 (no such stream, or a stream of another device), 901 (invalid capture), 700 or another
/// sticky error
FAKE_EXPORT int cudaFakeEnqueue(void* stream, int ordinal, int (*work)(void*), void* argument,
                                void (*release)(void*));
/// Returns 1 if the stream is captured, so that work queued now runs only when its graph is launched;
/// otherwise 0.
FAKE_EXPORT int cudaFakeIsCapturing(void* stream);
/// Gets the device whose context is current in this thread.
/// @param ordinal its number in this process
/// @param physical its number on the machine
/// @returns 0, or 201 (no context is current)
FAKE_EXPORT int cudaFakeCurrentDevice(int* ordinal, int* physical);
/// Allocates page-aligned memory of the current device. cudaFakeReachable() can distinguish it from memory of
/// cuMemAlloc. @returns as cuMemAlloc
FAKE_EXPORT int cudaFakeAllocate(void** memory, std::size_t bytes);
/// Frees memory of cudaFakeAllocate.
/// @returns as cuMemFree; 1 if the memory is not from cudaFakeAllocate
FAKE_EXPORT int cudaFakeFree(void* memory);
/// Makes memory of another library (shared with other processes) accessible like memory of the current
/// device. cudaFakeForget() waits until the device is idle and ends that. It must be called before the memory
/// is unmapped.
/// @returns as cuMemAlloc; cudaFakeForget() returns 0, or 1 if the memory is not adopted
FAKE_EXPORT int cudaFakeAdopt(void* memory, std::size_t bytes);
FAKE_EXPORT int cudaFakeForget(void* memory);
/// Returns 1 if [memory, memory + bytes) is within one allocation, registered memory or adopted memory,
/// otherwise 0. With only_allocated 1, only memory of cudaFakeAllocate() counts.
FAKE_EXPORT int cudaFakeReachable(const void* memory, std::size_t bytes, int only_allocated);

/// Numbers of objects that exist in this process. Tests use them to check that an engine frees everything.
struct CudaFakeLive {
  int device_allocations, host_allocations, streams, events, graphs, graph_execs, modules, contexts;
};
FAKE_EXPORT CudaFakeLive cudaFakeLive();
