# SPDX-License-Identifier: MIT
# flat.awk - rows "VALUE<tab>NS<tab>KIB" to one Markdown row a value: median, spread, ratio to the best.
# first: values below it are shown, but are no candidates for the best.
BEGIN { FS = "\t" }
{
	if (!($1 in count)) order[++values] = $1
	ns[$1, ++count[$1]] = $2
	if ($3 > kib[$1]) kib[$1] = $3
}
# Sorts the figures of a value into out.
function sorted(value, out,    n, i, j, figure) {
	n = count[value]
	for (i = 1; i <= n; i++) {
		figure = ns[value, i]
		for (j = i - 1; j >= 1 && out[j] > figure; j--) out[j + 1] = out[j]
		out[j + 1] = figure
	}
	return n
}
END {
	for (v = 1; v <= values; v++) {
		value = order[v]
		delete out
		n = sorted(value, out)
		median[value] = n % 2 ? out[(n + 1) / 2] : (out[n / 2] + out[n / 2 + 1]) / 2
		low[value] = out[1]; high[value] = out[n]
		if (value + 0 >= first && (!best || median[value] < best)) best = median[value]
	}
	for (v = 1; v <= values; v++) {
		value = order[v]
		printf "| %s | %.1f | %.1f … %.1f | %.2f | %d |\n", value, median[value], low[value],
			high[value], median[value] / best, kib[value]
	}
}
