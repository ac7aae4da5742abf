#pragma once
// Helpers of the softntb tests: a session with its own fabric, exported and imported segments, and a second
// process. The test tells that process over a socket pair what to do, so no sleeping and no shared state is
// needed.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "vendor_api/sisci/sisci_api.h"

namespace softntb_test {

/// Calls SCIInitialize with these settings and a fabric of its own; SCITerminate at the end.
class TestLibrary {
 public:
  explicit TestLibrary(const char* link = "none", const char* fault = "") {
    static int count = 0;
    fabric = "test-" + std::to_string(getpid()) + "-" + std::to_string(count++);
    setenv("SOFTNTB_FABRIC", fabric.c_str(), 1);
    start(link, fault);
  }
  /// Joins the fabric of the parent process.
  struct FabricJoin {};
  explicit TestLibrary(FabricJoin, const char* link = "none", const char* fault = "") { start(link, fault); }
  ~TestLibrary() { SCITerminate(); }
  TestLibrary(const TestLibrary&) = delete;
  TestLibrary& operator=(const TestLibrary&) = delete;
  std::string fabric = std::getenv("SOFTNTB_FABRIC") == nullptr ? "" : std::getenv("SOFTNTB_FABRIC");

 private:
  static void start(const char* link, const char* fault) {
    setenv("SOFTNTB_LINK", link, 1);
    setenv("SOFTNTB_FAULT", fault, 1);
    setenv("SOFTNTB_ENGINES", "0", 0);  // transfers move when polled, unless a test sets engines
    sci_error_t error = SCI_ERR_SYSTEM;
    SCIInitialize(0, &error);
    if (error != SCI_ERR_OK) std::abort();
  }
};

struct TestDescriptor {
  TestDescriptor() {
    sci_error_t error = SCI_ERR_SYSTEM;
    SCIOpen(&handle, 0, &error);
    if (error != SCI_ERR_OK) std::abort();
  }
  ~TestDescriptor() {
    sci_error_t error = SCI_ERR_SYSTEM;
    SCIClose(handle, 0, &error);
    if (error != SCI_ERR_OK) std::abort();  // a test left a resource open
  }
  TestDescriptor(const TestDescriptor&) = delete;
  TestDescriptor& operator=(const TestDescriptor&) = delete;
  sci_desc_t handle = nullptr;
};

/// An available segment on `adapter`; mapped locally unless it is registered memory.
struct ExportedSegment {
  ExportedSegment(unsigned id, std::size_t size, unsigned adapter = 0, void* user_memory = nullptr) {
    sci_error_t error = SCI_ERR_OK;
    SCICreateSegment(descriptor.handle, &segment, id, size, nullptr, nullptr,
                     user_memory != nullptr ? SCI_FLAG_EMPTY : 0, &error);
    if (error == SCI_ERR_OK && user_memory != nullptr) {
      SCIRegisterSegmentMemory(user_memory, size, segment, 0, &error);
    }
    if (error == SCI_ERR_OK) SCIPrepareSegment(segment, adapter, 0, &error);
    if (error == SCI_ERR_OK) SCISetSegmentAvailable(segment, adapter, 0, &error);
    if (error == SCI_ERR_OK && user_memory == nullptr) {
      at = static_cast<std::byte*>(SCIMapLocalSegment(segment, &map, 0, size, nullptr, 0, &error));
    }
    if (error != SCI_ERR_OK) std::abort();
  }
  ~ExportedSegment() {
    sci_error_t error = SCI_ERR_OK;
    if (map != nullptr) SCIUnmapSegment(map, 0, &error);
    SCIRemoveSegment(segment, SCI_FLAG_FORCE_REMOVE, &error);
    if (error != SCI_ERR_OK) std::abort();
  }
  ExportedSegment(const ExportedSegment&) = delete;
  ExportedSegment& operator=(const ExportedSegment&) = delete;
  TestDescriptor descriptor;
  sci_local_segment_t segment = nullptr;
  sci_map_t map = nullptr;
  std::byte* at = nullptr;
};

/// A connected segment of `node`; mapped if `mapped`.
struct ImportedSegment {
  ImportedSegment(unsigned node, unsigned id, bool mapped = true, unsigned adapter = 0) {
    sci_error_t error = SCI_ERR_OK;
    SCIConnectSegment(descriptor.handle, &segment, node, id, adapter, nullptr, nullptr, 60'000, 0, &error);
    if (error == SCI_ERR_OK && mapped) {
      at = static_cast<volatile std::byte*>(
          SCIMapRemoteSegment(segment, &map, 0, SCIGetRemoteSegmentSize(segment), nullptr, 0, &error));
    }
    if (error != SCI_ERR_OK) std::abort();
  }
  ~ImportedSegment() {
    sci_error_t error = SCI_ERR_OK;
    if (map != nullptr) SCIUnmapSegment(map, 0, &error);
    SCIDisconnectSegment(segment, 0, &error);
    if (error != SCI_ERR_OK) std::abort();
  }
  ImportedSegment(const ImportedSegment&) = delete;
  ImportedSegment& operator=(const ImportedSegment&) = delete;
  TestDescriptor descriptor;
  sci_remote_segment_t segment = nullptr;
  sci_map_t map = nullptr;
  volatile std::byte* at = nullptr;
};

struct TestDmaQueue {
  explicit TestDmaQueue(unsigned adapter = 0) {
    sci_error_t error = SCI_ERR_OK;
    SCICreateDMAQueue(descriptor.handle, &handle, adapter, 1, 0, &error);
    if (error != SCI_ERR_OK) std::abort();
  }
  ~TestDmaQueue() {
    sci_error_t error = SCI_ERR_OK;
    SCIAbortDMAQueue(handle, 0, &error);
    SCIRemoveDMAQueue(handle, 0, &error);
    if (error != SCI_ERR_OK) std::abort();
  }
  TestDmaQueue(const TestDmaQueue&) = delete;
  TestDmaQueue& operator=(const TestDmaQueue&) = delete;
  TestDescriptor descriptor;
  sci_dma_queue_t handle = nullptr;
};

/// Synchronises a test and its peer process: each say() releases one await() of the other side.
class PeerChannel {
 public:
  explicit PeerChannel(int fd) : fd_(fd) {}
  void say(char what = '.') const {
    if (write(fd_, &what, 1) != 1) std::abort();
  }
  [[nodiscard]] char await() const {
    char what = 0;
    if (read(fd_, &what, 1) != 1) std::abort();
    return what;
  }

 private:
  int fd_;
};

/// A forked process that runs `body` after start() and exits with 0, or 1 if `body` returns false. Make it
/// before the test's process has threads of the library: only then do sanitizers follow the fork.
class PeerProcess {
 public:
  explicit PeerProcess(const std::function<bool(const PeerChannel&)>& body) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
    std::fflush(nullptr);
    pid = fork();
    if (pid < 0) std::abort();
    if (pid == 0) {
      close(ends[0]);
      const PeerChannel talk(ends[1]);
      static_cast<void>(talk.await());
      _exit(body(talk) ? 0 : 1);
    }
    close(ends[1]);
    fd_ = ends[0];
  }
  ~PeerProcess() {
    if (pid > 0) static_cast<void>(finish());
    close(fd_);
  }
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;
  void start() const { talk().say(); }
  [[nodiscard]] PeerChannel talk() const { return PeerChannel(fd_); }
  /// Waits for the process to end; true if `body` returned true.
  [[nodiscard]] bool finish() {
    int status = 0;
    waitpid(pid, &status, 0);
    pid = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  void kill() {
    ::kill(pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    pid = 0;
  }
  pid_t pid = 0;

 private:
  int fd_ = -1;
};

/// Anonymous pages, like a caller's own buffers.
struct TestPages {
  explicit TestPages(std::size_t size) : bytes(size) {
    at = static_cast<std::byte*>(
        mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  ~TestPages() { munmap(at, bytes); }
  TestPages(const TestPages&) = delete;
  TestPages& operator=(const TestPages&) = delete;
  std::byte* at;
  std::size_t bytes;
};

/// Runs one API call and returns its error.
template <class Call>
sci_error_t error_of(Call call) {
  sci_error_t error = 0xdead;
  call(&error);
  return error;
}

}  // namespace softntb_test
