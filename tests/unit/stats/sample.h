/* SPDX-License-Identifier: MIT */
/* sample.h - results made up by hand, with figures as a run would leave them. */
#ifndef ORION_TESTS_SAMPLE_H
#define ORION_TESTS_SAMPLE_H

struct result;
struct result_class;
struct result_point;
struct result_repeat;

/*
 * The demo: {8K, 64K, 1M} x {io_uring, libaio} x {base, mthp 64K, hugetlb}, two repeats of two
 * seconds, histograms included. result_free() it.
 */
void sample_demo(struct result *ret);

/* The same where the kernel has no shmem mTHP: six points are skipped. */
void sample_demo_without_mthp(struct result *ret);

/*
 * Everything else at once: two variants ("thp off", "thp on"), an OLTP point with two streams, one
 * of them with the classes read and write, three repeats that differ, one point that failed with
 * an I/O error, one interrupted.
 */
void sample_mixed(struct result *ret);

/* Sets a class of a repeat: n operations of bytes each in its duration, all taking about mean_ns.
 */
void sample_fill(struct result_class *class, unsigned long long ops, unsigned long long bytes_each,
		 double mean_ns);

#endif
