#pragma once
#include <istream>
#include <string>
#include <vector>

#include "transports/socket/address.h"

namespace collbench::socket {

struct NetworkInterface {
  std::string name;
  unsigned index = 0;
  bool up = false;
  bool loopback = false;
  int speed_mbps = 0;                    // 0 = unknown (loopback, most virtual interfaces)
  std::string pci_path;                  // sysfs path of the device, empty when there is none
  std::vector<SocketAddress> addresses;  // global ones before link-local ones; port 0
};

/// All interfaces of this network namespace, in the kernel's order.
std::vector<NetworkInterface> list_interfaces();

/// One line for messages: "lo (up, 127.0.0.1, ::1), eth1 (down)".
std::string describe_interfaces(const std::vector<NetworkInterface>& interfaces);

struct PlannedInterface {
  NetworkInterface interface;
  SocketAddress address;
};

/// The interface data listeners are bound to.
/// @param name "eth0" (IPv4 before IPv6), "eth0/ipv4" or "eth0/ipv6"; empty: lo, which carries everything
///   between ranks of one machine, or the first usable interface where there is no lo
/// @param spans_hosts an empty name means another interface than lo: that of the default route, or the first
///   one that is up and has an address
/// @throws Error(kUnavailable) unknown, down or without such an address; the message lists what exists
PlannedInterface choose_interface(const std::string& name, bool spans_hosts = false);

/// Interface of the default route in the text of /proc/net/route, that with the lowest metric; "" = none.
std::string default_route_interface(std::istream& routes);

/// True when the address is one of this machine: the kernel then carries the bytes over lo whatever was
/// planned.
bool is_local_address(const SocketAddress& address);

}  // namespace collbench::socket
