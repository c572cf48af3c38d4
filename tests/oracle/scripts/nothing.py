# Ends well without compiling a kernel.
import flydsl.expr as fx

print(fx.__name__)
