# Asks FlyDSL for a function that no release has.
import flydsl.expr as fx

fx.this_is_in_no_release(1)
