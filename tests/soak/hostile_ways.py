"""More scripts that mean harm, by the less known ways out of a process, by name.

What is put into them is what `hostile.Outside` has. A script of `HOGS` runs with `HOG_MEMORY` MiB and says
`HELD` once it has more than three times of that.
"""

from __future__ import annotations

HOG_MEMORY = 256
HELD = "held-all-of-it"

_LIBC = """\
import ctypes, fcntl, mmap, os, resource, socket, struct, sys, time
libc = ctypes.CDLL(None, use_errno=True)
"""

_WAYS: dict[str, str] = {
    # Sockets
    "a datagram pair": "socket.socketpair(1, 2)[0].sendto(b'x', {dgram!r})",
    "a sequenced pair": "socket.socketpair(1, 5)[0].sendmsg([b'x'], [], 0, {dgram!r})",
    "a pair's message with a name": "socket.socketpair()[0].sendmsg([b'x'], [], 0, {dgram!r})",
    "a pair and an abstract name": "socket.socketpair(1, 2)[0].sendto(b'x', b'%c' % 0 + {abstract!r})",
    "a pair connected anew": """
for kind in (1, 2, 5):
    try:
        ours = socket.socketpair(1, kind)[0]
        ours.connect({dgram!r} if kind == 2 else {unix!r})
        ours.send(b'x')
    except OSError: pass
raise OSError
""",
    "other families": """
for family in range(46):
    for kind in (1, 2, 3, 5):
        for call in (libc.socket, lambda *a: libc.socketpair(*a, (ctypes.c_int * 2)())):
            made = call(family, kind, 0)
            assert made < 0 or (family, kind) == (1, 1), (family, kind)
""",
    "calls of 32 bits": """
# mov eax, 102 (socketcall); mov ebx, 1; mov ecx, edi; int 0x80; ret
code = bytes.fromhex('53b866000000bb0100000089f9cd805bc3')
page = mmap.mmap(-1, 4096, prot=7)
page.write(code)
room = libc.mmap(0x10000, 4096, 3, 0x32, -1, 0)
at = ctypes.addressof(ctypes.c_char.from_buffer(page))
ctypes.memmove(0x10000, struct.pack('iii', 2, 1, 0), 12)
made = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long)(at)(0x10000)
assert ctypes.c_int(made).value < 0, made
""",
    "calls of x32": """
for number in (41, 53):
    assert libc.syscall(0x40000000 | number, 1, 2, 0, (ctypes.c_int * 2)()) < 0
""",
    # What others of the same user have
    "another's shared memory": """
libc.shmat.restype = ctypes.c_void_p
at = libc.shmat({segment}, None, 0)
ctypes.memmove(at, b'taken', 5)
""",
    "an end of another's shared memory": "libc.shmctl({segment}, 0, None)",
    "another's message queue": "libc.mq_unlink(b'/flybisect-hostile'); libc.mq_unlink(b'flybisect-hostile')",
    "another's named semaphore": "os.unlink('/dev/shm/flybisect-hostile')",
    "a priority of all": "libc.setpriority(2, 0, 19); libc.setpriority(0, {victim}, 19)",
    "disk priorities of all": "libc.syscall(251, 3, 0, 3 << 13); libc.syscall(251, 1, {victim}, 3 << 13)",
    "another's scheduler": """
param = ctypes.byref(ctypes.c_int(0))
libc.sched_setscheduler({victim}, 5, param); libc.sched_setscheduler({victim}, 3, param)
attr = struct.pack('IIQiIQQQ', 48, 5, 0, 0, 0, 0, 0, 0)
libc.syscall(314, {victim}, attr, 0)
os.sched_setaffinity({victim}, {{0}})
""",
    "another's pages": "libc.syscall(256, {victim}, 8, bytes(8), bytes(8)); libc.syscall(448, {victim}, 0)",
    "a signal by a pipe": """
reading, writing = os.pipe()
fcntl.fcntl(reading, 10, 9)
fcntl.fcntl(reading, fcntl.F_SETOWN, {victim})
fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
os.write(writing, b'x')
time.sleep(.2)
""",
    "another's memory": "open('/proc/{victim}/mem', 'r+b')",
    "another's environment": "print(open('/proc/{victim}/environ').read(), file=sys.stderr)",
    "another's open file": "open('/proc/{victim}/fd/1', 'w').write('x')",
    "another's folder": "open('/proc/{victim}/cwd/file', 'w').write('x')",
    "another's turn to die": "open('/proc/{victim}/oom_score_adj', 'w').write('1000')",
    "another's descriptors": """
pidfd = os.pidfd_open({victim})
handle = libc.syscall(438, pidfd, 1, 0)
assert handle >= 0
os.write(handle, b'x')
""",
    "a debugger": "libc.ptrace(0x4206, {victim}, 0, 0) == 0 and time.sleep(3)",
    "another's terminal": "handle = os.open({terminal!r}, os.O_RDWR); os.write(handle, b'x')",
    "what is typed elsewhere": "fcntl.ioctl(os.open({terminal!r}, os.O_RDONLY), 0x5412, b'x')",
    "a pipe with a name": "os.write(os.open({fifo!r}, os.O_WRONLY | os.O_NONBLOCK), b'x')",
    # Files
    "a lock": "file = open({lock!r}); fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB); time.sleep(1)",
    "a shared lock": "file = open({lock!r}); fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB); time.sleep(1)",
    "a record lock": "file = open({lock!r}); fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB); time.sleep(1)",
    "an open file's lock": """
file = open({lock!r})
fcntl.fcntl(file, 37, struct.pack('hhqqi4x', 0, 0, 0, 0, 0))
time.sleep(1)
""",
    "a lease": "file = open({lock!r}); fcntl.fcntl(file, 1024, fcntl.F_RDLCK); time.sleep(1)",
    "controls of a file": """
handle = os.open({outside!r} + '/file', os.O_RDONLY)
for call in (0x40806685, 0x40086604, 0x40087602, 0x6609, 0x800c6613, 0x5000940f, 0x50009401, 0x401C5820):
    try:
        fcntl.ioctl(handle, call, bytes(200))
        print('done', hex(call), file=sys.stderr)
    except OSError: pass
""",
    "a file without a name": """
handle = os.open('.', os.O_TMPFILE | os.O_RDWR)
os.link(f'/proc/self/fd/{{handle}}', {outside!r} + '/new', follow_symlinks=True)
""",
    "names exchanged": """
open('mine', 'w')
libc.renameat2(-100, b'mine', -100, {outside!r}.encode() + b'/file', 2)
""",
    "a folder that becomes a link": """
here = os.getcwd()
os.chdir('/')
os.rename(here, here + '-old')
os.symlink({outside!r}, here)
""",
    "links in its folder": """
for name in ('cache', 'dump', 'autotune', 'home', 'tmp', 'more'):
    try: os.rename(name, name + '-old')
    except OSError: pass
    os.symlink({outside!r}, name)
os.mkfifo('fifo')
""",
    "a folder that is closed": "os.makedirs('a/b'); open('a/b/c', 'w'); os.chmod('a/b', 0); os.chmod('a', 0)",
    # Sessions
    "a session's file": "print(open({hidden!r} + '/secret').read(), file=sys.stderr)",
    "a session by other ways": """
os.symlink({hidden!r}, 'link')
roots = [f'/proc/{{each}}/root' + {hidden!r} for each in ('self', '1', '{victim}')]
for way in ('link', *roots, {hidden!r} + '/../sessions'):
    try: print(open(way + '/secret').read(), file=sys.stderr)
    except OSError: pass
try:
    os.link({hidden!r} + '/secret', 'linked')
    print(open('linked').read(), file=sys.stderr)
except OSError: pass
handle = libc.open({hidden!r}.encode(), 0x200000)
again = libc.openat(handle, b'secret', 0)
again >= 0 and print(os.read(again, 100), file=sys.stderr)
""",
    "a session's lock": """
file = open({hidden!r} + '/secret')
fcntl.flock(file, fcntl.LOCK_SH)
fcntl.lockf(file, fcntl.LOCK_SH)
time.sleep(1)
""",
    # The kernel
    "calls for the curious": """
for number, arguments in ((298, (bytes(128), 0, -1, -1, 0)), (321, (0, bytes(128), 128)), (323, (1,)),
        (253, ()), (294, (0,)), (300, (0, 0)), (206, (128, bytes(8))), (250, (0, -3, 1)), (246, (0,) * 4)):
    assert libc.syscall(number, *arguments) < 0, number
""",
    "a namespace by clone": """
for flags in (0x10000000, 0x20000, 0x40000000):
    pid = libc.syscall(56, flags | 17, 0, 0, 0, 0)
    if pid == 0: os._exit(0)
    assert pid < 0
assert libc.syscall(435, bytes(88), 88) < 0
assert libc.unshare(0x400) < 0
""",
    "a program of root's": """
for program in ('su -c', 'sudo -n sh -c', 'pkexec sh -c'):
    os.system(program + " 'echo x >> {outside}/file'")
""",
    # The tool itself
    "its own output, taken": """
for handle in range(3, 900):
    try: os.set_blocking(handle, True)
    except OSError: pass
import threading
def take(handle):
    try:
        while True: os.read(handle, 1 << 16)
    except OSError: pass
for handle in range(3, 900): threading.Thread(target=take, args=(handle,), daemon=True).start()
end = time.monotonic() + 600
while time.monotonic() < end: os.write(2, b'x')
""",
    "a sealed record": """
for handle in range(3, 900):
    try: fcntl.fcntl(handle, 1033, 0xF)
    except OSError: pass
""",
    "a record of nothing": """
for handle in range(3, 900):
    try: os.ftruncate(handle, 200 << 20)
    except OSError: pass
""",
    "a family that stays": """
libc.prctl(36, 1, 0, 0, 0); libc.prctl(1, 0, 0, 0, 0)
for _ in range(20):
    if os.fork() == 0:
        os.setsid(); libc.prctl(36, 1, 0, 0, 0)
        if os.fork() == 0: time.sleep(3600)
        time.sleep(3600)
os._exit(0)
""",
    "stopped children": """
import signal
for _ in range(20):
    if os.fork() == 0:
        os.setsid(); os.kill(os.getpid(), signal.SIGSTOP); time.sleep(3600)
os.close(1); os.close(2); os._exit(3)
""",
    "signals to itself": """
import signal
signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), 12))
while True: pass
""",
    "a thread that execs": """
import threading
threading.Thread(target=os.execv, args=('/bin/sleep', ['sleep', '3600'])).start()
time.sleep(3600)
""",
}

_HOGS: dict[str, str] = {
    "shared memory": """
kept = []
for _ in range(16): kept.append(mmap.mmap(-1, 50 << 20)); fill(kept[-1])
""",
    "shared memory in children": """
for _ in range(16):
    if os.fork() == 0:
        kept = mmap.mmap(-1, 60 << 20); fill(kept); time.sleep(60)
time.sleep(4)
""",
    "shared memory out of sight": """
kept = []
for _ in range(16):
    kept.append(mmap.mmap(-1, 50 << 20)); fill(kept[-1]); kept[-1].madvise(mmap.MADV_DONTNEED)
""",
    "shared memory that is hardly mapped": """
libc.mmap.restype = ctypes.c_void_p
libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
for _ in range(20):
    at = libc.mmap(None, 50 << 20, 3, 0x21, -1, 0)
    ctypes.memset(at, 1, 50 << 20)
    libc.munmap(at + 4096, (50 << 20) - 4096)
""",
    "the zero device": """
kept = []
for _ in range(16):
    kept.append(mmap.mmap(os.open('/dev/zero', os.O_RDWR), 50 << 20)); fill(kept[-1])
    kept[-1].madvise(mmap.MADV_DONTNEED)
""",
    "socket buffers": """
import threading
for _ in range(8):
    if os.fork() == 0:
        resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
        kept = []
        try:
            while True: kept.append(socket.socketpair())
        except OSError: pass
        for pair in kept:
            for end in pair:
                end.setblocking(False)
                try: end.setsockopt(1, 7, 1 << 22)
                except OSError: pass
                try:
                    while True: end.send(bytes(1 << 16))
                except OSError: pass
        time.sleep(60)
time.sleep(4)
""",
    "pipes": """
resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
kept, held = [], 0
try:
    while True:
        kept.append(os.pipe())
        os.set_blocking(kept[-1][1], False)
        try: fcntl.fcntl(kept[-1][1], 1031, 1 << 20)
        except OSError: pass
        try:
            while True: held += os.write(kept[-1][1], bytes(1 << 16))
        except BlockingIOError: pass
except OSError: pass
assert held > 700 << 20, held
""",
    "descriptors on their way": """
kept = []
for _ in range(16):
    kept.append(mmap.mmap(-1, 1 << 20))
ours, theirs = socket.socketpair()
for _ in range(250):
    a, b = socket.socketpair()
    a.setblocking(False)
    try:
        while True: a.send(bytes(1 << 16))
    except OSError: pass
    socket.send_fds(ours, [b'x'], [a.fileno(), b.fileno()])
    a.close(); b.close()
""",
    "pages held by a pipe": """
class Piece(ctypes.Structure): _fields_ = [('at', ctypes.c_void_p), ('long', ctypes.c_size_t)]
libc.mmap.restype = ctypes.c_void_p
libc.munmap.argtypes = libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
kept = []
for _ in range(30):
    kept.append(os.pipe())
    at = libc.mmap(None, 34 << 20, 3, 0x22, -1, 0)
    start = (at + (1 << 21) - 1) >> 21 << 21
    libc.madvise(start, 32 << 20, 14)
    ctypes.memset(start, 1, 32 << 20)
    for number in range(16):
        assert libc.vmsplice(kept[-1][1], ctypes.byref(Piece(start + (number << 21), 1)), 1, 0) == 1
    libc.munmap(at, 34 << 20)
""",
    "the record": """
for handle in range(3, 900):
    for _ in range(256):
        try: os.write(handle, bytes(1 << 20))
        except OSError: break
time.sleep(4)
""",
    "its folders": """
open('/dev/shm/flybisect-hostile', 'w').close()  # else they are on the disk
for place in ('.', '/dev/shm', '/tmp'):
    try:
        for number in range(5):
            with open(f'{{place}}/flybisect-hostile-{{number}}', 'wb') as file:
                for _ in range(120): file.write(bytes(1 << 20))
    except OSError: pass
time.sleep(4)
""",
    "threads": """
import threading
kept = []
def work():
    kept.append(bytearray(b'x') * (8 << 20)); time.sleep(60)
for _ in range(100): threading.Thread(target=work, daemon=True).start()
""",
}

_HOG_HEAD = """
def fill(memory):
    for at in range(0, len(memory), 4096): memory[at] = 1
"""

WAYS = {name: _LIBC + text for name, text in _WAYS.items()}
HOGS = {
    name: f"{_LIBC}{_HOG_HEAD}{text}\nprint({HELD!r}, file=sys.stderr, flush=True)\ntime.sleep(60)\n"
    for name, text in _HOGS.items()
}
