/* SPDX-License-Identifier: MIT */
/* random.c - seeded 64-bit random numbers, cheap enough for the measured loop. */
#include "base/random.h"

#include <string.h>

#define GOLDEN_STEP 0x9e3779b97f4a7c15u

/* The output function of splitmix64 (Steele, Lea, Flood, 2014), a bijection. */
static uint64_t mix(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
	return value ^ (value >> 31);
}

void random_seed(struct random *random, uint64_t seed, uint64_t stream)
{
	uint64_t state = mix(mix(seed + GOLDEN_STEP) ^ (stream + GOLDEN_STEP));

	/* Four different states give four different words, so they are never all zero. */
	for (int i = 0; i < 4; i++) {
		state += GOLDEN_STEP;
		random->state[i] = mix(state);
	}
}

void random_fill(struct random *random, void *buffer, uint64_t length_bytes)
{
	unsigned char *at = buffer;

	for (; length_bytes >= sizeof(uint64_t); length_bytes -= sizeof(uint64_t)) {
		uint64_t word = random_next(random);

		memcpy(at, &word, sizeof(word));
		at += sizeof(word);
	}
	if (length_bytes) {
		uint64_t word = random_next(random);

		memcpy(at, &word, length_bytes);
	}
}
