#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make_golden.py - writes golden.inc: ranks by full enumeration, for test_rank.c and test_compare.c.

usage: tests/unit/stats/make_golden.py > tests/unit/stats/golden.inc

Nothing here knows of dynamic programming, staircases or bisection: every division of signs or of
sides is made, every average and difference is listed and sorted. Only where there are too many
ways for that (marked "counted") are whole numbers of ways added up.
"""

import itertools
import math
import random
from fractions import Fraction

CONFIDENCE = Fraction(95, 100)
ENUMERATED = 400000  # ways at most


def doubled_ranks(values):
    """Mid-ranks times two: how many are smaller, twice, and one more for each that is equal."""
    return [2 * sum(v < value for v in values) + sum(v == value for v in values) + 1
            for value in values]


def two_sided(sums, observed):
    """sums: every sum that can be, and in how many ways."""
    ways = sum(sums.values())
    below = sum(n for s, n in sums.items() if s <= observed)
    above = sum(n for s, n in sums.items() if s >= observed)
    return min(Fraction(1), 2 * Fraction(min(below, above), ways))


def count(iterable):
    sums = {}
    for item in iterable:
        sums[item] = sums.get(item, 0) + 1
    return sums


def signed_sums(ranks):
    if 2 ** len(ranks) <= ENUMERATED:
        return count(sum(rank for rank, sign in zip(ranks, signs) if sign)
                     for signs in itertools.product((0, 1), repeat=len(ranks)))
    sums = {0: 1}
    for rank in ranks:
        more = dict(sums)
        for s, n in sums.items():
            more[s + rank] = more.get(s + rank, 0) + n
        sums = more
    return sums


def side_sums(ranks, m):
    if math.comb(len(ranks), m) <= ENUMERATED:
        return count(sum(chosen) for chosen in itertools.combinations(ranks, m))
    rows = [{0: 1}] + [{} for _ in range(m)]
    for rank in ranks:
        for i in range(m, 0, -1):
            for s, n in rows[i - 1].items():
                rows[i][s + rank] = rows[i].get(s + rank, 0) + n
    return rows[m]


def order(sums):
    """How many from the lower end leave the confidence: the interval's place among the sorted."""
    ways, tail, k = sum(sums.values()), 0, 0
    for s in range(min(sums), max(sums) + 1):
        tail += sums.get(s, 0)
        if 1 - 2 * Fraction(tail, ways) < CONFIDENCE:
            return k
        k += 1
    return k


def median(values):
    n = len(values)
    return values[n // 2] if n % 2 else 0.5 * values[n // 2 - 1] + 0.5 * values[n // 2]


def interval(values, k):
    return (values[k - 1], values[-k]) if k else (math.nan, math.nan)


def pairs(differences):
    moved = [d for d in differences if d != 0]
    ranks = doubled_ranks([abs(d) for d in moved])
    n = len(differences)
    averages = sorted(0.5 * differences[i] + 0.5 * differences[j]
                      for i in range(n) for j in range(i, n))
    p = two_sided(signed_sums(ranks), sum(r for r, d in zip(ranks, moved) if d > 0))
    return averages, order(signed_sums(range(1, n + 1))), p


def sides(base, other, base_scale, other_scale):
    ranks = doubled_ranks(base + other)
    differences = sorted(b - a for a in base_scale for b in other_scale)
    n = len(base) + len(other)
    p = two_sided(side_sums(ranks, len(base)), sum(ranks[:len(base)]))
    return differences, order(side_sums(range(1, n + 1), len(base))), p


def show(number):
    return "NAN" if math.isnan(number) else repr(float(number))


def braced(numbers):
    return "{" + ", ".join(show(x) for x in numbers or [0]) + "}"


def write(name, kind, base, other, values, k, p):
    low, high = interval(values, k)
    print(f'{{"{name}", GOLDEN_{kind}, {len(base)}, {len(other)},\n'
          f' {braced(base)},\n {braced(other)},\n'
          f' {show(median(values))}, {show(low)}, {show(high)}, {show(p)}}},')


def write_differences(name, differences):
    values, k, p = pairs(differences)
    write(name, "DIFFERENCES", [], differences, values, k, p)


def write_sides(name, base, other):
    values, k, p = sides(base, other, base, other)
    write(name, "SIDES", base, other, values, k, p)


def write_pairs_of_logs(name, base, other):
    values, k, p = pairs([math.log(b / a) for a, b in zip(base, other)])
    write(name, "PAIRS_OF_LOGS", base, other, values, k, p)


def write_sides_of_logs(name, base, other):
    values, k, p = sides(base, other, [math.log(x) for x in base], [math.log(x) for x in other])
    write(name, "SIDES_OF_LOGS", base, other, values, k, p)


def quarters(draw, n, low, high):
    return [draw.randint(low, high) / 4 for _ in range(n)]


def distinct(draw, n):
    return [x / 8 for x in draw.sample(range(-200, 300), n)]


def run_values(draw, n, middle, steps):
    """As a metric of runs reads: steps is how finely it is resolved, few make ties."""
    return [round(middle * (1 + draw.randint(-steps, steps) / (50 * steps)), 6) for _ in range(n)]


def main():
    draw = random.Random(20)
    print("/* SPDX-License-Identifier: MIT */")
    print("/* golden.inc - made by make_golden.py: ranks by full enumeration. Name, kind, sizes, base,")
    print(" * other; estimate, interval, p. */")
    for n in range(1, 13):
        write_differences(f"{n} pairs", distinct(draw, n))
        write_differences(f"{n} pairs, ties and zeros", quarters(draw, n, -2, 5))
    write_differences("all zero", [0.0] * 7)
    write_differences("all the same", [1.5] * 8)
    write_differences("zeros but one", [0.0] * 6 + [2.0])
    write_differences("signs alone", [1.0, -1.0, 1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0])
    write_differences("18 pairs, ties", quarters(draw, 18, -6, 14))
    write_differences("40 pairs, ties, counted", quarters(draw, 40, -30, 50))
    for n_base, n_other in ((1, 1), (1, 5), (2, 3), (3, 3), (4, 4), (3, 5), (5, 5), (4, 9), (6, 6),
                            (7, 5), (8, 8), (9, 9)):
        values = distinct(draw, n_base + n_other)
        write_sides(f"{n_base} and {n_other}", values[:n_base], values[n_base:])
        write_sides(f"{n_base} and {n_other}, ties", quarters(draw, n_base, 0, 6),
                    quarters(draw, n_other, 1, 8))
    write_sides("all the same, both", [3.0] * 5, [3.0] * 5)
    write_sides("one value a side", [3.0] * 5, [4.0] * 5)
    write_sides("20 and 25, ties, counted", quarters(draw, 20, 0, 40), quarters(draw, 25, 5, 50))
    for n in (5, 6, 7, 10, 12):
        write_pairs_of_logs(f"{n} pairs of runs", run_values(draw, n, 52300, 100000),
                            run_values(draw, n, 53900, 100000))
        write_pairs_of_logs(f"{n} pairs of runs, coarse", run_values(draw, n, 100, 2),
                            run_values(draw, n, 101, 2))
    for n_base, n_other in ((3, 4), (4, 4), (5, 7), (8, 8), (10, 9)):
        write_sides_of_logs(f"{n_base} and {n_other} runs", run_values(draw, n_base, 3.52, 100000),
                            run_values(draw, n_other, 3.41, 100000))
        write_sides_of_logs(f"{n_base} and {n_other} runs, coarse", run_values(draw, n_base, 100, 3),
                            run_values(draw, n_other, 101, 3))


main()
