OPS = ["fly.add"]
