"""How a FlyDSL is obtained: installed, release, folder, overlay, source build; the linker; the doctor.

Nothing else installs or builds.

It may import `git`, `case`, `source`, `search`, `observation` and `errors`.

Other rooms use `arch`, `assemble`, `doctor`, `failure`, `index`, `installed`, `model`, `overlay`,
`processes`, `rocm`, `source`, `store`, `toolchains`, `wheel`.
"""
