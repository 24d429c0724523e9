"""Runs a program under a filter of system calls: underSystemCallFilter.py NAMES PROGRAM...

NAMES has the allowed calls with commas between them; every other one fails with EPERM, as under systemd with
SystemCallErrorNumber=EPERM. Names that this kernel does not have are left out, as systemd does.
"""
import ctypes
import errno
import os
import sys

ALLOW = 0x7FFF0000
ERRNO = 0x00050000 | errno.EPERM
UNKNOWN = -1

library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
library.seccomp_init.restype = ctypes.c_void_p
library.seccomp_rule_add.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_int, ctypes.c_uint]
library.seccomp_load.argtypes = [ctypes.c_void_p]

filter = library.seccomp_init(ERRNO)
for name in sys.argv[1].split(","):
    number = library.seccomp_syscall_resolve_name(name.encode())
    if number != UNKNOWN and library.seccomp_rule_add(filter, ALLOW, number, 0) != 0:
        sys.exit(f"the call {name} cannot be allowed")
if library.seccomp_load(filter) != 0:
    sys.exit("the filter cannot be loaded")
os.execvp(sys.argv[2], sys.argv[2:])
