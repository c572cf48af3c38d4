"""Scripts that mean harm, or do it without meaning to, by name.

`{outside}` is a folder with files that must stay as they are, `{tcp}`, `{udp}` and `{unix}` are where
somebody listens. Each is run with a name of its own by which its processes are found.
"""

from __future__ import annotations

SCRIPTS: dict[str, str] = {
    # Files outside
    "removes a folder": "import shutil; shutil.rmtree({outside!r})",
    "writes over a file": "open({outside!r} + '/file', 'w').write('x')",
    "writes through a link": "import os; os.symlink({outside!r}, 'l'); open('l/file', 'a').write('x')",
    "writes through /proc": "open('/proc/self/root' + {outside!r} + '/file', 'a').write('x')",
    "a hard link": "import os; os.link({outside!r} + '/file', 'mine'); open('mine', 'a').write('x')",
    "chmod": "import os; os.chmod({outside!r} + '/file', 0o777)",
    "chown": "import os; os.chown({outside!r} + '/file', 1, 1)",
    "utime": "import os; os.utime({outside!r} + '/file', (1, 1))",
    "an extended attribute": "import os; os.setxattr({outside!r} + '/file', 'user.x', b'1')",
    "chattr": """
import array, fcntl, os
handle = os.open({outside!r} + '/file', os.O_RDONLY)
fcntl.ioctl(handle, 0x40086602, array.array('l', [0x40]))
""",
    "mounts": """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.unshare(0x10000000 | 0x20000)
assert libc.mount(b'none', {outside!r}.encode(), b'tmpfs', 0, None) != 0
assert libc.mount(None, b'/', None, 32 | 4096, None) != 0
open({outside!r} + '/file', 'a').write('x')
""",
    "a shell": "import os; os.system('echo x >> ' + {outside!r} + '/file; rm -rf ' + {outside!r})",
    "/tmp": "open('/tmp/flybisect-hostile', 'w').write('x')",
    "home": "import os, pwd; open(pwd.getpwuid(os.getuid()).pw_dir + '/.flybisect-hostile', 'w')",
    "a device": """\
import os
for d in ('/dev/sda', '/dev/vda', '/dev/mem', '/dev/kmsg'):
  os.open(d, os.O_RDWR)""",
    "sysctl": "open('/proc/sys/kernel/pid_max', 'w').write('400')",
    "sysrq": "open('/proc/sysrq-trigger', 'w').write('h')",
    "cgroups": "import os; os.mkdir('/sys/fs/cgroup/flybisect-hostile')",
    "System V memory": """
import ctypes
libc = ctypes.CDLL(None)
assert libc.shmget(0x666c79, 4096, 0o1666) < 0
""",
    "the clock": "import time; time.clock_settime(time.CLOCK_REALTIME, 0)",
    # The network
    "TCP": "import socket; socket.create_connection(('127.0.0.1', {tcp}))",
    "UDP": "import socket; socket.socket(2, 2).sendto(b'x', ('127.0.0.1', {udp}))",
    "a raw socket": "import socket; socket.socket(2, 3, 1).sendto(b'x' * 8, ('127.0.0.1', 0))",
    "a Unix socket": "import socket; socket.socket(1).connect({unix!r})",
    "a shell's TCP": """\
import os; os.system('exec 3<>/dev/tcp/127.0.0.1/{tcp}; bash -c "echo > /dev/tcp/127.0.0.1/{tcp}"')""",
    "urllib": "import urllib.request; urllib.request.urlopen('http://127.0.0.1:{tcp}', timeout=5)",
    "io_uring": """\
import ctypes; assert ctypes.CDLL(None).syscall(425, 8, ctypes.create_string_buffer(256)) < 0""",
    # Processes
    "kills everybody": "import os\nos.kill(-1, 9)",
    "kills its parents": """\
import os
for pid in range(2, 40000):
  try: pid != os.getpid() and os.kill(pid, 15)
  except OSError: pass""",
    "a double fork": """
import os, signal, time
for number in range(1, 32):
    try: signal.signal(number, signal.SIG_IGN)
    except OSError: pass
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(0)
""",
    "a fork bomb": "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass",
    "a shell's fork bomb": "import os\nos.system('f() {{ f | f & }}; f; sleep 100')",
    "many threads": """
import threading, time
while True:
    try: threading.Thread(target=time.sleep, args=(3600,), daemon=False).start()
    except RuntimeError: pass
""",
    "stops itself": "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
    "a thread that never ends": """\
import threading, time; threading.Thread(target=time.sleep, args=(3600,)).start()""",
    "an exit handler that never ends": "import atexit, time; atexit.register(time.sleep, 3600)",
    "os._exit in a child that goes on": "import os, time\nif os.fork() == 0: time.sleep(3600)\nos._exit(0)",
    "limits of all processes": """
import os, resource
for pid in os.listdir('/proc'):
    if pid.isdigit() and int(pid) != os.getpid():
        try: resource.prlimit(int(pid), resource.RLIMIT_CPU, (1, 1))
        except OSError: pass
""",
    # Resources
    "much memory": "x = [bytearray(1 << 28) for _ in range(1000)]",
    "memory in children": """
import os, time
for _ in range(40):
    if os.fork() == 0:
        x = os.urandom(1 << 20) * 200
        time.sleep(3600)
time.sleep(3600)
""",
    "memory without an address": """\
import os
for i in range(500): os.write(os.memfd_create('x'), bytes(100 << 20))""",
    "a long file": "f = open('f', 'wb')\nwhile True: f.write(bytes(1 << 24))",
    "many files": "for i in range(10 ** 6): open(f'f{{i}}', 'w')",
    "many long files": "for i in range(500): open(f'f{{i}}', 'wb').write(bytes(100 << 20))",
    "deep folders": "import os\nfor i in range(100000): os.mkdir('d'); os.chdir('d')",
    "much output": "import os\nwhile True: os.write(1, b'x' * 65536); os.write(2, b'y' * 65536)",
    "output in one line": "import sys\nfor i in range(3000): sys.stderr.write('error: ' * 100)",
    "output of empty lines": "import sys; sys.stderr.write('\\\\n' * 10 ** 7)",
    "a busy loop": "while True: pass",
    "recursion": "def f(): f()\nimport sys; sys.setrecursionlimit(10 ** 9); f()",
    # The tool itself
    "a forged record": """
import os
for handle in range(3, 900):
    try: os.write(handle, b'{{"kind": "uncaught"}}\\\\n' * 100 + b'[' * 100000 + b'\\\\n{{"kind": 5}}\\\\n')
    except OSError: pass
""",
    "a long record": """
import os
fact = b'{{"kind": "traced", "sha256": "' + b'\\\\\\\\u0000' * 100000 + b'"}}\\\\n'
try:
    while True: os.write(700, fact)
except OSError: pass
""",
    "closes every file": "import os; os.closerange(0, 4096)",
    "an exception that does not end": """
class Endless(Exception):
    def __str__(self):
        while True: pass
raise Endless
""",
    "an exception with a long text": "raise ValueError('\\\\n' * 10 ** 7)",
    "a fake compile error": """
class MLIRError(Exception): pass
raise MLIRError('\\\\n' * 60000 + 'error: x ' * 1000 + '"-":' + '9' * 5000 + ':1')
""",
    "a long chain of exceptions": """
error = None
for i in range(100000):
    new = ValueError(i)
    new.__cause__ = error
    error = new
raise error
""",
    "an exception without a name": """\
type('', (Exception,), {{'__module__': 5}})()
raise type('\\\\ud800', (Exception,), {{'__module__': None}})""",
    "no builtins": "import builtins\nfor name in list(vars(builtins)): delattr(builtins, name)",
    "no json": "import json, os\njson.dumps = None\nos.write = None\nraise ValueError",
    "no exit": "import os\nos._exit = print\nimport sys; sys.exit = print\nraise SystemExit(3)",
    "a line that is no line": "exec(compile('\\\\n' * 10 ** 6 + '1 / 0', __file__, 'exec'))",
    "a stack of its own": """\
import sys, faulthandler, os
os.kill(os.getpid(), 12)
while True: sys.stderr.write(f'  File "{{__file__}}", line 99999999999 in x\\\\n')""",
}
