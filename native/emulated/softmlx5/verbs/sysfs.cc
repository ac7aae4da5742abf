#include "emulated/softmlx5/verbs/sysfs.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "emulated/cards.h"
#include "emulated/softmlx5/verbs/api.h"

namespace collbench::softmlx5::verbs {
namespace {

constexpr std::uint64_t kWordBytes = 4;  // data counters count words of 4 bytes
constexpr auto kInterval = std::chrono::milliseconds(20);

constexpr const char* kNames[] = {"port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets"};

SysfsTree* the_tree = nullptr;

}  // namespace

SysfsTree::SysfsTree(Card& card, const std::string& root) : card_(card) {
  const std::filesystem::path port =
      std::filesystem::path(root) / "class/infiniband" / ("mlx5_" + std::to_string(card.lid())) / "ports/1";
  std::error_code failed;
  std::filesystem::create_directories(port / "counters", failed);
  if (failed) return;
  char lid[16];
  std::snprintf(lid, sizeof lid, "0x%x", static_cast<unsigned>(card.lid()));
  const double gbitps = card.link_gbitps();
  const std::pair<const char*, std::string> kFixed[] = {
      {"lid", lid},
      {"link_layer", "InfiniBand"},
      {"state", card.port_is_up() ? "4: ACTIVE" : "1: DOWN"},
      {"rate", gbitps > 0 ? std::to_string(static_cast<int>(gbitps)) + " Gb/sec" : "unknown"}};
  is_complete_ = true;
  for (const auto& [name, text] : kFixed)
    is_complete_ = is_complete_ && (std::ofstream(port / name) << text << '\n');
  for (int n = 0; n < kFiles; ++n) {
    files_[n] = open((port / "counters" / kNames[n]).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    is_complete_ = is_complete_ && files_[n] >= 0;
  }
  write();
}

SysfsTree::~SysfsTree() {
  for (const int file : files_)
    if (file >= 0) close(file);
}

void SysfsTree::write() {
  const std::lock_guard lock(mutex_);
  const PortCounters port = card_.port_counters();
  const std::uint64_t values[kFiles] = {port.bytes_sent / kWordBytes, port.bytes_received / kWordBytes,
                                        port.packets_sent, port.packets_received};
  for (int n = 0; n < kFiles && is_complete_; ++n) {
    const std::string text = std::to_string(values[n]) + '\n';
    // One write per file. The text never gets shorter, because counters only grow.
    is_complete_ = pwrite(files_[n], text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  }
}

void show_counters(Card& card) {
  const char* root = std::getenv("SOFTMLX5_SYSFS");
  if (root == nullptr || *root == '\0') return;
  the_tree = new SysfsTree(card, root);  // never deleted
  if (!the_tree->is_complete()) {
    std::fprintf(stderr, "softmlx5: no files can be made in SOFTMLX5_SYSFS=%s\n", root);
    return;
  }
  std::atexit([] { the_tree->write(); });
  std::thread([tree = the_tree] {
    for (;; std::this_thread::sleep_for(kInterval)) tree->write();
  }).detach();
}

namespace api {

int counters(unsigned int number, softmlx5_counters_t* counted) {
  Card* card = Card::open(nullptr);
  if (card == nullptr) return 0;
  if (number == 0) {
    const PortCounters port = card->port_counters();
    *counted = {port.bytes_sent, port.bytes_received, port.packets_sent, port.packets_received, 0, 0, 0, 0};
    return 1;
  }
  const auto queue = card->queue_counters(number);
  if (!queue) return 0;
  *counted = {queue->bytes_sent, queue->bytes_received, queue->packets_sent, queue->packets_received,
              queue->requests,   queue->doorbells,      queue->errors,       queue->dc_connects};
  return 1;
}

}  // namespace api
}  // namespace collbench::softmlx5::verbs
