# The image of the GitHub Action; `action.yml` has GitHub's runner build it.
# Python 3.13.15 on Debian 13, for every processor. The digest pins the base; `make base` updates it.
ARG PYTHON=docker.io/library/python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b

FROM ${PYTHON} AS build
WORKDIR /build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
# An environment without pip; the base's own pip fills it.
RUN python3 -m venv --without-pip /opt/steady
COPY requirements.txt ./
RUN python3 -m pip --python /opt/steady/bin/python install --no-compile --only-binary :all: \
      --require-hashes -r requirements.txt
# The libraries' own tests, headers and type stubs are of no use at run time. (Stripping symbols
# from their shared objects breaks NumPy's OpenBLAS.) WORKDIR takes no pattern.
# hadolint ignore=DL3003
RUN cd /opt/steady/lib/python3*/site-packages \
 && find . -type d -name tests -prune -exec rm -r {} + \
 && find . -type d -name include -path '*/_core/*' -prune -exec rm -r {} + \
 && find . -type f \( -name '*.pyi' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.h' -o -name '*.c' \
      -o -name '*.a' \) -delete
COPY requirements-dev.txt pyproject.toml README.md LICENSE ./
COPY src src
# The build backend is also pinned by hash; the build needs nothing else.
RUN sed -n '/^flit-core==/,/^    # via/p' requirements-dev.txt > backend.txt \
 && python3 -m venv backend \
 && backend/bin/python -m pip install --require-hashes -r backend.txt \
 && backend/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir wheel . \
 && python3 -m pip --python /opt/steady/bin/python install --no-compile --no-deps wheel/*.whl

FROM ${PYTHON}
# Git is needed for the history. Debian signs its packages, and keeps only the newest version in a
# release, so a pinned version or hash would soon not exist.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git \
 && apt-get clean \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/steady /opt/steady
# Compiles only the modules in use, including those of the standard library (the base has no
# bytecode), and checks that the removed files are not needed. Parts of SciPy are imported on demand.
RUN ["/opt/steady/bin/python", "-I", "-c", \
     "import steady.action.one_run, scipy.cluster.hierarchy"]
# -I: nothing is imported from the workspace, which may contain an untrusted pull request, and
# PYTHON... variables are ignored. -B: no bytecode is written. No USER: GitHub's runner mounts the
# workspace and the command files for root.
ENTRYPOINT ["/opt/steady/bin/python", "-IB", "-X", "utf8", "-m", "steady.action"]
