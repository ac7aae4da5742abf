#include <doctest/doctest.h>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "emulated/softntb/interrupt_port.h"
#include "harness.h"

using namespace softntb_test;

namespace {

constexpr unsigned kFixedNumber = 41;

struct DataPort {
  /// @param fixed interrupt number; 0 = any
  explicit DataPort(unsigned fixed = 0) : number(fixed) {
    sci_error_t error = SCI_ERR_OK;
    SCICreateDataInterrupt(descriptor.handle, &handle, 0, &number, nullptr, nullptr,
                           fixed == 0 ? 0 : SCI_FLAG_FIXED_INTNO, &error);
    if (error != SCI_ERR_OK) std::abort();
  }
  ~DataPort() { SCIRemoveDataInterrupt(handle, 0, nullptr); }
  DataPort(const DataPort&) = delete;
  DataPort& operator=(const DataPort&) = delete;
  TestDescriptor descriptor;
  sci_local_data_interrupt_t handle = nullptr;
  unsigned number;
};

struct RemoteDataPort {
  RemoteDataPort(unsigned node, unsigned number, unsigned adapter = 0) {
    sci_error_t error = SCI_ERR_OK;
    SCIConnectDataInterrupt(descriptor.handle, &handle, node, adapter, number, 0, 0, &error);
    if (error != SCI_ERR_OK) std::abort();
  }
  ~RemoteDataPort() { SCIDisconnectDataInterrupt(handle, 0, nullptr); }
  RemoteDataPort(const RemoteDataPort&) = delete;
  RemoteDataPort& operator=(const RemoteDataPort&) = delete;
  sci_error_t send(const std::string& text) const {
    return error_of([&](auto* e) {
      SCITriggerDataInterrupt(handle, const_cast<char*>(text.data()), static_cast<unsigned>(text.size()), 0,
                              e);
    });
  }
  TestDescriptor descriptor;
  sci_remote_data_interrupt_t handle = nullptr;
};

std::string receive(const DataPort& port, unsigned capacity, unsigned timeout, sci_error_t* error,
                    unsigned* length) {
  std::string text(capacity, '\0');
  *length = capacity;
  SCIWaitForDataInterrupt(port.handle, text.data(), length, timeout, 0, error);
  if (*error == SCI_ERR_OK) text.resize(*length);
  return text;
}

}  // namespace

TEST_CASE("data interrupts carry small messages between processes, also from a sender that has left") {
  const TestLibrary library;
  PeerProcess peer([](const PeerChannel&) {
    const TestLibrary joined{TestLibrary::FabricJoin{}};
    const RemoteDataPort remote(4, kFixedNumber, 1);
    return remote.send("first") == SCI_ERR_OK && remote.send("") == SCI_ERR_OK &&
           remote.send("third") == SCI_ERR_OK;
  });
  const DataPort port(kFixedNumber);
  peer.start();
  CHECK(peer.finish());
  sci_error_t error = SCI_ERR_OK;
  unsigned length = 0;
  CHECK(receive(port, 64, SCI_INFINITE_TIMEOUT, &error, &length) == "first");
  CHECK(receive(port, 64, 1'000, &error, &length).empty());
  CHECK(error == SCI_ERR_OK);
  receive(port, 4, 1'000, &error, &length);
  CHECK(error == SCI_ERR_OVERFLOW);
  CHECK(length == 5);
  CHECK(receive(port, 5, 1'000, &error, &length) == "third");
  receive(port, 64, 0, &error, &length);
  CHECK(error == SCI_ERR_TIMEOUT);
}

TEST_CASE("data interrupts are bounded in size and number, and a full queue says so") {
  const TestLibrary library;
  const DataPort port;
  const RemoteDataPort remote(4, port.number);
  CHECK(remote.send(std::string(collbench::softntb::kDataInterruptBytes, 'x')) == SCI_ERR_OK);
  CHECK(remote.send(std::string(collbench::softntb::kDataInterruptBytes + 1, 'x')) == SCI_ERR_OUT_OF_RANGE);
  unsigned sent = 1;
  while (sent < 1'000'000 && remote.send("x") == SCI_ERR_OK) ++sent;
  CHECK(sent >= 32);  // enough for many peers that connect at once
  CHECK(remote.send("x") == SCI_ERR_BUSY);
  sci_error_t error = SCI_ERR_OK;
  unsigned length = 0;
  unsigned received = 0;
  for (receive(port, 8192, 0, &error, &length); error == SCI_ERR_OK;
       receive(port, 8192, 0, &error, &length)) {
    ++received;
  }
  CHECK(received == sent);
  CHECK(remote.send("again") == SCI_ERR_OK);
}

TEST_CASE("an interrupt number is used once per node and must exist to be connected") {
  const TestLibrary library;
  const TestDescriptor descriptor;
  sci_local_interrupt_t first = nullptr;
  sci_local_interrupt_t second = nullptr;
  unsigned number = 12;
  const auto create = [&](sci_local_interrupt_t* to, unsigned adapter) {
    return error_of([&](auto* e) {
      SCICreateInterrupt(descriptor.handle, to, adapter, &number, nullptr, nullptr, SCI_FLAG_FIXED_INTNO, e);
    });
  };
  CHECK(create(&first, 0) == SCI_ERR_OK);
  CHECK(create(&second, 0) == SCI_ERR_INTNO_USED);
  CHECK(create(&second, 1) == SCI_ERR_OK);
  SCIRemoveInterrupt(second, 0, nullptr);
  sci_remote_interrupt_t remote = nullptr;
  const auto connect = [&](unsigned node, unsigned to) {
    return error_of([&](auto* e) { SCIConnectInterrupt(descriptor.handle, &remote, node, 0, to, 0, 0, e); });
  };
  CHECK(connect(4, 13) == SCI_ERR_NO_SUCH_INTNO);
  CHECK(connect(44, 12) == SCI_ERR_NO_SUCH_NODEID);
  CHECK(connect(5, 12) == SCI_ERR_ILLEGAL_NODEID);
  REQUIRE(connect(4, 12) == SCI_ERR_OK);
  SCIRemoveInterrupt(first, 0, nullptr);
  CHECK(error_of([&](auto* e) { SCITriggerInterrupt(remote, 0, e); }) == SCI_ERR_NOT_CONNECTED);
  SCIDisconnectInterrupt(remote, 0, nullptr);
}

TEST_CASE("triggers melt into one unless they are counted") {
  const TestLibrary library;
  const TestDescriptor descriptor;
  for (const bool counting : {false, true}) {
    CAPTURE(counting);
    sci_local_interrupt_t local = nullptr;
    sci_remote_interrupt_t remote = nullptr;
    unsigned number = 0;
    SCICreateInterrupt(descriptor.handle, &local, 0, &number, nullptr, nullptr,
                       counting ? SCI_FLAG_COUNTING_INT : 0, nullptr);
    SCIConnectInterrupt(descriptor.handle, &remote, 4, 0, number, 0, 0, nullptr);
    for (int i = 0; i < 3; ++i) SCITriggerInterrupt(remote, 0, nullptr);
    int woken = 0;
    while (error_of([&](auto* e) { SCIWaitForInterrupt(local, 0, 0, e); }) == SCI_ERR_OK) ++woken;
    CHECK(woken == (counting ? 3 : 1));
    SCIDisconnectInterrupt(remote, 0, nullptr);
    SCIRemoveInterrupt(local, 0, nullptr);
  }
}

TEST_CASE("a callback gets the message on a thread of the library until it cancels") {
  const TestLibrary library;
  const TestDescriptor descriptor;
  struct CallbackLog {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> texts;
  } seen;
  const sci_cb_data_interrupt_t on_data = [](void* arg, sci_local_data_interrupt_t, void* data,
                                             unsigned length, sci_error_t) {
    auto* to = static_cast<CallbackLog*>(arg);
    const std::lock_guard lock(to->mutex);
    to->texts.emplace_back(static_cast<const char*>(data), length);
    to->changed.notify_all();
    return to->texts.size() == 2 ? SCI_CALLBACK_CANCEL : SCI_CALLBACK_CONTINUE;
  };
  sci_local_data_interrupt_t local = nullptr;
  unsigned number = 0;
  sci_error_t error = SCI_ERR_OK;
  SCICreateDataInterrupt(descriptor.handle, &local, 0, &number, on_data, &seen, SCI_FLAG_USE_CALLBACK,
                         &error);
  REQUIRE(error == SCI_ERR_OK);
  unsigned length = 0;
  SCIWaitForDataInterrupt(local, nullptr, &length, 0, 0, &error);
  CHECK(error == SCI_ERR_ILLEGAL_OPERATION);
  {
    const RemoteDataPort remote(4, number);
    for (const char* text : {"one", "two", "three"}) CHECK(remote.send(text) == SCI_ERR_OK);
    std::unique_lock lock(seen.mutex);
    seen.changed.wait(lock, [&] { return seen.texts.size() == 2; });
  }
  SCIRemoveDataInterrupt(local, 0, nullptr);
  CHECK(seen.texts == std::vector<std::string>{"one", "two"});
}

TEST_CASE("a waiting thread is let go when the interrupt is removed") {
  const TestLibrary library;
  const TestDescriptor descriptor;
  sci_local_interrupt_t local = nullptr;
  sci_remote_interrupt_t remote = nullptr;
  unsigned number = 0;
  SCICreateInterrupt(descriptor.handle, &local, 0, &number, nullptr, nullptr, SCI_FLAG_COUNTING_INT, nullptr);
  SCIConnectInterrupt(descriptor.handle, &remote, 4, 0, number, 0, 0, nullptr);
  std::mutex mutex;
  std::condition_variable changed;
  bool woken = false;
  sci_error_t last = SCI_ERR_OK;
  std::thread waiter([&] {
    while (last == SCI_ERR_OK) {
      last = error_of([&](auto* e) { SCIWaitForInterrupt(local, SCI_INFINITE_TIMEOUT, 0, e); });
      const std::lock_guard lock(mutex);
      woken = true;
      changed.notify_all();
    }
  });
  SCITriggerInterrupt(remote, 0, nullptr);
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return woken; });
  }
  // Gives the waiter time to enter its next wait; no call can show that it has.
  sci_local_interrupt_t other = nullptr;
  unsigned other_number = 0;
  SCICreateInterrupt(descriptor.handle, &other, 0, &other_number, nullptr, nullptr, 0, nullptr);
  CHECK(error_of([&](auto* e) { SCIWaitForInterrupt(other, 50, 0, e); }) == SCI_ERR_TIMEOUT);
  SCIRemoveInterrupt(other, 0, nullptr);
  SCIRemoveInterrupt(local, 0, nullptr);
  waiter.join();
  CHECK(last == SCI_ERR_CANCELLED);
  SCIDisconnectInterrupt(remote, 0, nullptr);
}
