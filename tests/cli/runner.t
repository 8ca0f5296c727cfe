# The transcript runner itself: what it accepts, and that it can fail.

$ cat >good.t <<'END'
> $ printf 'one\ntwo\nthree\n'; exit 3
> on? (glob)
> ...
> thr(e+) (re)
> [exit 3]
>
> $ echo "$TREE/profiles"; pwd
> TREE/profiles
> HERE
> END
> run-transcript . good.t
good.t: 2 of 2 commands as expected

# A wrong line, a missing line, a line too many, a wrong exit code.
$ printf '$ echo a\nb\n' >bad.t; run-transcript . bad.t
bad.t:1: $ echo a
...
-b
+a
 [exit 0]
bad.t: 0 of 1 commands as expected
[exit 1]
$ printf '$ echo a\na\nb\n' >bad.t; run-transcript . bad.t >/dev/null
[exit 1]
$ printf '$ echo a; echo b\na\n' >bad.t; run-transcript . bad.t >/dev/null
[exit 1]
$ printf '$ exit 2\n' >bad.t; run-transcript . bad.t >/dev/null
[exit 1]
$ printf '$ echo a; echo b; echo c\n...\nb\n' >bad.t; run-transcript . bad.t >/dev/null
[exit 1]

# Nothing tested is no success.
$ : >empty.t; run-transcript . empty.t
empty.t: no command in it
[exit 2]
$ printf '# skip unless: false\n$ true\n' >skip.t; run-transcript . skip.t
skipped, because this fails here: false
[exit 77]
