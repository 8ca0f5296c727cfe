/* SPDX-License-Identifier: MIT */
/* marker.c - tells an emulator around this machine when a measure phase begins and ends. */
#include "run/marker.h"

#include "run/marker_code.h"

#if defined(__x86_64__)
#define MARK(kind) __asm__ volatile(".byte 0x0f, 0x1f, 0x80\n\t.long %c0" : : "i"(kind) : "memory")
#define SUPPORTED  true
#else
#define MARK(kind) ((void)(kind))
#define SUPPORTED  false
#endif

bool marker_supported(void)
{
	return SUPPORTED;
}

void marker_begin(void)
{
	MARK(MARKER_BEGIN);
}

void marker_end(uint64_t place)
{
	for (unsigned bit = MARKER_PLACE_BITS; bit-- > 0;) {
		if (place >> bit & 1)
			MARK(MARKER_BIT_1);
		else
			MARK(MARKER_BIT_0);
	}
	MARK(MARKER_END);
}
