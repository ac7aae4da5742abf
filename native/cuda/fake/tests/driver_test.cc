#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "cuda/fake/tests/device.h"

using namespace fake_test;

namespace {

std::uint64_t address(const void* memory) { return reinterpret_cast<std::uint64_t>(memory); }

/// A flag in pinned memory and a hold kernel that waits for it; the kernel comes from the fake NVRTC.
struct Hold {
  explicit Hold(void* its_stream) : stream(its_stream) {
    void* memory = nullptr;
    must(cuda().allocate_host(&memory, 64, 3), "cuMemHostAlloc");
    flag = static_cast<unsigned*>(memory);
    std::memset(memory, 0, 64);
    const char* source = "collbench_fill collbench_poison collbench_verify collbench_hold";
    void* program = nullptr;
    must(nvrtc().create(&program, source, "x.cu", 0, nullptr, nullptr), "nvrtcCreateProgram");
    must(nvrtc().compile(program, 0, nullptr), "nvrtcCompileProgram");
    std::size_t bytes = 0;
    must(nvrtc().image_size(program, &bytes), "nvrtcGetCUBINSize");
    std::vector<char> image(bytes);
    must(nvrtc().image(program, image.data()), "nvrtcGetCUBIN");
    must(nvrtc().destroy(&program), "nvrtcDestroyProgram");
    must(cuda().module_load(&module, image.data()), "cuModuleLoadData");
    must(cuda().module_function(&function, module, "collbench_hold"), "cuModuleGetFunction");
  }
  ~Hold() {
    open();
    cuda().stream_synchronize(stream);
    cuda().module_unload(module);
    cuda().free_host(flag);
  }
  int close(std::uint64_t timeout_ns = 60'000'000'000) {
    std::uint64_t flag_at = address(flag), gave_up_at = address(flag + 1);
    unsigned wanted = 1;
    void* parameters[] = {&flag_at, &wanted, &gave_up_at, &timeout_ns};
    const int result = cuda().launch(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
    // The launch has copied its parameters, so changing them has no effect.
    flag_at = gave_up_at = timeout_ns = 0;
    wanted = 7;
    return result;
  }
  void open() { std::atomic_ref<unsigned>(*flag).store(1, std::memory_order_release); }
  unsigned gave_up() { return std::atomic_ref<unsigned>(flag[1]).load(); }

  void* stream;
  void* module = nullptr;
  void* function = nullptr;
  unsigned* flag = nullptr;
};

}  // namespace

TEST_CASE("a device says that it is a fake") {
  char name[100] = {}, pci[20] = {};
  CHECK(cuda().device_name(name, sizeof name, 1) == 0);
  CHECK(std::string(name) == "collbench fake GPU (host memory)");
  CHECK(cuda().device_pci(pci, sizeof pci, 1) == 0);
  CHECK(std::string(pci) == "0000:02:00.0");
  int count = 0, major = 0, minor = -1, version = 0;
  CHECK(cuda().device_count(&count) == 0);
  CHECK(count == 4);
  CHECK(cuda().device_attribute(&major, 75, 0) == 0);
  CHECK(cuda().device_attribute(&minor, 76, 0) == 0);
  CHECK(major * 10 + minor == 90);
  CHECK(cuda().driver_version(&version) == 0);
  CHECK(version == 13000);
  CHECK(cuda().device_get(&count, 4) == 101);
}

TEST_CASE("calls need a current context in their thread") {
  std::thread([] {
    std::uint64_t at = 0;
    void* stream = nullptr;
    CHECK(cuda().allocate(&at, 100) == kInvalidContext);
    CHECK(cuda().stream_create(&stream, 0) == kInvalidContext);
    CHECK(cuda().context_synchronize() == kInvalidContext);
    CHECK(cuda().context_use(&stream) == kInvalidContext);
    const char* name = nullptr;
    CHECK(cuda().error_name(kInvalidContext, &name) == 0);
    CHECK(std::string(name) == "CUDA_ERROR_INVALID_CONTEXT");
  }).join();
}

TEST_CASE("new memory is not zero, and its bounds are known") {
  OnDevice device;
  std::uint64_t at = 0;
  REQUIRE(cuda().allocate(&at, 1000) == 0);
  unsigned char bytes[1000];
  REQUIRE(cuda().copy_to_host(bytes, at, sizeof bytes, device.stream) == 0);
  CHECK(bytes[0] == 0xDB);
  CHECK(bytes[999] == 0xDB);
  CHECK(cuda().copy_to_host(bytes, at + 1, sizeof bytes, device.stream) == kInvalidValue);
  CHECK(cuda().copy_to_device(at - 1, bytes, 2, device.stream) == kInvalidValue);
  CHECK(cuda().fill_bytes(at, 0, 1001, device.stream) == kInvalidValue);
  CHECK(cuda().copy_to_device(address(bytes), bytes, 1, device.stream) == kInvalidValue);
  CHECK(cuda().free(at + 1) == kInvalidValue);
  CHECK(cuda().free(at) == 0);
  CHECK(cuda().free(at) == kInvalidValue);
  CHECK(cuda().copy_to_host(bytes, at, 1, device.stream) == kInvalidValue);
}

TEST_CASE("a device has so much memory and no more") {
  OnDevice device;
  std::size_t free = 0, total = 0, after = 0;
  REQUIRE(cuda().memory_info(&free, &total) == 0);
  CHECK(total == std::size_t{8} << 30);
  CHECK(free == total);
  std::uint64_t at = 0, more = 0;
  REQUIRE(cuda().allocate(&at, std::size_t{6} << 30) == 0);
  CHECK(cuda().allocate(&more, std::size_t{3} << 30) == 2);
  REQUIRE(cuda().memory_info(&after, &total) == 0);
  CHECK(free - after == std::size_t{6} << 30);
  CHECK(cuda().free(at) == 0);
}

TEST_CASE("a stream works in order, in its own time") {
  OnDevice device;
  Hold hold(device.stream);
  auto* value = device.upload<int>({1});
  REQUIRE(device.drain() == 0);
  REQUIRE(hold.close() == 0);
  int two = 2;
  CHECK(cuda().copy_to_device(address(value), &two, sizeof two, device.stream) == 0);
  two = 3;  // unpinned memory, which the copy has read already
  CHECK(cuda().stream_query(device.stream) == kNotReady);
  hold.open();
  CHECK(device.download<int>(value, 1)[0] == 2);
  CHECK(cuda().stream_query(device.stream) == 0);
  CHECK(cuda().stream_query(value) == kInvalidHandle);
}

TEST_CASE("a hold kernel that nobody releases gives up and says so") {
  OnDevice device;
  Hold hold(device.stream);
  REQUIRE(hold.close(1) == 0);
  CHECK(device.drain() == 0);
  CHECK(hold.gave_up() == 1);
}

TEST_CASE("events stamp when the stream comes to them") {
  OnDevice device;
  Hold hold(device.stream);
  void *first = nullptr, *last = nullptr, *never = nullptr, *untimed = nullptr;
  REQUIRE(cuda().event_create(&first, 0) == 0);
  REQUIRE(cuda().event_create(&last, 0) == 0);
  REQUIRE(cuda().event_create(&never, 0) == 0);
  REQUIRE(cuda().event_create(&untimed, 2) == 0);
  float ms = -1;
  REQUIRE(cuda().event_record(first, device.stream) == 0);
  REQUIRE(hold.close() == 0);
  REQUIRE(cuda().event_record(last, device.stream) == 0);
  REQUIRE(cuda().event_record(untimed, device.stream) == 0);
  CHECK(cuda().event_elapsed(&ms, first, last) == kNotReady);
  CHECK(cuda().event_elapsed(&ms, first, never) == kInvalidHandle);
  hold.open();
  REQUIRE(device.drain() == 0);
  CHECK(cuda().event_elapsed(&ms, first, last) == 0);
  CHECK(ms > 0);
  CHECK(cuda().event_elapsed(&ms, first, untimed) == kInvalidHandle);
  for (void* event : {first, last, never, untimed}) CHECK(cuda().event_destroy(event) == 0);
  CHECK(cuda().event_destroy(first) == kInvalidHandle);
}

TEST_CASE("a kernel with a wild pointer spoils its device, as long as its context lives") {
  {
    OnDevice device;
    void* context = nullptr;
    Hold hold(device.stream);
    std::uint64_t wild = 64, timeout = 1;
    unsigned wanted = 1;
    void* parameters[] = {&wild, &wanted, &wild, &timeout};
    CHECK(cuda().launch(hold.function, 1, 1, 1, 1, 1, 1, 0, device.stream, parameters, nullptr) == 0);
    CHECK(device.drain() == kIllegalAddress);
    CHECK(cuda().stream_query(device.stream) == kIllegalAddress);
    std::uint64_t at = 0;
    CHECK(cuda().allocate(&at, 4) == kIllegalAddress);
    // Other devices are not affected.
    REQUIRE(cuda().context_retain(&context, 1) == 0);
    REQUIRE(cuda().context_use(context) == 0);
    CHECK(cuda().allocate(&at, 4) == 0);
    CHECK(cuda().free(at) == 0);
    REQUIRE(cuda().context_release(1) == 0);
    REQUIRE(cuda().context_retain(&context, 0) == 0);
    REQUIRE(cuda().context_use(context) == 0);
    REQUIRE(cuda().context_release(0) == 0);
  }
  OnDevice again;
  CHECK(again.drain() == 0);
}

TEST_CASE("memory that the machine does not have is refused, and charged to nobody") {
  OnDevice device;
  std::size_t before = 0, after = 0, total = 0;
  REQUIRE(cuda().memory_info(&before, &total) == 0);
  for (const std::size_t bytes : {std::size_t{1} << 50, SIZE_MAX - 4095, SIZE_MAX}) {
    void* host = nullptr;
    std::uint64_t address = 0;
    CHECK(cuda().allocate_host(&host, bytes, 0) == 2);
    CHECK(cuda().allocate(&address, bytes) == 2);
    CHECK(host == nullptr);
    CHECK(address == 0);
  }
  REQUIRE(cuda().memory_info(&after, &total) == 0);
  CHECK(after == before);
}

TEST_CASE("launches that cannot be are refused") {
  OnDevice device;
  Hold hold(device.stream);
  void* parameters[] = {nullptr, nullptr, nullptr, nullptr};
  CHECK(cuda().launch(hold.function, 0, 1, 1, 1, 1, 1, 0, device.stream, parameters, nullptr) ==
        kInvalidValue);
  CHECK(cuda().launch(hold.function, 1, 1, 1, 2048, 1, 1, 0, device.stream, parameters, nullptr) ==
        kInvalidValue);
  CHECK(cuda().launch(device.stream, 1, 1, 1, 1, 1, 1, 0, device.stream, parameters, nullptr) ==
        kInvalidHandle);
  void* function = nullptr;
  CHECK(cuda().module_function(&function, hold.module, "collbench_nothing") == 500);
  void* module = nullptr;
  CHECK(cuda().module_load(&module, "not an image") == 200);
}

TEST_CASE("a compiler that is told to fail fails with a log") {
  const Variable fail("NVRTC_FAKE_FAIL", "1");
  void* program = nullptr;
  REQUIRE(nvrtc().create(&program, "", "x.cu", 0, nullptr, nullptr) == 0);
  CHECK(nvrtc().compile(program, 0, nullptr) == 6);
  std::size_t bytes = 0;
  REQUIRE(nvrtc().log_size(program, &bytes) == 0);
  std::string log(bytes, '\0');
  REQUIRE(nvrtc().log(program, log.data()) == 0);
  CHECK(log.find("NVRTC_FAKE_FAIL is set") != std::string::npos);
  CHECK(log.find("the source lacks collbench_hold") != std::string::npos);
  CHECK(nvrtc().image_size(program, &bytes) != 0);
  CHECK(nvrtc().destroy(&program) == 0);
  CHECK(program == nullptr);
}

TEST_CASE("nothing is left alive") {
  const CudaFakeLive left = live();
  CHECK(left.device_allocations + left.host_allocations == 0);
  CHECK(left.streams + left.events + left.graphs + left.graph_execs + left.modules + left.contexts == 0);
}

TEST_CASE("pages are registered once, are given back as they came, and are a device's only where mapped") {
  const OnDevice device;
  constexpr unsigned kPortable = 1, kMapped = 2, kRegisters = 4;
  constexpr int kAlreadyRegistered = 712, kNotRegistered = 713;
  alignas(4096) static std::byte pages[2 * 4096];
  std::uint64_t at = 0;
  CHECK(cuda().register_host(pages, sizeof pages, kMapped | kRegisters) == kInvalidValue);
  must(cuda().register_host(pages, sizeof pages, kPortable | kMapped), "cuMemHostRegister");
  CHECK(cuda().register_host(pages + 4096, 4096, kMapped) == kAlreadyRegistered);
  must(cuda().host_device_pointer(&at, pages + 4096, 0), "cuMemHostGetDevicePointer");
  CHECK(cuda().store_long_word(device.stream, at + 4, 1, 0) == kInvalidValue);
  CHECK(cuda().store_long_word(device.stream, at + 8, 1, 0) == 0);
  must(cuda().stream_synchronize(device.stream), "cuStreamSynchronize");
  must(cuda().unregister_host(pages), "cuMemHostUnregister");
  CHECK(cuda().unregister_host(pages) == kNotRegistered);
  must(cuda().register_host(pages, sizeof pages, kPortable), "cuMemHostRegister");
  CHECK(cuda().host_device_pointer(&at, pages, 0) == kInvalidValue);
  must(cuda().unregister_host(pages), "cuMemHostUnregister");
}

TEST_CASE(
    "another process opens device memory by its handle, sees it and writes into it; its owner does not") {
  OnDevice device;
  unsigned char* const memory = device.upload(std::vector<unsigned char>{1, 2, 3});
  REQUIRE(device.drain() == 0);
  collbench::cuda::IpcHandle handle;
  must(cuda().ipc_handle(&handle, address(memory)), "cuIpcGetMemHandle");
  std::uint64_t opened = 0;
  CHECK(cuda().ipc_open(&opened, handle, 1) == kInvalidValue);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (cuda().ipc_open(&opened, handle, 1) != 0) _exit(1);
    auto* const seen = reinterpret_cast<unsigned char*>(opened);
    const bool is_same = seen[0] == 1 && seen[2] == 3;
    seen[1] = 7;
    // without closing: the streams' threads, for which it would wait, belong to the parent
    _exit(is_same ? 0 : 2);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(device.download<unsigned char>(memory, 3) == std::vector<unsigned char>{1, 7, 3});
  void* pinned = nullptr;
  must(cuda().allocate_host(&pinned, 64, 0), "cuMemHostAlloc");
  CHECK(cuda().ipc_handle(&handle, address(pinned)) == kInvalidValue);
  cuda().free_host(pinned);
}
