#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Gradescope runs this once, when it makes the image in which each submission is graded.
set -eu
exec "$(dirname "$0")/install" "${CLCLAB_PLACE:-/opt/clclab}"
