#!/usr/bin/env bash
# Builds the benchmarks of head, in the workspace, and of base, in a worktree beside it, and says
# under `base` and `head` where they are. It works with the bash 3.2 of macOS, and with the one that
# Git brings along on Windows.
set -euo pipefail
unset INPUT_TOKEN # runners that are built on act hand it to every step

STEADY_RUN=${STEADY_RUN-}
building= # head or base, while its build runs

# A build may leave its last line open, and GitHub reads commands only where a line begins.
end_group() {
  printf '\n::endgroup::\n'
}

fail() {
  [[ -z $building ]] || end_group
  building=
  echo "::error title=steady::$1"
  exit 1
}

# A build that fails says so in a folded part of the log, and GitHub only "exit code 1".
failed() {
  local code=$?
  ((code)) && [[ -n $building ]] || return 0
  fail "the build of $building failed (exit code $code); its output is in the log, under \"Build $building\"$(perhaps_new "$building")"
}
trap failed EXIT

perhaps_new() { # name of the version
  [[ $1 != base ]] || echo "; if this pull request is the first with these benchmarks, there is nothing to compare yet: merge it, and the next one is compared"
}

# The current folder as all programs know it: that bash calls D:/work by another name, /d/work.
here() {
  pwd -W 2>/dev/null || pwd
}

say() { # name, path: a line of the runner's own file, which a line break would forge
  [[ $2 != *[[:cntrl:]]* ]] || fail "a path of the benchmarks holds a control character"
  echo "$1=$2" >>"$GITHUB_OUTPUT"
}

# The one file in this folder that a pattern names. Nothing is split at blanks: IFS is empty.
the_jar() {
  local IFS='' found
  shopt -s nullglob
  # shellcheck disable=SC2206
  found=($STEADY_JAR)
  ((${#found[@]} <= 1)) || fail "$STEADY_JAR names several files: ${found[*]/%/ }; narrow \`jar\`"
  [[ -f ${found[0]-} ]] ||
    fail "the build of $1 left no file $STEADY_JAR in $(here); check \`jar\`$(perhaps_new "$1")"
  say "$1" "$(here)/${found[0]}"
}

# A test binary for each package with benchmarks, in the package's own folder: it finds testdata
# there, and packages of the same name do not overwrite each other. The flags leave paths and the
# commit out of it, so that equal code gives equal bytes.
go_binaries() {
  local folder
  go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' ./... |
    while IFS= read -r folder; do
      (
        cd "${folder%$'\r'}"
        ! grep -qE '^func Benchmark' ./*_test.go || go test -c -vet=off -trimpath -buildvcs=false
      )
    done
}

build() { # name of the version, its checkout
  [[ -d $2/$STEADY_FOLDER ]] ||
    fail "$1 has no folder $STEADY_FOLDER; check \`folder\`$(perhaps_new "$1")"
  cd "$2/$STEADY_FOLDER"
  [[ -n $STEADY_BUILD$STEADY_RUN || -f go.mod ]] ||
    fail "$1 has no go.mod in $(here); give \`build\` and \`jar\`, \`run\`, or for Go \`folder\`$(perhaps_new "$1")"
  echo "::group::Build $1"
  building=$1
  if [[ -n $STEADY_BUILD ]]; then
    bash -euo pipefail -c "$STEADY_BUILD"
  elif [[ -z $STEADY_RUN ]]; then
    go_binaries
  fi
  if [[ -n $STEADY_JAR ]]; then the_jar "$1"; else say "$1" "$(here)"; fi
  building=
  end_group
}

if [[ -n $STEADY_BASE$STEADY_HEAD ]]; then
  [[ -n $STEADY_BASE && -n $STEADY_HEAD ]] || fail "give both \`base\` and \`head\`, or neither"
  [[ -z $STEADY_BUILD$STEADY_JAR ]] || fail "give \`base\` and \`head\`, or \`build\` and \`jar\`"
  say base "$STEADY_BASE"
  say head "$STEADY_HEAD"
  exit
fi
[[ -z $STEADY_RUN || -z $STEADY_JAR ]] || fail "give \`run\` or \`jar\`, not both"
[[ -n $STEADY_JAR$STEADY_RUN || -z $STEADY_BUILD || -f $STEADY_FOLDER/go.mod ]] ||
  fail "\`jar\` or \`run\` is missing: which file does \`build\` leave, or what runs the benchmarks?"
[[ -z $STEADY_JAR || -n $STEADY_BUILD ]] ||
  fail "\`build\` is missing: which command leaves $STEADY_JAR?"
if [[ -n ${STEADY_FULL-} ]]; then
  build head "$PWD"
  exit
fi
git rev-parse --git-dir >/dev/null 2>&1 ||
  fail "$(here) is not a checkout of Git; let actions/checkout come before, with \`fetch-depth: 2\`"
depth=2
[[ -z $STEADY_COMMIT_BEFORE ]] || depth=0
before=$(git rev-parse --verify --quiet --end-of-options "${STEADY_COMMIT_BEFORE:-HEAD^1}^{commit}") ||
  fail "the version before${STEADY_COMMIT_BEFORE:+, $STEADY_COMMIT_BEFORE,} is not checked out; give actions/checkout \`fetch-depth: $depth\`"
checkout=$RUNNER_TEMP/steady-base/$before # one for all suites of a job
if [[ ! -d $checkout ]]; then
  git worktree prune # a machine of one's own remembers those of earlier jobs
  # The names of Windows end at 260 characters, where Git does not ask for more.
  git -c core.longpaths=true worktree add --quiet --force --detach "$checkout" "$before"
fi
workspace=$PWD
build head "$workspace"
build base "$checkout"
say base-commit "$before"
