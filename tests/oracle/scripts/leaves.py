# Leaves with an exit code of its own.
import sys

import flydsl.expr as fx

sys.exit(3 if fx else 0)
