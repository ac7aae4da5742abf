#include "transports/socket/interfaces.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

#include "core/error.h"
#include "core/text.h"

namespace collbench::socket {
namespace {

int read_speed_mbps(const std::string& name) {
  std::ifstream file("/sys/class/net/" + name + "/speed");
  int speed = 0;
  return file >> speed && speed > 0 ? speed : 0;
}

std::string read_device_path(const std::string& name) {
  char path[PATH_MAX];
  const std::string link = "/sys/class/net/" + name + "/device";
  return realpath(link.c_str(), path) != nullptr ? path : "";
}

bool is_link_local(const SocketAddress& a) {
  return a.family() == AF_INET6 &&
         IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6&>(a.storage).sin6_addr);
}

SocketAddress copy_address(const sockaddr* from) {
  SocketAddress a;
  a.length = from->sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  std::memcpy(&a.storage, from, a.length);
  return a;
}

struct InterfaceRequest {
  std::string name;
  int family = AF_UNSPEC;
};

InterfaceRequest parse_request(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return {text, AF_UNSPEC};
  const std::string family = text.substr(slash + 1);
  if (family == "ipv4") return {text.substr(0, slash), AF_INET};
  if (family == "ipv6") return {text.substr(0, slash), AF_INET6};
  throw Error(
      ErrorCode::kInvalidArgument,
      "socket: interface \"" + text + "\": after the slash stands ipv4 or ipv6, not \"" + family + "\"");
}

std::optional<SocketAddress> pick_address(const NetworkInterface& interface, int family) {
  for (const int candidate : {AF_INET, AF_INET6})
    if (family == AF_UNSPEC || family == candidate)
      for (const SocketAddress& a : interface.addresses)
        if (a.family() == candidate) return a;
  return std::nullopt;
}

const char* family_name(int family) {
  return family == AF_INET ? "IPv4 " : family == AF_INET6 ? "IPv6 " : "";
}

}  // namespace

std::vector<NetworkInterface> list_interfaces() {
  ifaddrs* raw = nullptr;
  if (getifaddrs(&raw) != 0) throw system_error(ErrorCode::kUnavailable, "socket: getifaddrs", errno);
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> list(raw, freeifaddrs);
  std::vector<NetworkInterface> interfaces;
  for (const ifaddrs* entry = raw; entry != nullptr; entry = entry->ifa_next) {
    auto found = std::find_if(interfaces.begin(), interfaces.end(),
                              [&](const NetworkInterface& i) { return i.name == entry->ifa_name; });
    if (found == interfaces.end()) {
      NetworkInterface interface;
      interface.name = entry->ifa_name;
      interface.index = if_nametoindex(entry->ifa_name);
      interface.up = (entry->ifa_flags & IFF_UP) != 0;
      interface.loopback = (entry->ifa_flags & IFF_LOOPBACK) != 0;
      interface.speed_mbps = read_speed_mbps(interface.name);
      interface.pci_path = read_device_path(interface.name);
      found = interfaces.insert(interfaces.end(), std::move(interface));
    }
    if (entry->ifa_addr == nullptr) continue;
    const int family = entry->ifa_addr->sa_family;
    if (family == AF_INET || family == AF_INET6) found->addresses.push_back(copy_address(entry->ifa_addr));
  }
  for (NetworkInterface& interface : interfaces)
    std::stable_partition(interface.addresses.begin(), interface.addresses.end(),
                          [](const SocketAddress& a) { return !is_link_local(a); });
  return interfaces;
}

std::string describe_interfaces(const std::vector<NetworkInterface>& interfaces) {
  const auto describe = [](const NetworkInterface& interface) {
    std::string text = interface.name + (interface.up ? " (up" : " (down");
    for (const SocketAddress& a : interface.addresses) text += ", " + a.host_text();
    return text + (interface.addresses.empty() ? ", no address)" : ")");
  };
  return interfaces.empty() ? "none" : join(interfaces, describe);
}

std::string default_route_interface(std::istream& routes) {
  constexpr unsigned kUp = 1;  // RTF_UP
  std::string line, best;
  unsigned best_metric = UINT_MAX;
  std::getline(routes, line);  // header line: Iface Destination Gateway Flags RefCnt Use Metric Mask ...
  while (std::getline(routes, line)) {
    std::istringstream fields(line);
    std::string name, gateway;
    unsigned destination = 1, flags = 0, references = 0, uses = 0, metric = 0, mask = 1;
    fields >> name >> std::hex >> destination >> gateway >> flags >> std::dec >> references >> uses >>
        metric >> std::hex >> mask;
    if (!fields || destination != 0 || mask != 0 || (flags & kUp) == 0 || metric >= best_metric) continue;
    best = name;
    best_metric = metric;
  }
  return best;
}

PlannedInterface choose_interface(const std::string& name, bool spans_hosts) {
  const InterfaceRequest request = parse_request(name);
  const std::vector<NetworkInterface> all = list_interfaces();
  const std::string known = "; this machine has: " + describe_interfaces(all);
  if (request.name.empty() && spans_hosts) {
    std::ifstream routes("/proc/net/route");
    const std::string preferred = default_route_interface(routes);
    for (const bool any : {false, true})
      for (const NetworkInterface& i : all)
        if (i.up && !i.loopback && (any || i.name == preferred))
          if (const auto address = pick_address(i, request.family)) return {i, *address};
    throw Error(ErrorCode::kUnavailable,
                "socket: no network interface but lo is up and has an address, and lo does not reach other "
                "machines" +
                    known);
  }
  if (request.name.empty()) {
    for (const bool loopback : {true, false})
      for (const NetworkInterface& i : all)
        if (i.up && i.loopback == loopback)
          if (const auto address = pick_address(i, request.family)) return {i, *address};
    throw Error(ErrorCode::kUnavailable, "socket: no network interface is up and has an address" + known);
  }
  for (const NetworkInterface& i : all) {
    if (i.name != request.name) continue;
    if (!i.up)
      throw Error(ErrorCode::kUnavailable, "socket: network interface " + i.name + " is down" + known);
    if (const auto address = pick_address(i, request.family)) return {i, *address};
    throw Error(ErrorCode::kUnavailable, "socket: network interface " + i.name + " has no " +
                                             family_name(request.family) + "address" + known);
  }
  throw Error(ErrorCode::kUnavailable, "socket: there is no network interface " + request.name + known);
}

bool is_local_address(const SocketAddress& address) {
  for (const NetworkInterface& interface : list_interfaces())
    for (const SocketAddress& a : interface.addresses)
      if (a.same_host(address)) return true;
  return false;
}

}  // namespace collbench::socket
