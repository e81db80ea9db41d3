"""Runs a command in a pseudo-terminal: its keys are standard input, what it shows goes to standard output.

usage: in_terminal.py COLUMNS ROWS COMMAND [ARGUMENT]...
The command ends with this program, as with the window of a terminal; this ends with its status.
"""
import fcntl
import os
import pty
import select
import struct
import sys
import termios

columns, rows, *command = sys.argv[1:]
process, terminal = pty.fork()
if process == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))
    os.execvp(command[0], command)

watched = [terminal, 0]
while terminal in watched:
    for ready in select.select(watched, [], [])[0]:
        try:
            data = os.read(ready, 65536)
        except OSError:  # the command has closed its end
            data = b""
        if not data:
            watched.remove(ready)
        else:
            os.write(1 if ready == terminal else terminal, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
