/* SPDX-License-Identifier: MIT */
/* counts.c - a TCG plugin: instructions, atomics and interrupt flag changes between two markers. */
/*
 * -plugin counts.so,out=FILE writes there what each measure phase took, as
 * `orion-sim report --merge-counters` reads it. The markers are no-ops that orion-sim executes
 * (run/marker.h): it tells which repeat it was by one no-op for every bit of its place. For one
 * vCPU, or several in one thread: counts are not atomic.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "qemu_plugin.h"
#include "run/marker_code.h"

enum count { INSTRUCTIONS, ATOMICS, FLAG_CHANGES, COUNTS };

static const char *const count_names[COUNTS] = {"instructions", "atomics", "irq_flag_changes"};

/* QEMU's own data: callbacks are handed no context of ours when code is translated. */
static struct {
	FILE *out;
	uint64_t counts[2][COUNTS]; /* user, kernel */
	uint64_t begin[2][COUNTS];
	uint64_t place;
	unsigned n; /* repeats written */
} plugin;

QEMU_PLUGIN_EXPORT int qemu_plugin_version = QEMU_PLUGIN_VERSION;

static void on_begin(unsigned vcpu, void *context)
{
	(void)vcpu, (void)context;
	memcpy(plugin.begin, plugin.counts, sizeof(plugin.begin));
}

static void on_end(unsigned vcpu, void *context)
{
	static const char *const modes[2] = {"user", "kernel"};
	uint64_t place = plugin.place;

	(void)vcpu, (void)context;
	fprintf(plugin.out, "%s{\"variant\":%u,\"point\":%u,\"repeat\":%u,\"counters\":{",
		plugin.n++ ? ",\n" : "", MARKER_VARIANT(place), MARKER_POINT(place),
		MARKER_REPEAT(place));
	for (unsigned m = 0; m < 2; m++)
		for (unsigned c = 0; c < COUNTS; c++)
			fprintf(plugin.out, "%s\"lab.%s_%s\":%" PRIu64, m + c ? "," : "", modes[m],
				count_names[c], plugin.counts[m][c] - plugin.begin[m][c]);
	fprintf(plugin.out, "}}");
	fflush(plugin.out);
}

static void on_exit_of_qemu(uint64_t id, void *context)
{
	(void)id, (void)context;
	fprintf(plugin.out, "]\n");
	fclose(plugin.out);
}

static void on_bit(unsigned vcpu, void *context)
{
	(void)vcpu;
	plugin.place = plugin.place << 1 | (context != NULL);
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0x2e ||
	       byte == 0x36 || byte == 0x3e || byte == 0x26 || byte == 0x64 || byte == 0x65 ||
	       (byte & 0xf0) == 0x40;
}

/* Locked, or an xchg with memory, which needs no prefix. */
static bool is_atomic(const uint8_t *code, size_t size)
{
	size_t i = 0;

	while (i < size && is_prefix(code[i]))
		i++;
	if (i < size && code[i] == 0xf0)
		return true;
	return i + 1 < size && (code[i] == 0x86 || code[i] == 0x87) && code[i + 1] < 0xc0;
}

/* cli, sti, popf. */
static bool is_flag_change(const uint8_t *code, size_t size)
{
	return size == 1 && (code[0] == 0xfa || code[0] == 0xfb || code[0] == 0x9d);
}

static void translate_marker(struct qemu_plugin_insn *insn, const uint8_t *code)
{
	uint32_t kind;

	memcpy(&kind, code + MARKER_OPCODE_BYTES, sizeof(kind));
	if (kind == MARKER_BEGIN)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_begin, QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
	else if (kind == MARKER_END)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
	else if (kind == MARKER_BIT_0 || kind == MARKER_BIT_1)
		qemu_plugin_register_vcpu_insn_exec_cb(insn, on_bit, QEMU_PLUGIN_CB_NO_REGS,
						       kind == MARKER_BIT_1 ? &plugin : NULL);
}

static void count_up(struct qemu_plugin_insn *insn, bool is_kernel, enum count count)
{
	qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64,
						   &plugin.counts[is_kernel][count], 1);
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
	static const uint8_t marker_opcode[MARKER_OPCODE_BYTES] = MARKER_OPCODE;

	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		const uint8_t *code = qemu_plugin_insn_data(insn);
		size_t size = qemu_plugin_insn_size(insn);
		bool is_kernel = qemu_plugin_insn_vaddr(insn) >> 63;

		count_up(insn, is_kernel, INSTRUCTIONS);
		if (is_atomic(code, size))
			count_up(insn, is_kernel, ATOMICS);
		if (is_flag_change(code, size))
			count_up(insn, is_kernel, FLAG_CHANGES);
		if (size == MARKER_BYTES && memcmp(code, marker_opcode, MARKER_OPCODE_BYTES) == 0)
			translate_marker(insn, code);
	}
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc,
					   char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (strncmp(argv[i], "out=", 4) == 0)
			plugin.out = fopen(argv[i] + 4, "w");
	if (!plugin.out) {
		fprintf(stderr, "counts: out=FILE is missing, or cannot be written\n");
		return -1;
	}
	fprintf(plugin.out, "[");
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
	return 0;
}
