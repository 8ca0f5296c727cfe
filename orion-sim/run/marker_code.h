/* SPDX-License-Identifier: MIT */
/* marker_code.h - the no-ops by which an emulator sees a measure phase begin and end (x86-64). */
#ifndef ORION_RUN_MARKER_CODE_H
#define ORION_RUN_MARKER_CODE_H

/* nopl KIND(%rax): three bytes and a displacement that no compiler would choose. */
#define MARKER_OPCODE                                                                              \
	{                                                                                          \
		0x0f, 0x1f, 0x80                                                                   \
	}
#define MARKER_OPCODE_BYTES 3
#define MARKER_BYTES	    7

#define MARKER_BEGIN 0x6f726e01
#define MARKER_END   0x6f726e02
#define MARKER_BIT_0 0x6f726e03 /* a bit of the repeat's place, highest first, before the end */
#define MARKER_BIT_1 0x6f726e04

/* Which repeat of which point of which variant, as a result document has them. */
#define MARKER_PLACE_BITS 48
#define MARKER_PLACE(variant, point, repeat)                                                       \
	((uint64_t)(variant) << 32 | (uint64_t)(point) << 16 | (uint64_t)(repeat))
#define MARKER_VARIANT(place) ((unsigned)((place) >> 32 & 0xffff))
#define MARKER_POINT(place)   ((unsigned)((place) >> 16 & 0xffff))
#define MARKER_REPEAT(place)  ((unsigned)((place)&0xffff))

#endif
