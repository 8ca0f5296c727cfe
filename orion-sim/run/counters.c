/* SPDX-License-Identifier: MIT */
/* counters.c - counters of the kernel read before and after the measure phase. */
#include "run/counters.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define SECTOR_BYTES 512 /* of /sys/block/NAME/stat, whatever the device's block size */

static int counters_open_file(const char *path, int *ret_fd, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_set(error, -errno, "%s cannot be read: %s", path, strerror(errno));
	*ret_fd = fd;
	return 0;
}

int counters_open(struct counters *counters, char devices[][32], unsigned n_devices,
		  struct error *error)
{
	char path[64];
	int status;

	*counters = (struct counters){.stat_fd = -1};
	status = counters_open_file("/proc/stat", &counters->stat_fd, error);
	for (unsigned i = 0; status == 0 && i < n_devices && i < COUNTERS_DEVICES_MAX; i++) {
		snprintf(path, sizeof(path), "/sys/block/%s/stat", devices[i]);
		/* A device without statistics is left out, not shown as zero. */
		if (counters_open_file(path, &counters->device_fds[counters->n_devices], NULL) < 0)
			continue;
		memcpy(counters->devices[counters->n_devices++], devices[i], sizeof(devices[i]));
	}
	if (status < 0)
		counters_close(counters);
	return status;
}

static void counters_read_file(int fd, char *text, size_t size)
{
	ssize_t n = pread(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
}

void counters_read(const struct counters *counters, struct counters_sample *ret)
{
	counters_read_file(counters->stat_fd, ret->stat, sizeof(ret->stat));
	for (unsigned i = 0; i < counters->n_devices; i++)
		counters_read_file(counters->device_fds[i], ret->device[i], sizeof(ret->device[i]));
	counter_files_read(&counters->files, ret->text);
}

void counters_close(struct counters *counters)
{
	if (counters->stat_fd >= 0)
		close(counters->stat_fd);
	for (unsigned i = 0; i < counters->n_devices; i++)
		close(counters->device_fds[i]);
	counter_files_close(&counters->files);
	*counters = (struct counters){.stat_fd = -1};
}

/* First line of /proc/stat in seconds: user nice system idle iowait irq softirq steal. */
static struct result_cpu cpu_parse(const char *text)
{
	unsigned long long v[8] = {0};
	double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	struct result_cpu cpu = {0};

	if (sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
		   &v[4], &v[5], &v[6], &v[7]) != 8)
		return cpu;
	cpu.user_s = (double)(v[0] + v[1]) * tick_s;
	cpu.system_s = (double)v[2] * tick_s;
	cpu.iowait_s = (double)v[4] * tick_s;
	cpu.irq_s = (double)v[5] * tick_s;
	cpu.softirq_s = (double)v[6] * tick_s;
	cpu.steal_s = (double)v[7] * tick_s;
	cpu.busy_s = cpu.user_s + cpu.system_s + cpu.irq_s + cpu.softirq_s;
	cpu.total_s = cpu.busy_s + cpu.steal_s + cpu.iowait_s + (double)v[3] * tick_s;
	return cpu;
}

/* Documentation/block/stat.rst: reads, merges, sectors, ms, the same of writes, in flight,
 * io_ticks. */
static struct result_device device_parse(const char *text)
{
	unsigned long long v[10] = {0};
	struct result_device device = {0};

	if (sscanf(text, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2],
		   &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9]) != 10)
		return device;
	device.reads = v[0];
	device.read_merges = v[1];
	device.read_bytes = v[2] * SECTOR_BYTES;
	device.writes = v[4];
	device.write_bytes = v[6] * SECTOR_BYTES;
	device.io_ticks_ms = v[9];
	return device;
}

/* The kernel may take back what it counted as idle or iowait (proc(5)), but not what was used. */
static struct result_cpu cpu_subtract(const struct result_cpu *end, const struct result_cpu *begin)
{
	double used_s = end->busy_s - begin->busy_s + end->steal_s - begin->steal_s;

	return (struct result_cpu){.busy_s = end->busy_s - begin->busy_s,
				   .user_s = end->user_s - begin->user_s,
				   .system_s = end->system_s - begin->system_s,
				   .irq_s = end->irq_s - begin->irq_s,
				   .softirq_s = end->softirq_s - begin->softirq_s,
				   .steal_s = end->steal_s - begin->steal_s,
				   .iowait_s = fmax(end->iowait_s - begin->iowait_s, 0),
				   .total_s = fmax(end->total_s - begin->total_s, used_s)};
}

static struct result_device device_subtract(const struct result_device *end,
					    const struct result_device *begin)
{
	return (struct result_device){.reads = end->reads - begin->reads,
				      .read_bytes = end->read_bytes - begin->read_bytes,
				      .read_merges = end->read_merges - begin->read_merges,
				      .writes = end->writes - begin->writes,
				      .write_bytes = end->write_bytes - begin->write_bytes,
				      .io_ticks_ms = end->io_ticks_ms - begin->io_ticks_ms};
}

void counters_subtract(const struct counters *counters, const struct counters_sample *begin,
		       const struct counters_sample *end, struct result_cpu *ret_cpu,
		       struct result_device *ret_devices)
{
	struct result_cpu cpu_begin = cpu_parse(begin->stat), cpu_end = cpu_parse(end->stat);

	*ret_cpu = cpu_subtract(&cpu_end, &cpu_begin);
	for (unsigned i = 0; i < counters->n_devices; i++) {
		struct result_device from = device_parse(begin->device[i]);
		struct result_device to = device_parse(end->device[i]);

		ret_devices[i] = device_subtract(&to, &from);
		memcpy(ret_devices[i].name, counters->devices[i], sizeof(ret_devices[i].name));
	}
}
