/* SPDX-License-Identifier: MIT */
/* sample.c - results made up by hand, with figures as a run would leave them. */
#include "sample.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "stats/histogram.h"
#include "stats/result.h"

#define TARGET "/var/lib/orion/orion-sim-demo.dat"
#define MIB    ((uint64_t)1 << 20)

/* clang-format off */
static const char fingerprint[] =
	"{\"kernel\": \"6.18.44-1-amd64\", \"kernel_version\": \"#1 SMP PREEMPT_DYNAMIC Debian 6.18.44-1\","
	"\"architecture\": \"x86_64\", \"cpu_model\": \"AMD EPYC 9654 96-Core Processor\","
	"\"cpus_online\": 2, \"cpus_allowed\": 2, \"nodes\": 1, \"page_bytes\": 4096, \"pmd_bytes\": 2097152,"
	"\"memory_total_bytes\": 8326701056, \"memory_available_bytes\": 7615070208, \"swap_total_bytes\": 0,"
	"\"command_line\": \"BOOT_IMAGE=/boot/vmlinuz-6.18.44-1-amd64 root=UUID=0cf2a1b5 ro quiet console=ttyS0\","
	"\"boot_id\": \"60a39cd4-4c8e-4d4b-9a9c-2f5fd4d64dc1\", \"tainted\": \"0\", \"clocksource\": \"tsc\","
	"\"thp_enabled\": \"always [madvise] never\", \"thp_defrag\": \"always defer defer+madvise [madvise] never\","
	"\"thp_shmem_enabled\": \"always within_size advise [never] deny force\", \"numa_balancing\": \"0\","
	"\"aio_max_nr\": \"65536\", \"io_uring_disabled\": \"0\", \"shmmax\": \"18446744073692774399\","
	"\"shmall\": \"18446744073692774399\", \"loadavg\": \"0.08 0.03 0.01 1/112 5123\","
	"\"hugepages_nr\": {\"hugepages-2048kB\": \"0\", \"hugepages-1048576kB\": \"0\"},"
	"\"shmem_enabled\": {\"hugepages-64kB\": \"always inherit within_size advise [never]\","
	"\"hugepages-2048kB\": \"always [inherit] within_size advise never\"},"
	"\"devices\": [{\"name\": \"vda\", \"scheduler\": \"[none] mq-deadline\", \"nr_requests\": \"256\","
	"\"max_sectors_kb\": \"1280\", \"max_hw_sectors_kb\": \"2147483647\", \"max_segments\": \"254\","
	"\"max_segment_size\": \"4294967295\", \"logical_block_size\": \"512\", \"rotational\": \"1\","
	"\"write_cache\": \"write back\", \"iostats\": \"1\", \"nomerges\": \"0\", \"rq_affinity\": \"1\"}]}";

static const char settings[] =
	"[{\"path\": \"/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages\", \"from\": \"0\", \"to\": \"128\"},"
	"{\"path\": \"/sys/kernel/mm/transparent_hugepage/hugepages-64kB/shmem_enabled\", \"from\": \"never\", \"to\": \"advise\"}]";

static const char effective_profile[] =
	"{\"name\": \"demo\", \"summary\": \"Direct reads of 8K, 64K and 1M into base, mTHP and huge pages\","
	"\"seed\": \"16045690984503098046\", \"repeats\": 2, \"phases\": {\"warmup\": \"500ms\", \"measure\": \"2s\"},"
	"\"primary\": [\"read.mbps\"], \"strict\": true, \"strict_share\": 99, \"allow_unwritten\": false,"
	"\"targets\": [\"" TARGET "\"], \"settings\": [\"hugepages\", \"shmem_enabled\"],"
	"\"points\": [{\"axes\": {\"block\": [\"8k\", \"64k\", \"1m\"], \"engine\": [\"io_uring\", \"libaio\"],"
	"\"memory\": [\"base\", {\"kind\": \"mthp\", \"folio\": \"64k\"}, \"hugetlb\"]},"
	"\"regions\": {\"sga\": {\"memory\": \"hugetlb\", \"size\": \"256m\"}},"
	"\"streams\": [{\"label\": \"reads\", \"workload\": {\"kind\": \"io\", \"block\": \"8k\", \"depth\": 32},"
	"\"engine\": \"io_uring\", \"region\": \"sga\"}]}]}";

static const char effective_point[] =
	"{\"label\": \"%s\", \"phases\": {\"warmup\": \"500ms\", \"measure\": \"2s\"}, \"repeats\": 2,"
	"\"regions\": {\"sga\": {\"memory\": {\"kind\": \"%s\", \"page\": \"2M\", \"method\": \"sysv\"}, \"size\": \"256M\"}},"
	"\"streams\": [{\"label\": \"reads\", \"workload\": {\"kind\": \"io\", \"mode\": \"read\", \"pattern\": \"random\","
	"\"block\": \"%s\", \"depth\": 32, \"batch\": 8, \"offset\": 0, \"length\": 0, \"frames\": \"random\"},"
	"\"engine\": {\"kind\": \"%s\", \"registered_buffers\": false, \"registered_files\": true, \"sqpoll\": false},"
	"\"region\": \"sga\", \"targets\": [\"" TARGET "\"], \"workers\": 1, \"cpus\": \"\", \"pin\": true}]}";
/* clang-format on */

static void *allocate(size_t n, size_t size)
{
	void *memory = calloc(n, size);

	assert(memory);
	return memory;
}

#define TEXT(into, ...) ((void)snprintf(into, sizeof(into), __VA_ARGS__))

static void fill_intervals(struct result_class *class)
{
	unsigned n = class->duration_s > 1.5 ? 3 : 1;

	class->n_intervals = n;
	class->intervals = allocate(n, sizeof(*class->intervals));
	for (unsigned i = 0; i < n; i++) {
		struct result_interval *interval = &class->intervals[i];
		double share = i < 2 ? 0.4997 + 0.0001 * i : 0.0003;

		interval->begin_s = 1.000137 * i;
		interval->duration_s = i < 2 ? 1.000137 : 0.000812;
		interval->ops = (uint64_t)((double)class->tally.ops * share);
		interval->bytes = (uint64_t)((double)class->tally.bytes * share);
		interval->p50_ns = class->percentile_ns[0] + i;
		interval->p99_ns = class->percentile_ns[2] - i;
		interval->max_ns = class->max_ns;
	}
}

void sample_fill(struct result_class *class, unsigned long long ops, unsigned long long bytes_each,
		 double mean_ns)
{
	struct random random;

	free(class->intervals);
	free(class->histogram);
	class->tally = (struct tally){
		.ops = ops, .bytes = ops * bytes_each, .batches = ops / 7, .submit_ns = ops * 830};
	class->histogram = allocate(1, sizeof(*class->histogram));
	histogram_reset(class->histogram);
	random_seed(&random, ops, bytes_each);
	for (unsigned i = 0; i < 2000; i++) { /* a long tail: 1/16 … 4 means, and a few more */
		double scale = 1 + (double)random_below(&random, 1000) / 1000;
		double tail = random_below(&random, 50) ? 0.65 : 1.3;

		histogram_add_n(class->histogram, (uint64_t)(mean_ns * scale * tail),
				ops / 2000 + (i < ops % 2000));
	}
	result_class_summarize(class, class->histogram);
	fill_intervals(class);
}

static void stream_init(struct result_stream *stream, const char *label, unsigned n_classes)
{
	const char *const names[] = {"read", "write"};

	TEXT(stream->label, "%s", label);
	TEXT(stream->traits, "%s",
	     "DEFER_TASKRUN SINGLE_ISSUER COOP_TASKRUN registered_files registered_ring");
	stream->workers = 1;
	stream->n_classes = n_classes;
	stream->classes = allocate(n_classes, sizeof(*stream->classes));
	for (unsigned i = 0; i < n_classes; i++) {
		TEXT(stream->classes[i].name, "%s", names[i]);
		TEXT(stream->classes[i].unit, "%s", "I/O");
		stream->classes[i].duration_s = 2.000274;
	}
}

/* CPU time of n operations of so many us each, a third of it in user mode. */
static struct usage usage_of(double us, uint64_t ops)
{
	uint64_t ns = (uint64_t)(us * 1e3 * (double)ops);

	return (struct usage){.user_ns = ns / 3000000 * 1000000,
			      .system_ns = (ns - ns / 3) / 1000000 * 1000000,
			      .minor_faults = 3,
			      .voluntary_switches = ops / 11,
			      .involuntary_switches = 17};
}

static void fill_machine(struct result_repeat *repeat, uint64_t bytes, uint64_t request_bytes)
{
	repeat->cpu = (struct result_cpu){.busy_s = 0.41,
					  .user_s = 0.09,
					  .system_s = 0.3,
					  .irq_s = 0.01,
					  .softirq_s = 0.01,
					  .iowait_s = 0.62,
					  .total_s = 4.01};
	repeat->n_devices = 1;
	repeat->devices = allocate(1, sizeof(*repeat->devices));
	TEXT(repeat->devices[0].name, "vda");
	repeat->devices[0].reads = bytes / request_bytes;
	repeat->devices[0].read_bytes = bytes;
	repeat->devices[0].io_ticks_ms = 1993;
}

/* As on a machine with one node. */
static void fill_placement(struct result_placement *placement)
{
	placement->known = true;
	TEXT(placement->numa, "default");
	placement->samples = 2048;
	placement->got_percent = placement->got_end_percent = 100;
	placement->n_nodes = 1;
	placement->nodes = allocate(1, sizeof(*placement->nodes));
	placement->nodes[0].bytes = 256 * MIB;
}

static void fill_audit(struct result_repeat *repeat, const char *memory, uint64_t page_bytes)
{
	struct result_audit *audit = allocate(1, sizeof(*audit));

	repeat->n_audits = 1;
	repeat->audits = audit;
	TEXT(audit->region, "sga");
	TEXT(audit->memory, "%s", memory);
	TEXT(audit->method, "%s", page_bytes > 65536 ? "smaps" : "pagemap+kpageflags");
	audit->page_bytes = page_bytes;
	audit->asked_bytes = audit->got_bytes = audit->got_end_bytes = 256 * MIB;
	TEXT(audit->detail, "%s", "256M");
	fill_placement(&audit->placement);
	if (page_bytes == 65536) {
		audit->got_bytes = audit->got_end_bytes = 256 * MIB - 8 * 65536;
		TEXT(audit->detail, "%s", "64K 255M, 4K 512K");
	}
}

static void repeat_init(struct result_repeat *repeat, unsigned index, unsigned n_streams)
{
	repeat->index = index;
	TEXT(repeat->started_utc, "2026-11-30T16:0%u:%02uZ", 4 + index % 2, index % 60);
	repeat->duration_s = 2.000274;
	repeat->n_streams = n_streams;
	repeat->streams = allocate(n_streams, sizeof(*repeat->streams));
}

static void header_init(struct result *result, const char *name, const char *summary)
{
	memset(result, 0, sizeof(*result));
	TEXT(result->name, "%s", name);
	TEXT(result->summary, "%s", summary);
	TEXT(result->version, "0.1.0");
	TEXT(result->started_utc, "2026-11-30T16:04:59Z");
	TEXT(result->ended_utc, "2026-11-30T16:06:44Z");
	result->complete = true;
	result->seed = 16045690984503098046u; /* beyond 2^53 */
	result->repeats = 2;
	result->clock_cost_ns = 24.817;
	TEXT(result->primary[0], "read.mbps");
	result->fingerprint = cJSON_Parse(fingerprint);
	result->notes = cJSON_CreateArray();
	result->effective = cJSON_Parse(effective_profile);
	assert(result->fingerprint && result->effective);
}

static void variants_init(struct result *result, unsigned n, unsigned n_points)
{
	result->n_variants = n;
	result->variants = allocate(n, sizeof(*result->variants));
	for (unsigned i = 0; i < n; i++) {
		result->variants[i].settings = cJSON_Parse(settings);
		assert(result->variants[i].settings);
		result->variants[i].n_points = n_points;
		result->variants[i].points =
			allocate(n_points, sizeof(*result->variants[i].points));
	}
}

static void coordinate_add(struct result_point *point, const char *axis, const char *value)
{
	struct result_coordinate *coordinate = &point->coordinates[point->n_coordinates++];

	TEXT(coordinate->axis, "%s", axis);
	TEXT(coordinate->value, "%s", value);
}

static const char *const blocks[] = {"8K", "64K", "1M"};
static const char *const engines[] = {"io_uring", "libaio"};
static const char *const memories[] = {"base", "mthp 64K", "hugetlb"};

/* What was seen on a virtual disk: rates by block and memory, CPU us an I/O likewise. */
static const uint64_t block_bytes[] = {8192, 65536, 1048576};
static const uint64_t page_bytes[] = {4096, 65536, 2 * 1048576};
static const uint64_t request_bytes[3][3] = {
	{8192, 8192, 8192}, {65536, 65536, 65536}, {524288, 1048576, 1048576}};
static const double rates[3][3] = {
	{84100, 84800, 86300}, {34600, 35900, 36400}, {1287, 3340, 3364}};
static const double cpu_us[3][3] = {{4.6, 4.5, 4.4}, {7.9, 5.6, 5.3}, {41.0, 10.3, 9.1}};

static void demo_point(struct result_point *point, unsigned block, unsigned engine, unsigned memory,
		       bool skip)
{
	char text[2048];

	TEXT(point->label, "%s %s %s", blocks[block], engines[engine], memories[memory]);
	TEXT(text, effective_point, point->label, memory == 1 ? "mthp" : memories[memory],
	     blocks[block], engines[engine]);
	point->effective = cJSON_Parse(text);
	assert(point->effective);
	point->coordinates = allocate(3, sizeof(*point->coordinates));
	coordinate_add(point, "block", blocks[block]);
	coordinate_add(point, "engine", engines[engine]);
	coordinate_add(point, "memory", memories[memory]);
	if (skip) {
		point->status = RESULT_SKIPPED;
		TEXT(point->reason, "this kernel (6.1.0-18-amd64) has no mTHP for shared memory: "
				    "/sys/kernel/mm/transparent_hugepage/hugepages-64kB/"
				    "shmem_enabled is not there; boot Linux 6.14 or newer");
		return;
	}
	point->n_repeats = 2;
	point->repeats = allocate(2, sizeof(*point->repeats));
	for (unsigned i = 0; i < 2; i++) {
		struct result_repeat *repeat = &point->repeats[i];
		double rate = rates[block][memory] * (engine ? 0.97 : 1) * (i ? 0.993 : 1);
		uint64_t ops = (uint64_t)(rate * 2.000274);
		double cpu = cpu_us[block][memory] * (engine ? 1.06 : 1) * (i ? 1.004 : 1);

		repeat_init(repeat, i, 1);
		stream_init(&repeat->streams[0], "reads", 1);
		sample_fill(&repeat->streams[0].classes[0], ops, block_bytes[block], 32e9 / rate);
		repeat->streams[0].usage = usage_of(cpu, ops);
		repeat->streams[0].mean_in_flight = 31.4;
		repeat->runner = usage_of(cpu + 0.01, ops);
		fill_machine(repeat, ops * block_bytes[block], request_bytes[block][memory]);
		fill_audit(repeat, memories[memory], page_bytes[memory]);
	}
}

static void demo(struct result *result, bool with_mthp)
{
	unsigned n = 0;

	header_init(result, "demo",
		    "Direct reads of 8K, 64K and 1M into base, mTHP and huge pages");
	variants_init(result, 1, 18);
	for (unsigned block = 0; block < 3; block++)
		for (unsigned engine = 0; engine < 2; engine++)
			for (unsigned memory = 0; memory < 3; memory++)
				demo_point(&result->variants[0].points[n++], block, engine, memory,
					   memory == 1 && !with_mthp);
}

void sample_demo(struct result *ret)
{
	demo(ret, true);
}

void sample_demo_without_mthp(struct result *ret)
{
	demo(ret, false);
}

static void mixed_good(struct result_point *point, double factor)
{
	TEXT(point->label, "oltp depth 8");
	point->n_repeats = 3;
	point->repeats = allocate(3, sizeof(*point->repeats));
	for (unsigned i = 0; i < 3; i++) {
		struct result_repeat *repeat = &point->repeats[i];
		uint64_t ops = (uint64_t)(20000 * factor * (1 + 0.1 * i));

		repeat_init(repeat, i, 2);
		stream_init(&repeat->streams[0], "oltp", 2);
		stream_init(&repeat->streams[1], "scan", 1);
		sample_fill(&repeat->streams[0].classes[0], ops, 8192, 300e3);
		sample_fill(&repeat->streams[0].classes[1], ops / 4, 8192, 900e3);
		sample_fill(&repeat->streams[1].classes[0], 900, 1 << 20, 8.5e6);
		repeat->streams[0].usage = usage_of(5.1, ops + ops / 4);
		repeat->streams[1].usage = usage_of(9.3, 900);
		repeat->streams[0].mean_in_flight = 7.9;
		repeat->streams[1].mean_in_flight = 3.8;
		repeat->runner = repeat->streams[0].usage;
		usage_add(&repeat->runner, &repeat->streams[1].usage);
		repeat->runner.system_ns += 80000000; /* io-wq at work */
		fill_machine(repeat, (ops + ops / 4) * 8192 + 900 * MIB, 12000);
		fill_audit(repeat, "mthp 64K", 65536);
	}
}

static void mixed_failed(struct result_point *point)
{
	const char *reason = "worker 0 of stream oltp: read of 8192 bytes at 1048576 of " TARGET
			     " failed: Input/output error; look for the device in dmesg";

	TEXT(point->label, "oltp depth 64");
	point->status = RESULT_FAILED;
	TEXT(point->reason, "%s", reason);
	point->n_repeats = 1;
	point->repeats = allocate(1, sizeof(*point->repeats));
	repeat_init(&point->repeats[0], 0, 1);
	stream_init(&point->repeats[0].streams[0], "oltp", 1);
	point->repeats[0].streams[0].classes[0].tally.errors = 1;
	point->repeats[0].status = RESULT_FAILED;
	point->repeats[0].io_failure = true;
	TEXT(point->repeats[0].reason, "%s", reason);
}

void sample_mixed(struct result *ret)
{
	const char *const depths[] = {"8", "64", "512"};

	header_init(ret, "oltp-and-scan", "OLTP beside a table scan");
	ret->complete = false;
	ret->signal = 2;
	ret->repeats = 3;
	cJSON_AddItemToArray(ret->notes,
			     cJSON_CreateString("allow_unwritten is set: unwritten blocks are read "
						"without touching the device"));
	variants_init(ret, 2, 3);
	for (unsigned i = 0; i < 2; i++) {
		struct result_variant *variant = &ret->variants[i];

		TEXT(variant->label, "%s", i ? "thp on" : "thp off");
		for (unsigned j = 0; j < 3; j++) {
			variant->points[j].coordinates =
				allocate(1, sizeof(*variant->points[j].coordinates));
			coordinate_add(&variant->points[j], "streams[*].workload.depth", depths[j]);
		}
		mixed_good(&variant->points[0], i ? 1.2 : 1);
		mixed_failed(&variant->points[1]);
		TEXT(variant->points[2].label, "oltp depth 512");
		variant->points[2].status = RESULT_INTERRUPTED;
		TEXT(variant->points[2].reason, "stopped by SIGINT before its turn");
	}
}
