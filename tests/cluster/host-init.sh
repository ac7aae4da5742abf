#!/bin/bash
# First process of a test host, in its own network, mount, process, IPC and hostname namespaces. It prints "ready" when
# the file systems are mounted, then runs commands from stdin. When the test process at the other end dies, stdin closes
# and this process exits. The kernel then kills every process of the host and drops its mounts and interfaces.
# bash also reaps orphans.
#   HOST_FOLDER  folder with etc/{passwd,group,shadow,hosts} and ssh/ (sshd's configuration and keys)
#   HOST_NAME    its hostname
#   HOST_USERS   name:uid ..., each gets an empty home; HOST_SIZE_MIB  size of each home, /tmp and /dev/shm
#   HOST_HIDE    a folder that the host must not see; HOST_SHARE  folder:folder..., visible nevertheless, read-only
set -eu
hostname "$HOST_NAME"
tmpfs() { mount -t tmpfs -o "size=${HOST_SIZE_MIB}m,$1" bed "$2"; }

for file in passwd group shadow hosts; do mount --bind "$HOST_FOLDER/etc/$file" "/etc/$file"; done
mount --bind "$HOST_FOLDER/ssh" /etc/ssh
mount -t sysfs sysfs /sys
tmpfs mode=755 /run
mkdir /run/sshd /run/share
IFS=: read -ra share <<<"$HOST_SHARE"
for i in "${!share[@]}"; do
  mkdir "/run/share/$i"
  mount --bind "${share[i]}" "/run/share/$i"
  mount -o remount,bind,ro "/run/share/$i"
done
tmpfs mode=755 /home
for user in $HOST_USERS; do
  mkdir "/home/${user%:*}"
  tmpfs "mode=700,uid=${user#*:},gid=${user#*:}" "/home/${user%:*}"
done
tmpfs mode=1777 /dev/shm
tmpfs mode=1777 /var/tmp
tmpfs mode=755 "$HOST_HIDE"
tmpfs mode=1777 /tmp
for i in "${!share[@]}"; do
  mkdir -p "${share[i]}"
  mount --move "/run/share/$i" "${share[i]}"
done
cd /
echo ready

while read -r word first second third; do
  case $word in
  link) # IPv4 address, IPv6 address or -, rate in Mbit/s or -
    ip link set lo up
    ip link set eth0 up
    ip address add "$first" dev eth0
    [ "$second" = - ] || ip address add "$second" dev eth0 nodad
    [ "$third" = - ] || tc qdisc add dev eth0 root tbf rate "${third}mbit" burst 256kb latency 20ms
    ;;
  sshd) # limit of open files or -
    (
      [ "$first" = - ] || ulimit -n "$first"
      exec /usr/sbin/sshd -D -E /etc/ssh/sshd.log </dev/null >/dev/null 2>&1
    ) &
    ;;
  esac
done
