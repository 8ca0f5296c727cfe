/* SPDX-License-Identifier: MIT */
/* ring_poll.c - what must be true of kernel and devices before a ring can poll. */
#include "engine/ring_poll.h"

#include <liburing.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "engine/engine.h"
#include "engine/ring.h"
#include "engine/target.h"

/* How a driver is told to keep queues without interrupts. */
static const struct {
	const char *prefix, *remedy;
} poll_drivers[] = {
	{"nvme", "boot with nvme.poll_queues=N"},
	{"vd", "boot with virtio_blk.poll_queues=N"},
	{"nullb", "modprobe null_blk poll_queues=N"},
	{"", "use a device whose driver has queues for polling (NVMe: nvme.poll_queues=N)"},
};

static const char *remedy_of(const char *device)
{
	unsigned i = 0;

	while (strncmp(device, poll_drivers[i].prefix, strlen(poll_drivers[i].prefix)) != 0)
		i++;
	return poll_drivers[i].remedy;
}

int ring_poll_check_target(const char *root, const struct target *target, struct error *error)
{
	char names[TARGET_DEVICES_MAX][32], path[1024], value[32];
	int n = target_devices(target, names);

	if (n == 0)
		return error_set(error, ERROR_CANNOT,
				 "%s: the device below it is not known, so polling it cannot be "
				 "proved: name the block device itself, or poll=none",
				 target->path);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/sys/block/%s/queue/io_poll", root, names[i]);
		if (sysfile_read(path, value, sizeof(value), NULL) < 0)
			snprintf(value, sizeof(value), "absent");
		if (strcmp(value, "1") != 0)
			return error_set(
				error, ERROR_CANNOT,
				"%s: its device %s cannot be polled (%s is %s): %s, or poll=none",
				target->path, names[i], path + strlen(root), value,
				remedy_of(names[i]));
	}
	return 0;
}

int ring_poll_check(const struct io_uring *ring, const struct ring_setup *setup,
		    const struct engine_setup *engine, bool registered_files, struct error *error)
{
	bool polls_device = setup->poll == RING_POLL_IOPOLL || setup->poll == RING_POLL_HYBRID;

	if (setup->poll == RING_POLL_SQPOLL && !registered_files &&
	    !(ring->features & IORING_FEAT_SQPOLL_NONFIXED))
		return error_set(error, ERROR_CANNOT,
				 "poll sqpoll needs registered_files=true before Linux 5.11");
	for (unsigned i = 0; polls_device && engine->targets && i < engine->n_targets; i++) {
		int rc = ring_poll_check_target("", &engine->targets[i], error);

		if (rc < 0)
			return rc;
	}
	return 0;
}
