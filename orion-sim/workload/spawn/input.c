/* SPDX-License-Identifier: MIT */
/* input.c - what a compiler is given to do: orders joined to customers by a hash table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS	  61
#define CUSTOMERS 40
#define ORDERS	  400

struct customer {
	unsigned id;
	char name[24];
	double spent;
	struct customer *next; /* in its bucket */
};

struct order {
	unsigned customer, pieces;
	double price;
};

struct index {
	struct customer *buckets[BUCKETS];
	unsigned n;
};

static unsigned noise(unsigned *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static unsigned hash(unsigned id)
{
	return id * 2654435761u % BUCKETS;
}

static struct customer *find(const struct index *index, unsigned id)
{
	struct customer *customer = index->buckets[hash(id)];

	while (customer && customer->id != id)
		customer = customer->next;
	return customer;
}

static int insert(struct index *index, unsigned id)
{
	struct customer *customer = calloc(1, sizeof(*customer));

	if (!customer)
		return -1;
	customer->id = id;
	snprintf(customer->name, sizeof(customer->name), "customer %u", id);
	customer->next = index->buckets[hash(id)];
	index->buckets[hash(id)] = customer;
	index->n++;
	return 0;
}

static void fill(struct order *orders, unsigned n)
{
	unsigned state = 2463534242u;

	for (unsigned i = 0; i < n; i++) {
		orders[i].customer = noise(&state) % (CUSTOMERS + 4);
		orders[i].pieces = 1 + noise(&state) % 9;
		orders[i].price = (double)(noise(&state) % 10000) / 100;
	}
}

static unsigned join(struct index *index, const struct order *orders, unsigned n)
{
	unsigned lost = 0;

	for (unsigned i = 0; i < n; i++) {
		struct customer *customer = find(index, orders[i].customer);

		if (customer)
			customer->spent += orders[i].pieces * orders[i].price;
		else
			lost++;
	}
	return lost;
}

static int compare(const void *a, const void *b)
{
	const struct customer *left = *(struct customer *const *)a;
	const struct customer *right = *(struct customer *const *)b;

	return (left->spent < right->spent) - (left->spent > right->spent);
}

static void print_best(const struct index *index, unsigned count)
{
	struct customer **list = calloc(index->n, sizeof(*list));
	unsigned n = 0;

	for (unsigned b = 0; list && b < BUCKETS; b++)
		for (struct customer *each = index->buckets[b]; each; each = each->next)
			list[n++] = each;
	if (n)
		qsort(list, n, sizeof(*list), compare);
	for (unsigned i = 0; i < n && i < count; i++)
		printf("%-16s %10.2f\n", list[i]->name, list[i]->spent);
	free(list);
}

int main(void)
{
	static struct order orders[ORDERS];
	struct index index;

	memset(&index, 0, sizeof(index));
	for (unsigned id = 0; id < CUSTOMERS; id++)
		if (insert(&index, id) < 0)
			return 1;
	fill(orders, ORDERS);
	printf("%u orders of nobody\n", join(&index, orders, ORDERS));
	print_best(&index, 10);
	return 0;
}
