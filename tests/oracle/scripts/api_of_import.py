# Imports what no release of FlyDSL has.
from flydsl.compiler import this_is_in_no_release
