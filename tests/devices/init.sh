#!/bin/busybox sh
# The guest's first process: this machine's files, with what is written to them kept in memory, and the tests on them.
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do insmod "/modules/$module"; done < /modules/order
mkdir /host /written /whole
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=512000,cache=loose host /host
mount -t tmpfs written /written
mkdir /written/upper /written/work
mount -t overlay -o lowerdir=/host,upperdir=/written/upper,workdir=/written/work whole /whole
for each in proc sys dev; do mount --move "/$each" "/whole/$each"; done
mount -t tmpfs run /whole/run
mkdir -p /whole/dev/shm /whole/run/modules /whole/run/told
mount -t tmpfs shm /whole/dev/shm
mount -t 9p -o trans=virtio,version=9p2000.L,msize=512000 told /whole/run/told
cp /modules/*.ko /bin/busybox /whole/run/modules/
exec switch_root /whole /run/modules/busybox sh /run/told/run.sh
