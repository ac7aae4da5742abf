#pragma once
#include <istream>
#include <string>
#include <vector>

#include "transports/socket/address.h"

namespace collbench::socket {

/// A network interface as the kernel describes it.
struct NetworkInterface {
  std::string name;
  unsigned index = 0;
  bool up = false;
  bool loopback = false;
  int speed_mbps = 0;                    // 0 = unknown (loopback, most virtual interfaces)
  std::string pci_path;                  // sysfs path of the device; empty if there is none
  std::vector<SocketAddress> addresses;  // global addresses before link-local ones; port 0
};

/// Returns all interfaces of this network namespace, in the kernel's order.
std::vector<NetworkInterface> list_interfaces();

/// Describes the interfaces in one line for messages: "lo (up, 127.0.0.1, ::1), eth1 (down, no address)".
std::string describe_interfaces(const std::vector<NetworkInterface>& interfaces);

/// The network interface chosen for data connections, and that of its addresses to which listeners are bound.
struct PlannedInterface {
  NetworkInterface interface;
  SocketAddress address;
};

/// Chooses the interface, and its address, to which data listeners are bound.
/// @param name "eth0" (its IPv4 address before IPv6), "eth0/ipv4" or "eth0/ipv6"; empty: lo, which reaches
/// every rank of this machine, or the first usable interface if there is no lo
/// @param spans_hosts used with an empty name: true if ranks run on several machines. The interface is then
/// not lo but that of the default route, or the first one that is up and has an address
/// @throws Error(kUnavailable) if the interface is unknown, down or without such an address; the message
/// lists the existing ones. Error(kInvalidArgument) for another word after the slash
PlannedInterface choose_interface(const std::string& name, bool spans_hosts = false);

/// Returns the interface of the default route with the lowest metric; "" if there is no default route.
/// @param routes content of /proc/net/route
std::string default_route_interface(std::istream& routes);

/// True if the address belongs to this machine. Traffic to such an address goes through lo, even if another
/// interface was chosen.
bool is_local_address(const SocketAddress& address);

}  // namespace collbench::socket
