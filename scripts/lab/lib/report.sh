# SPDX-License-Identifier: MIT
# report.sh - one page over all experiments, out of the pages that `lab run` wrote; sourced by bash.
# shellcheck shell=bash disable=SC2016 # backquotes are the page's
# What it says stands in those pages: nothing is measured, and no cache is needed.

# report_names: experiments that have pages.
report_names() {
	experiment_names | grep -vx smoke
}

# report_rows PAGE SECTION: of its table.
report_rows() {
	awk -v section="## $2" '/^## / { inside = $0 == section; next } inside && /^\|/ { if (++n > 2) print }' "$1"
}

# report_links PAGE SECTION: those, with the page's name in front.
report_links() {
	report_rows "$1" "$2" | sed "s#^#| [$(basename "$1" .md)]($(basename "$1")) #"
}

# report_held PAGE: how many of the things that must hold do.
report_held() {
	local rows

	rows=$(report_rows "$1" 'What must hold')
	[ -n "$rows" ] || { echo - && return; }
	echo "$(grep -c '| yes |$' <<<"$rows" || true) of $(wc -l <<<"$rows")"
}

# report_made PAGE: a row of where it comes from.
report_made() {
	local by host took

	by=$(sed -n '1,/^$/d; s/^Written by \(`[^`]*`\).*/\1/p' "$1" | head -n 1)
	host=$(sed -n 's/^Written by `[^`]*` on a host of \(.*\)\.$/\1/p' "$1" | head -n 1)
	took=$(sed -n 's/^Took \([0-9]* s, .*\)\.$/\1/p' "$1" | head -n 1)
	echo "| [$(basename "$1" .md)]($(basename "$1")) | $by | ${host:--} | ${took:--} | $(report_held "$1") |"
}

# report_together PAGE…: the sum of what they took.
report_together() {
	sed -n 's/^Took \([0-9]*\) s, of them \([0-9]*\) s booting.* and \([0-9]*\) s building.*/\1 \2 \3/p' "$@" | awk '
		{ all += $1; booting += $2; building += $3 }
		END { if (NR) printf "\nTogether: %d s, of them %d s booting and %d s building; what else was running on the host is in that.\n", all, booting, building }'
}

# report_others FOLDER: pages that are not of the lab.
report_others() {
	local page

	for page in "$1"/*.md; do
		if [ "$(basename "$page")" = README.md ] || report_names | grep -qx "$(basename "$page" .md)"; then
			continue
		fi
		echo "- [$(basename "$page" .md)]($(basename "$page")): $(sed -n '1s/^# //p' "$page")"
	done
}

# report_write FOLDER: of the pages in it.
report_write() {
	local folder=$1 name pages=() absent=()

	for name in $(report_names); do
		if [ -e "$folder/$name.md" ]; then pages+=("$folder/$name.md"); else absent+=("$name"); fi
	done
	cat <<-'END'
		# Results of the kernel lab

		Written by `scripts/lab/lab report` out of the pages here, one for each experiment, which have every run.

		- *Path length (deterministic)*: kernels run in an emulator whose clock counts instructions, on one CPU. Two boots agree
		  exactly, or nearly; below 1 % nothing is said. It prices neither cache misses nor atomic operations, which are counted apart.
		- *Throughput (noisy, n boots)*: time on the host that is named, emulated or not.
		- *Contention: not measurable on this host*: what CPUs lose by waiting for each other takes a machine with many of them.
		- *A model*: it stands for the published thing, and says in its page how far.

		## Published and measured

		| experiment | what | published | here | kind of truth |
		|---|---|---|---|---|
	END
	for name in "${pages[@]}"; do
		report_links "$name" 'Published and measured'
	done
	printf '\n## Whose figures\n\n| experiment | command | host | took | what must hold, holds |\n|---|---|---|---|---|\n'
	for name in "${pages[@]}"; do
		report_made "$name"
	done
	[ ${#pages[@]} -eq 0 ] || report_together "${pages[@]}"
	[ ${#absent[@]} -eq 0 ] || {
		printf '\n## Not run yet\n\n'
		printf -- '- `scripts/lab/lab run %s`\n' "${absent[@]}"
	}
	printf '\n## Other results\n\n'
	report_others "$folder"
}
