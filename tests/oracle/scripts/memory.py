# Takes memory until there is none.
kept = []
while True:
    kept.append(bytearray(1 << 26))
