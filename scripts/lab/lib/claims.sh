# SPDX-License-Identifier: MIT
# claims.sh - an experiment's published figures beside its own, and what must hold of them; sourced by bash.
# shellcheck shell=bash disable=SC2154 # the lab's modules share what an experiment sets
# A line of $published:  WHAT | AS PUBLISHED | FIELD | POINT | COLUMN > COLUMN; COLUMN > COLUMN…
# A line of $holds:      POINT | FIELD | COLUMN | < | COLUMN     less
#                        POINT | FIELD | COLUMN | = P | COLUMN   within P percent
#                        POINT | FIELD | COLUMN | N * | COLUMN   at most an Nth
#                        POINT | FIELD | COLUMN | + N | COLUMN   N more, within 1 % of N
# Fields: mbps, cost, kernel, atomics, flags; of $FIGURES, which has medians.

# claims_figure COLUMN POINT FIELD: nothing where there is none.
claims_figure() {
	awk -F '\t' -v column="$1" -v point="$2" -v field="$3" '
		BEGIN { of["mbps"] = 8; of["cost"] = 9; of["kernel"] = 10; of["atomics"] = 12; of["flags"] = 13 }
		$1 == column && $3 == point && $of[field] != "-" { print $of[field]; exit }' "$FIGURES"
}

claims_unit() {
	case $1 in
	mbps) echo MB/s ;;
	cost) echo "$(page_cost) per $page_unit" ;;
	kernel) echo "kernel instructions per $page_unit" ;;
	atomics) echo "atomics per $page_unit" ;;
	flags) echo "interrupt flag changes per $page_unit" ;;
	*) die "$experiment: there is no field '$1' (there are: mbps, cost, kernel, atomics, flags)" ;;
	esac
}

# claims_show NUMBER: with three digits at least.
claims_show() {
	awk -v v="$1" 'BEGIN { if (v == "") print "-"; else printf "%.*f\n", (v < 10 ? 2 : v < 100 ? 1 : 0), v }'
}

# claims_change FROM TO: in percent, as a factor where it is large.
claims_change() {
	awk -v a="$1" -v b="$2" 'BEGIN {
		if (a <= 0 || b <= 0) printf "-"
		else if (b > 2 * a) printf "%.2f times more", b / a
		else if (a > 2 * b) printf "%.2f times less", a / b
		else printf "%+.1f %%", 100 * (b / a - 1)
	}'
}

# claims_pair FIELD POINT "COLUMN > COLUMN"
claims_pair() {
	local from to a b

	from=$(trim "${3%%>*}")
	to=$(trim "${3##*>}")
	a=$(claims_figure "$from" "$2" "$1")
	b=$(claims_figure "$to" "$2" "$1")
	if [ -z "$a" ] || [ -z "$b" ]; then
		echo "$from, $to: not measured"
	else
		echo "$from $(claims_show "$a"), $to $(claims_show "$b") $(claims_unit "$1") ($(claims_change "$a" "$b"))"
	fi
}

# claims_truth: of this run, with what kind of model it is, and what one CPU cannot show.
claims_truth() {
	echo "$(boot_mode_truth "$mode" "$boots")${model:+; $model}${contention:+; contention: not measurable on this host}"
}

# claims_published: rows of the page's first table.
claims_published() {
	local what text field point pairs pair ours

	while IFS='|' read -r what text field point pairs; do
		[ -n "$(trim "$what")" ] || continue
		ours=''
		while read -r -d ';' pair; do
			ours="$ours${ours:+; }$(claims_pair "$(trim "$field")" "$(trim "$point")" "$pair")"
		done <<<"$pairs;"
		echo "| $(trim "$what") | $(trim "$text") | $ours | $(claims_truth) |"
	done <<<"$published"
	experiment_published
}

# claims_hold A RELATION B: yes, no, or - where one is missing.
claims_hold() {
	awk -v a="$1" -v relation="$2" -v b="$3" 'BEGIN {
		split(relation, part, " ")
		if (a == "" || b == "") print "-"
		else if (relation == "<") print a < b ? "yes" : "no"
		else if (part[1] == "=") { d = 100 * (a - b) / b; print (d < 0 ? -d : d) <= part[2] ? "yes" : "no" }
		else if (part[1] == "+") { d = a - b - part[2]; print (d < 0 ? -d : d) <= part[2] / 100 ? "yes" : "no" }
		else if (part[2] == "*") print a * part[1] <= b ? "yes" : "no"
		else print "no"
	}'
}

# claims_words RELATION
claims_words() {
	case $1 in
	'<') echo 'less than' ;;
	'='*) echo "within ${1#= } % of" ;;
	'+'*) echo "${1#+ } more than" ;;
	*) echo "at most 1/${1% *} of" ;;
	esac
}

# claims_checked: a line of tabs for each line of $holds: yes, no or -, what, figures.
claims_checked() {
	local point field column relation other unit a b

	while IFS='|' read -r point field column relation other; do
		point=$(trim "$point") field=$(trim "$field") column=$(trim "$column") relation=$(trim "$relation") other=$(trim "$other")
		[ -n "$point" ] || continue
		unit=$(claims_unit "$field") || exit 1
		a=$(claims_figure "$column" "$point" "$field")
		b=$(claims_figure "$other" "$point" "$field")
		printf '%s\t%s: %s, %s %s %s\t%s, %s\n' "$(claims_hold "$a" "$relation" "$b")" "$point" "$unit" \
			"$column" "$(claims_words "$relation")" "$other" "$(claims_show "$a")" "$(claims_show "$b")"
	done <<<"$holds"
}

# claims_failed CHECKED: a sentence if something does not hold that must, or could not be told.
claims_failed() {
	local failed

	failed=$(grep -v '^yes' <<<"$1" || true)
	[ -z "$failed" ] ||
		echo "$(wc -l <<<"$failed") of $(wc -l <<<"$1") things do not hold that must, first:" \
			"$(head -n 1 <<<"$failed" | awk -F '\t' '{ print $2 " (" $3 ")" }')"
}
