#!/bin/bash
# First process of a test pod, in namespaces as a container engine makes them, also of users. Its root is read-only and has
# busybox and the C library alone. Prints "ready", then runs commands from stdin as host-init.sh does.
#   HOST_FOLDER  folder with root/, the image; HOST_NAME  name of the pod
#   POD_SHM      mount options of /dev/shm; POD_VOLUME  mount options of the volume /scratch, "" for none
#   POD_CGROUPS  "folder:folder ...": control groups of this machine, and where the pod sees them
set -eu
hostname "$HOST_NAME"
root=$HOST_FOLDER/root
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs sysfs sys
for pair in $POD_CGROUPS; do
  mountpoint -q sys/fs/cgroup || mount -t tmpfs -o mode=755 cgroups sys/fs/cgroup
  [ "${pair#*:}" = /sys/fs/cgroup ] || mkdir -p ".${pair#*:}"
  mount --bind "${pair%%:*}" ".${pair#*:}"
done
mount -t tmpfs -o mode=755 dev dev
for device in null zero full random urandom; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/shm
mount -t tmpfs -o "$POD_SHM" shm dev/shm
[ -z "$POD_VOLUME" ] || mount -t tmpfs -o "$POD_VOLUME" volume scratch
pivot_root . old
exec /bin/busybox sh -c '
umount -l /old
mount -o remount,bind,ro /
echo ready
while read -r word address gateway; do
  [ "$word" = link ] || continue
  ip link set lo up
  ip link set eth0 up
  ip addr add "$address" dev eth0
  ip route add default via "$gateway"
done'
