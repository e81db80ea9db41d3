// A host with a plugin that tries to get out of its sandbox, what lies around them, and what it tries.
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

import { Components } from './components.mjs';
import { HttpHost, memoryCannotBeLimited } from './host.mjs';
import { postModern } from './http.mjs';

const secret = 'swordfish-2718281828';
const limits = { memoryBytes: memoryCannotBeLimited ? 0 : 300_000_000, openFiles: 64 };
const beyondMemory = 400_000_000;

export async function ask(host, name, args = {}) {
  return (await postModern(host.url, 'tools/call', { name, arguments: args })).json();
}

export async function call(host, name, args = {}) {
  const { result, error } = await ask(host, name, args);
  assert.equal(error, undefined, error?.message);
  return result.structuredContent?.result ?? result.content[0].text;
}

export const attempt = (host, what, target = '', other = '') =>
  call(host, 'attempt', { what, target: String(target), other: String(other) });

async function listening(server, ...where) {
  server.listen(...where);
  await once(server, 'listening');
  return server;
}

// A host with the plugin that tries and another one, and around them what it tries to reach.
export class Scene {
  static async set(sandbox) {
    const scene = new Scene();
    try {
      await scene.begin(sandbox);
    } catch (error) {
      await scene.end();
      throw error;
    }
    return scene;
  }

  servers = [];

  async begin(sandbox) {
    this.components = await Components.create('dying');
    const { folder } = this.components;
    await mkdir(join(folder, 'outside', 'empty'), { recursive: true });
    for (const name of ['notes', 'server.key', 'first', 'second']) await writeFile(this.outside(name), 'private');
    await mkdir(this.data(), { recursive: true });
    await this.listen();
    const settings = { sandbox: typeof sandbox === 'function' ? sandbox(folder) : sandbox, limits };
    await this.components.write('escaping.json', JSON.stringify(settings));
    await this.components.add('escaping');
    const options = ['--isolation', 'worker', '--control', this.outside('control')];
    this.host = await HttpHost.start(this.components, options, undefined, { HOSTS_SECRET: secret });
    this.port = this.host.url.port;
    this.pid = this.host.child.pid;
    this.neighbour = await call(this.host, 'pid');
    this.neighboursCopy = await this.privateCopy();
  }

  async listen() {
    this.localName = `@mcp-sandbox-${process.pid}-${this.components.folder}`;
    this.servers.push(await listening(createServer(), this.outside('socket')));
    this.servers.push(await listening(createServer(), this.localName.replace('@', '\0')));
    this.datagrams = createSocket('udp4');
    this.datagrams.bind(0, '127.0.0.1');
    await once(this.datagrams, 'listening');
  }

  // Of the library of another plugin, as the host mapped it.
  async privateCopy() {
    const folder = (await readdir(tmpdir())).find((name) => name.startsWith(`mcp-plugin-host-${this.pid}-`));
    const files = (await readdir(join(tmpdir(), folder))).filter((name) => name.includes('dying'));
    return join(tmpdir(), folder, files[0]);
  }

  outside = (name) => join(this.components.folder, 'outside', name);
  data = (name = '.') => join(this.components.data, 'tools', 'escaping', name);

  async end() {
    for (const server of this.servers) server.close();
    this.datagrams?.close();
    await this.host?.stop();
    await this.components.discard();
  }
}

// Made only in the sandbox: it would do harm, or fail for another reason, where it is not denied.
const onlyInside = (aim) => Object.assign(aim, { onlyInside: true });
// Denied by the plugin's limit of memory.
const beyondLimit = (aim) => Object.assign(aim, { beyondLimit: true });

export const attempts = {
  // Files.
  'read the passwords': () => ['read', '/etc/shadow'],
  'read the list of users': () => ['read', '/etc/passwd'],
  'read a private key': (at) => ['read', at.outside('server.key')],
  'read a file of somebody else': (at) => ['read', at.outside('notes')],
  'read its own configuration, whose limits are the operator\'s': (at) => ['read', at.components.file('escaping.json')],
  'read another plugin\'s library': (at) => ['read', at.components.file('dying.so')],
  'read the host\'s copy of another plugin\'s library': (at) => ['read', at.neighboursCopy],
  'read the environment of the first process': () => onlyInside(['read', '/proc/1/environ']),
  'read the environment of the host': (at) => ['read', `/proc/${at.pid}/environ`],
  'read the command line of the host': (at) => ['read', `/proc/${at.pid}/cmdline`],
  'read its own environment from /proc': () => ['read', '/proc/self/environ'],
  'read its own memory map from /proc': () => ['read', '/proc/self/maps'],
  'open the memory of the host': (at) => ['open to read and write', `/proc/${at.pid}/mem`],
  'open its own memory': () => ['open to read and write', '/proc/self/mem'],
  'reach the host\'s standard error through /proc': (at) => onlyInside(['write', `/proc/${at.pid}/fd/2`]),
  'reach the host\'s root through /proc': (at) => ['read', `/proc/${at.pid}/root/etc/passwd`],
  'list the processes': () => ['list', '/proc'],
  'list the descriptors of the host': (at) => ['list', `/proc/${at.pid}/fd`],
  'list the root folder': () => ['list', '/'],
  'list the home folder': () => ['list', homedir()],
  'list the folder for temporary files': () => ['list', '/tmp'],
  'list the components folder': (at) => ['list', at.components.root],
  'list the data of all plugins': (at) => ['list', at.components.data],
  'read through a symbolic link in its data folder': (at) => ['read through a link', '/etc/passwd', at.data('link')],
  'read through .. of its data folder': (at) => ['read through parents', '/etc/passwd', at.data()],
  'read from a descriptor of the root folder': () => ['read through a path descriptor', '/etc/passwd'],
  'write to a file of somebody else': (at) => ['write', at.outside('notes')],
  'write to a system library': () => ['write', '/usr/lib/os-release'],
  'write to the host\'s copy of another plugin\'s library': (at) => ['write', at.neighboursCopy],
  'write to the kernel\'s settings': () => ['write', '/proc/sys/kernel/hostname'],
  'write to its own score for the out-of-memory killer': () => ['write', '/proc/self/oom_score_adj'],
  'drop a plugin into the components folder': (at) => ['create', at.components.file('dropped.so')],
  'create a file in the folder for temporary files': () => ['create', `/tmp/mcp-sandbox-${process.pid}`],
  'create a file in /etc': () => ['create', `/etc/mcp-sandbox-${process.pid}`],
  'create a file in shared memory': () => ['create', `/dev/shm/mcp-sandbox-${process.pid}`],
  'create a file without a name': (at) => ['create without a name', at.outside('.')],
  'make a folder elsewhere': (at) => ['make a folder', at.outside('made')],
  'remove a folder elsewhere': (at) => ['remove a folder', at.outside('empty')],
  'truncate a file elsewhere': (at) => ['truncate', at.outside('notes')],
  'empty a file elsewhere that it opens neither to read nor to write': (at) =>
    ['open anew', at.outside('notes'), 'neither'],
  'empty a file elsewhere that it opens only to read': (at) => ['open anew', at.outside('notes'), 'to read'],
  'take a lease, for which others wait': (at) => ['take a lease', at.data('leased')],
  'make a symbolic link elsewhere': (at) => ['symbolic link', at.outside('link'), '/etc/passwd'],
  'make a hard link in its data folder to a file elsewhere': (at) =>
    ['hard link', at.outside('notes'), at.data('hard')],
  'make a pipe elsewhere': (at) => ['make a pipe', at.outside('pipe')],
  'make a device for the machine\'s memory': (at) => ['make a device', at.data('memory')],
  'exchange two files elsewhere': (at) => ['exchange', at.outside('first'), at.outside('second')],
  'rename a file elsewhere': (at) => ['rename', at.outside('first'), at.outside('moved')],
  'move a file of somebody else into its data folder': (at) => ['rename', at.outside('second'), at.data('stolen')],
  'change permissions of a file elsewhere': (at) => ['chmod', at.outside('notes')],
  'change permissions of an open system file': () => ['chmod what is open', '/usr/lib/os-release'],
  'change the owner of a file elsewhere': (at) => ['chown', at.outside('notes')],
  'change the times of a file elsewhere': (at) => ['set times', at.outside('notes')],
  'change the times of an open system file': () => ['set times of what is open', '/usr/lib/os-release'],
  'set an attribute of a file elsewhere': (at) => ['set an attribute', at.outside('notes')],
  'list the attributes of a file elsewhere': (at) => ['list attributes', at.outside('notes')],
  'watch which files others make': (at) => ['watch', at.outside('.')],
  'map a file elsewhere as code': (at) => ['map as code', at.components.file('dying.so')],
  'load a library from elsewhere': (at) => ['load as a library', at.components.file('dying.so')],
  'take a file\'s handle, which knows no paths': (at) => ['take a handle', at.outside('notes')],
  'open a file by its handle': () => ['open_by_handle_at'],
  'change the root folder': (at) => onlyInside(['change the root', at.data()]),
  'remove a file elsewhere': (at) => ['unlink', at.outside('notes')],
  'know a secret from the host\'s environment': () => ['know a variable', 'HOSTS_SECRET'],
  'find a secret of the host\'s environment on its stack': () => ['find on the stack', secret],

  // Memory and other limits.
  'map more memory than it may have': () => beyondLimit(['map memory', beyondMemory]),
  'reserve memory and make it writable later': () => beyondLimit(['reserve memory and make it writable', beyondMemory]),
  'grow its heap beyond its memory': () => beyondLimit(['grow the heap', beyondMemory]),
  'hide memory in a shared mapping': () => ['map shared memory', 4096],
  'hide memory in a memory file': () => beyondLimit(['grow a memory file', beyondMemory]),
  'fill the disk with one file': (at) => beyondLimit(['grow a file', beyondMemory, at.data('large')]),
  'hold memory that cannot be swapped': () => ['hold memory', 65536],
  'share memory with other processes': () => ['shared memory'],
  'raise its limit of memory': () => beyondLimit(['raise a limit', 'memory']),
  'raise its limit of open files': () => ['raise a limit', 'open files'],
  'raise its limit of file sizes': () => onlyInside(beyondLimit(['raise a limit', 'file size'])),
  'leave core dumps, with what they hold': () => onlyInside(['raise a limit', 'core']),
  'open more files than it may': () => ['open files', 100],

  // The network.
  'connect to the host\'s own port': (at) => ['connect to a port', at.port],
  'connect to the host\'s own port over IPv6': (at) => ['connect to a port over IPv6', at.port],
  'connect to a public address': () => ['connect to an address', '192.0.2.1'],
  'connect to the addresses that clouds keep credentials at': () => ['connect to an address', '169.254.169.254'],
  'listen on a port': () => ['listen on a port'],
  'send a datagram': (at) => ['send a datagram', at.datagrams.address().port],
  'open a raw socket': () => ['raw socket'],
  'open a packet socket': () => ['packet socket'],
  'open a netlink socket': () => ['netlink socket'],
  'open a socket to the hypervisor': () => onlyInside(['virtual machine socket']),
  'open a socket to the kernel\'s ciphers': () => onlyInside(['kernel crypto socket']),
  'open a local socket': () => ['local socket'],
  'connect to a socket in the file system': (at) => ['connect to a local socket', at.outside('socket')],
  'connect to the host\'s control socket': (at) => ['connect to a local socket', at.outside('control')],
  'connect to a socket in no file system': (at) => ['connect to a local socket', at.localName],
  'listen on a socket in its data folder': (at) => ['listen on a local socket', at.data('socket')],
  'listen on a socket in no file system': (at) => ['listen on a local socket', `${at.localName}-own`],
  'redirect a pair of sockets': (at) => onlyInside(['redirect a pair of datagram sockets', at.outside('socket')]),
  'connect its socket to the host anew': (at) => ['reconnect the host\'s socket', at.outside('socket')],
  'send elsewhere from its socket to the host': (at) =>
    ['send elsewhere from the host\'s socket', at.outside('socket')],
  'accept connections on its socket to the host': () => ['accept on the host\'s socket'],

  // Other processes.
  'ask whether the host is there': (at) => ['signal', at.pid, 0],
  'ask the host to end': (at) => onlyInside(['signal', at.pid, 15]),
  'kill the host': (at) => onlyInside(['signal', at.pid, 9]),
  'stop the host': (at) => onlyInside(['signal', at.pid, 19]),
  'kill the host\'s group': (at) => onlyInside(['signal', -at.pid, 9]),
  'ask whether the first process is there': () => ['signal', 1, 0],
  'kill another worker': (at) => onlyInside(['signal', at.neighbour, 9]),
  'signal every process': () => ['signal', -1, 0],
  'signal its group': () => ['signal', 0, 0],
  'signal a thread of the host': (at) => ['signal a thread', at.pid],
  'signal a task of the host': (at) => ['signal a task', at.pid],
  'queue a signal for the host': (at) => ['queue a signal', at.pid],
  'queue a signal for a thread of the host': (at) => ['queue a signal to a thread', at.pid],
  'signal the host by a descriptor of the process': (at) => ['signal by a descriptor', at.pid],
  'signal the host by its folder in /proc': (at) => ['signal by a folder', at.pid],
  'take a descriptor of the host\'s': (at) => ['take a descriptor', at.pid],
  'let a pipe signal the host': (at) => ['make it the owner of a pipe', at.pid],
  'let a pipe signal the host, by its kind': (at) => ['make it the owner of a pipe by its kind', at.pid],
  'let a socket signal the host': (at) => ['make it the owner of a socket', at.pid],
  'trace the host': (at) => onlyInside(['trace', at.pid]),
  'trace another worker': (at) => onlyInside(['trace', at.neighbour]),
  'be traced': () => onlyInside(['be traced']),
  'read the memory of the host': (at) => ['read memory', at.pid],
  'write to the memory of the host': (at) => ['write memory', at.pid],
  'read the memory of another worker': (at) => ['read memory', at.neighbour],
  'compare itself with the host': (at) => ['compare', at.pid],
  'move pages of the host': (at) => ['move pages', at.pid],
  'limit the host': (at) => ['limit', at.pid],
  'slow the host down': (at) => ['slow down', at.pid],
  'bind the host to a processor': (at) => ['place', at.pid],
  'schedule the host otherwise': (at) => ['schedule', at.pid],
  'schedule the host otherwise by its parameter': (at) => ['schedule by its parameter', at.pid],
  'schedule the host otherwise by its attributes': (at) => ['schedule by its attributes', at.pid],
  'slow the host\'s group down': (at) => ['slow its group down', at.pid],
  'slow all processes of the user down': () => onlyInside(['slow its user down']),
  'slow the host\'s disk down': (at) => ['slow its disk down', at.pid],
  'slow the disk of the host\'s group down': (at) => ['slow the disk of its group down', at.pid],
  'slow the disk of the user down': () => onlyInside(['slow the disk of its user down']),
  'share a core with the host': (at) => onlyInside(['share its core', at.pid]),
  'read the host\'s priority': (at) => ['read its priority', at.pid],
  'read the host\'s priority at the disk': (at) => ['read its priority at the disk', at.pid],
  'read how the host is scheduled': (at) => ['read its scheduling', at.pid],
  'read the parameter that the host is scheduled by': (at) => ['read its parameter', at.pid],
  'read the attributes that the host is scheduled by': (at) => ['read its attributes', at.pid],
  'read the host\'s interval': (at) => ['read its interval', at.pid],
  'read the host\'s group': (at) => ['read its group', at.pid],
  'read the host\'s session': (at) => ['read its session', at.pid],
  'read the host\'s processor time': (at) => ['read its processor time', at.pid],
  'read the host\'s capabilities': (at) => ['read its capabilities', at.pid],
  'find the locks of the host': (at) => ['find its locks', at.pid],
  'migrate pages of the host': (at) => ['migrate its pages', at.pid],
  'advise the kernel of the host\'s memory': (at) => ['advise its memory', at.pid],
  'release the memory of the host': (at) => ['release its memory', at.pid],
  'be told of the host\'s processor time': (at) => onlyInside(['time by its clock', at.pid]),
  'let a timer signal the host': (at) => onlyInside(['signal by a timer', at.pid]),
  'move the host into another group': (at) => onlyInside(['move into a group', at.pid]),
  'join the host\'s group': (at) => onlyInside(['join its group', at.pid]),
  'take the terminal': () => onlyInside(['take the terminal']),
  'wait for the host': (at) => onlyInside(['wait for', at.pid]),
  'let the host trace it': (at) => onlyInside(['let it trace', at.pid]),
  'leave the group that is ended with it': () => onlyInside(['leave the group']),
  'leave the session': () => onlyInside(['leave the session']),
  'outlive the host': () => ['outlive the host'],
  'fork': () => ['fork'],
  'fork by the system call': () => ['fork by the system call'],
  'vfork': () => ['vfork'],
  'clone a process': () => ['clone'],
  'clone a process into a namespace': () => ['clone into a namespace'],
  'clone a sibling': () => onlyInside(['clone a sibling']),
  'clone a process by the newer call': () => ['clone3'],
  'spawn a program': () => ['posix_spawn', '/bin/true'],
  'run a command in a shell': () => ['system', 'true'],
  'read the output of a command': () => ['popen', 'true'],
  'become another program': () => onlyInside(['execve', '/bin/true']),
  'become a program that lies in memory': () => ['execute a memory file'],
  'explode into processes': () => ['fork bomb'],

  // The machine.
  'become another user': () => onlyInside(['setuid', 65534]),
  'become another user, and be able to come back': () => onlyInside(['setresuid', 65534]),
  'join another group': () => onlyInside(['setgid', 65534]),
  'leave its groups': () => onlyInside(['setgroups']),
  'take its capabilities back': () => ['capset'],
  'keep capabilities for later': () => ['keep capabilities'],
  'let its memory be dumped': () => ['be dumpable'],
  'change its personality': () => ['personality'],
  'make a namespace of users': () => ['unshare users'],
  'make a namespace of mounts': () => ['unshare mounts'],
  'enter another namespace': () => ['setns'],
  'mount a file system': () => ['mount'],
  'unmount a file system': () => ['umount'],
  'exchange the root file system': () => onlyInside(['pivot_root']),
  'open a tree of mounts': () => ['open_tree'],
  'open a file system': () => ['fsopen'],
  'move a mount': () => ['move_mount'],
  'load a program into the kernel': () => ['bpf'],
  'measure other processes': () => ['perf_event_open'],
  'use the kernel\'s keys': () => ['keyctl'],
  'add a key to the kernel\'s': () => ['add_key'],
  'handle page faults': () => ['userfaultfd'],
  'queue system calls past the filter': () => ['io_uring'],
  'load a module': () => onlyInside(['init_module']),
  'load a module from a file': () => onlyInside(['finit_module']),
  'unload a module': () => onlyInside(['delete_module']),
  'load another kernel': () => onlyInside(['kexec_load']),
  'reboot': () => onlyInside(['reboot']),
  'swap to a file': () => ['swapon'],
  'end swapping': () => ['swapoff'],
  'write accounts of processes': () => onlyInside(['acct']),
  'rename the machine': () => ['sethostname'],
  'rename its domain': () => ['setdomainname'],
  'set the clock': () => onlyInside(['settimeofday']),
  'set the clock by the newer call': () => ['clock_settime'],
  'adjust the clock': () => ['adjtimex'],
  'reach ports of devices': () => onlyInside(['ioperm']),
  'reach all ports of devices': () => onlyInside(['iopl']),
  'read the kernel\'s log': () => ['kernel log'],
  'watch a whole file system': () => ['fanotify'],
  'change its segments': () => onlyInside(['modify_ldt']),
  'exchange messages with other processes': () => ['message queue'],
  'share a semaphore with other processes': () => ['semaphore'],
  'exchange messages by name': () => onlyInside(['posix message queue', '/mcp-sandbox']),
  'put another filter on itself': () => ['another filter'],
  'call the kernel as a program of 32 bits does': () => onlyInside(['32-bit system call']),
};
