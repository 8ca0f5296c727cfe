/* SPDX-License-Identifier: MIT */
/* random.h - seeded 64-bit random numbers, cheap enough for the measured loop. */
#ifndef ORION_BASE_RANDOM_H
#define ORION_BASE_RANDOM_H

#include <stdint.h>

/* xoshiro256++ (Blackman and Vigna, 2019, public domain algorithm); never all zero once seeded. */
struct random {
	uint64_t state[4];
};

/* Seeds by splitmix64 from two words, so that (seed, worker) pairs give unrelated sequences. */
void random_seed(struct random *random, uint64_t seed, uint64_t stream);

static inline uint64_t random_rotate(uint64_t value, int bits)
{
	return (value << bits) | (value >> (64 - bits));
}

static inline uint64_t random_next(struct random *random)
{
	uint64_t *s = random->state;
	uint64_t result = random_rotate(s[0] + s[3], 23) + s[0];
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = random_rotate(s[3], 45);
	return result;
}

/*
 * Unbiased number in [0, bound), bound > 0: multiply and shift, the biased low part rejected
 * (Lemire, "Fast random integer generation in an interval", 2019).
 */
static inline uint64_t random_below(struct random *random, uint64_t bound)
{
	unsigned __int128 product = (unsigned __int128)random_next(random) * bound;
	uint64_t low = (uint64_t)product;

	if (__builtin_expect(low < bound, 0)) {
		uint64_t threshold = -bound % bound;

		while (low < threshold) {
			product = (unsigned __int128)random_next(random) * bound;
			low = (uint64_t)product;
		}
	}
	return (uint64_t)(product >> 64);
}

/* Fills length bytes; not cryptographic, does not compress. */
void random_fill(struct random *random, void *buffer, uint64_t length_bytes);

#endif
