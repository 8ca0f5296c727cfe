/* SPDX-License-Identifier: MIT */
/* qemu_plugin.h - as much of QEMU's interface for TCG plugins (version 1) as ours calls. */
#ifndef ORION_LAB_QEMU_PLUGIN_H
#define ORION_LAB_QEMU_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_VERSION 1
#define QEMU_PLUGIN_EXPORT  __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
	struct {
		int smp_vcpus, max_vcpus;
	} system;
};

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*translated)(uint64_t id,
							      struct qemu_plugin_tb *tb));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*ended)(uint64_t id, void *context),
				    void *context);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*executed)(unsigned vcpu, void *context),
					    enum qemu_plugin_cb_flags flags, void *context);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn *insn,
						enum qemu_plugin_op op, void *counter,
						uint64_t addend);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

#endif
