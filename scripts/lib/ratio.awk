# SPDX-License-Identifier: MIT
# ratio.awk - pairs of figures to a row of medians, ratio and its spread.
# Input: "LABEL<tab>OURS<tab>THEIRS" a line; output a Markdown row a label, in order of appearance.
# A pair in which a figure is not above zero (CPU time less what starting costs, in a very short run) is
# left out, and the number of pairs says so.
# The interval is that of Student's t for the mean of the logarithms of the ratios of the pairs.
BEGIN { FS = "\t" }
$2 > 0 && $3 > 0 {
	if (!($1 in count)) order[++labels] = $1
	n = ++count[$1]
	ours[$1, n] = $2; theirs[$1, n] = $3; ratio[$1, n] = $2 / $3
}
function sorted(values, label, n, out,    i, j, value) {
	for (i = 1; i <= n; i++) {
		value = values[label, i]
		for (j = i - 1; j >= 1 && out[j] > value; j--) out[j + 1] = out[j]
		out[j + 1] = value
	}
}
function median(values, label, n,    out) {
	sorted(values, label, n, out)
	return n % 2 ? out[(n + 1) / 2] : (out[n / 2] + out[n / 2 + 1]) / 2
}
# 97.5 % quantile of Student's t: Abramowitz and Stegun 26.7.5; exact where the series is not close.
function t_quantile(df,    z, v) {
	if (df == 1) return 12.706
	if (df == 2) return 4.303
	if (df == 3) return 3.182
	z = 1.959964
	v = z + (z ^ 3 + z) / (4 * df) + (5 * z ^ 5 + 16 * z ^ 3 + 3 * z) / (96 * df ^ 2)
	return v + (3 * z ^ 7 + 19 * z ^ 5 + 17 * z ^ 3 - 15 * z) / (384 * df ^ 3)
}
END {
	for (l = 1; l <= labels; l++) {
		label = order[l]; n = count[label]
		sum = squares = 0
		for (i = 1; i <= n; i++) sum += log(ratio[label, i])
		mean = sum / n
		for (i = 1; i <= n; i++) squares += (log(ratio[label, i]) - mean) ^ 2
		half = n > 1 ? t_quantile(n - 1) * sqrt(squares / (n - 1) / n) : 0
		delete out
		sorted(ratio, label, n, out)
		printf "| %s | %.4g | %.4g | %.3f | %.3f … %.3f | %.3f … %.3f | %d |\n", label,
			median(ours, label, n), median(theirs, label, n), median(ratio, label, n),
			out[1], out[n], exp(mean - half), exp(mean + half), n
	}
}
