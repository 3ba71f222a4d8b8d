#!/usr/bin/env bash
# Builds the benchmarks of head, in the workspace, and of base, in a separate worktree, and outputs
# their paths as `base` and `head`. Supports bash 3.2 (macOS) and Git's bash on Windows.
set -euo pipefail
unset INPUT_TOKEN # runners based on act pass it to every step

STEADY_RUN=${STEADY_RUN-}
building= # head or base, while its build runs

# A build may not end its last line, and GitHub reads commands only at the start of a line.
end_group() {
  printf '\n::endgroup::\n'
}

fail() {
  [[ -z $building ]] || end_group
  building=
  echo "::error title=steady::$1"
  exit 1
}

# A failed build prints its errors in a folded group of the log; GitHub shows only "exit code 1".
failed() {
  local code=$?
  ((code)) && [[ -n $building ]] || return 0
  fail "the build of $building failed (exit code $code); its output is in the log, under \"Build $building\"$(perhaps_new "$building")"
}
trap failed EXIT

perhaps_new() { # name of the version
  [[ $1 != base ]] || echo "; if this pull request adds the benchmarks, there is nothing to compare yet: comparisons start after it is merged"
}

# The current folder in the system's notation: Git's bash on Windows calls D:/work /d/work.
here() {
  pwd -W 2>/dev/null || pwd
}

say() { # name, path: a line of GITHUB_OUTPUT, in which a line break would forge another output
  [[ $2 != *[[:cntrl:]]* ]] || fail "a path of the benchmarks contains a control character"
  echo "$1=$2" >>"$GITHUB_OUTPUT"
}

# The only file in this folder that matches a pattern. IFS is empty, so nothing is split at blanks.
the_jar() {
  local IFS='' found
  shopt -s nullglob
  # shellcheck disable=SC2206
  found=($STEADY_JAR)
  ((${#found[@]} <= 1)) || fail "$STEADY_JAR matches several files: ${found[*]/%/ }; narrow \`jar\`"
  [[ -f ${found[0]-} ]] ||
    fail "the build of $1 created no file $STEADY_JAR in $(here); check \`jar\`$(perhaps_new "$1")"
  say "$1" "$(here)/${found[0]}"
}

# Build a test binary for each package with benchmarks, in the package's own folder: testdata is
# found there, and packages of the same name do not overwrite each other. The flags exclude paths and
# the commit from the binary, so that equal code gives equal bytes.
go_binaries() {
  each_go_package go_test
}

go_test() {
  go test -c -vet=off -trimpath -buildvcs=false "$@"
}

each_go_package() { # command, which runs in the folder of each package with benchmarks
  local folder
  go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' ./... |
    while IFS= read -r folder; do
      (
        cd "${folder%$'\r'}"
        ! grep -qE '^func Benchmark' ./*_test.go || "$@"
      )
    done
}

# Link the test binaries of a version again, with their functions in another order, so that the rounds
# of a run differ in layout. Go ignores folders that begin with `_`, also for go:embed.
go_layouts() { # name of the version, its checkout, the other checkout
  cd "$2/$STEADY_FOLDER"
  if [[ $(go tool link -h 2>&1) != *-randlayout* ]]; then
    echo "The linker of this Go has no -randlayout: $1 has one function layout."
    return
  fi
  # Our -ldflags replace those of GOFLAGS, so they begin with the last of these.
  local own
  own=$(go env GOFLAGS | xargs -n1 printf '%s\n' | sed -n 's/^--\{0,1\}ldflags=//p' | tail -n 1)
  echo "::group::Link the function layouts of $1"
  SECONDS=0
  each_go_package package_layouts "${3-}" "${own:+$own }"
  end_group
  echo "The function layouts of $1 were linked in $SECONDS s."
}

package_layouts() { # the other checkout or nothing, the user's own -ldflags
  local number linked=$RUNNER_TEMP/steady-layouts # elsewhere, as go:embed may read all files here
  rm -rf _layouts "$linked"
  differs "$1" || return 0 # it has an identical code path
  # shellcheck disable=SC2016
  ! grep -sqF '$ORIGIN' ./*.test || return 0 # it loads libraries from its own folder
  for number in 1 2 3; do
    mkdir -p "$linked/$number"
    go_test -o "$linked/$number/" -ldflags="$2-randlayout=$number" || {
      echo "$PWD keeps one function layout"
      return 0
    }
  done
  mv "$linked" _layouts
}

differs() { # the other checkout: whether a test binary of this folder differs there
  local file other
  [[ -n $1 ]] || return 0
  other=$1/$(git rev-parse --show-prefix)
  for file in *.test *.test.exe; do
    [[ ! -f $file ]] || cmp -s "$file" "$other$file" || return 0
  done
  return 1
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
  fail "\`jar\` (the file that \`build\` creates) or \`run\` (the command that runs the benchmarks) is missing; set one of them"
[[ -z $STEADY_JAR || -n $STEADY_BUILD ]] ||
  fail "\`build\` (the command that creates $STEADY_JAR) is missing; set it"
own_go=
[[ -n $STEADY_BUILD$STEADY_RUN ]] || own_go=1
if [[ -n ${STEADY_FULL-} ]]; then
  workspace=$PWD
  build head "$workspace"
  [[ -z $own_go ]] || go_layouts head "$workspace"
  exit
fi
git rev-parse --git-dir >/dev/null 2>&1 ||
  fail "$(here) is not a Git checkout; run actions/checkout first, with \`fetch-depth: 2\`"
depth=2
[[ -z $STEADY_COMMIT_BEFORE ]] || depth=0
before=$(git rev-parse --verify --quiet --end-of-options "${STEADY_COMMIT_BEFORE:-HEAD^1}^{commit}") ||
  fail "the commit to compare with${STEADY_COMMIT_BEFORE:+, $STEADY_COMMIT_BEFORE,} is not available; set \`fetch-depth: $depth\` for actions/checkout"
checkout=$RUNNER_TEMP/steady-base/$before # one for all suites of a job
if [[ ! -d $checkout ]]; then
  git worktree prune # self-hosted machines keep the worktrees of earlier jobs
  # On Windows, paths are limited to 260 characters unless Git enables longer ones.
  git -c core.longpaths=true worktree add --quiet --force --detach "$checkout" "$before"
fi
workspace=$PWD
build head "$workspace"
build base "$checkout"
if [[ -n $own_go ]]; then
  go_layouts head "$workspace" "$checkout"
  go_layouts base "$checkout" "$workspace"
fi
say base-commit "$before"
