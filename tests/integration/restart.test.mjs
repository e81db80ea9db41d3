// A host that is exchanged for the next one while clients come: they wait at the socket, which is not the host's, and
// nobody is refused. With MCP_RESTART_SECONDS it takes longer, and prints what it counted.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { Components } from './support/components.mjs';
import { freePort } from './support/free_port.mjs';
import { argumentsOf, inProcess, program } from './support/host.mjs';
import { LogLines } from './support/log_lines.mjs';
import { Session } from './support/http.mjs';
import { ask } from './support/node_http.mjs';

const seconds = Number(process.env.MCP_RESTART_SECONDS ?? 3);
const perSecond = 200;
const restarts = Math.max(2, Math.floor(seconds / 5));
const skip = inProcess && 'it is the same';

// Holds the socket as systemd does, and starts the next host when the one before has ended; SIGHUP asks for that. Node
// cannot hold a socket at which it does not accept.
const holder = `
use IO::Socket::INET; use POSIX ();
$^F = 10;
my $socket = IO::Socket::INET->new(LocalAddr => shift @ARGV, Listen => 4096, ReuseAddr => 1) or die;
POSIX::dup2(fileno($socket), 3) unless fileno($socket) == 3;
my ($host, $goes_on) = (0, 1);
$SIG{HUP} = sub { kill 'TERM', $host };
$SIG{TERM} = sub { $goes_on = 0; kill 'TERM', $host };
my $signals = POSIX::SigSet->new(POSIX::SIGHUP(), POSIX::SIGTERM());
while ($goes_on) {
  # A host may serve, and be asked for, before it is known here which process it is.
  POSIX::sigprocmask(POSIX::SIG_BLOCK(), $signals);
  $host = fork;
  $SIG{HUP} = $SIG{TERM} = 'DEFAULT' if $host == 0;
  POSIX::sigprocmask(POSIX::SIG_UNBLOCK(), $signals);
  if ($host == 0) { $ENV{LISTEN_FDS} = 1; $ENV{LISTEN_PID} = $$; exec @ARGV }
  1 while waitpid($host, 0) < 0;
  exit 1 if $?;
}`;

test('ClientsThatComeWhileTheHostIsExchangedAreServed', { skip }, async (context) => {
  const components = await Components.create('slow');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const child = spawn('perl', ['-e', holder, `127.0.0.1:${port}`, program, ...argumentsOf('serve', components)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log = new LogLines(child.stderr);
  const ended = new Promise((resolve) => child.on('close', resolve));
  context.after(() => {
    child.kill('SIGTERM');
    return ended.finally(() => components.discard());
  });
  await log.until({ event: 'serving' });
  const session = await Session.open(url);

  const outcomes = {};
  const asked = [];
  const connect = async () => {
    let outcome;
    try {
      outcome = String((await ask(url, 'tools/list', {}, { agent: false })).status);
    } catch (error) {
      outcome = error.code ?? error.message;
    }
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  const begin = Date.now();
  let restarted = 0;
  for (let at = 0; at < seconds * 1000 || restarted < restarts; at = Date.now() - begin) {
    while (asked.length < (at / 1000) * perSecond) asked.push(connect());
    if (restarted < restarts && at > ((restarted + 0.5) * seconds * 1000) / restarts) {
      await log.untilTimes(restarted + 1, { event: 'serving' });
      child.kill('SIGHUP');
      ++restarted;
    }
    await setTimeout(5);
  }
  await Promise.all(asked);
  await log.untilTimes(restarts + 1, { event: 'serving' });
  if (process.env.MCP_RESTART_SECONDS) {
    console.log(`connections: ${asked.length}, refused or lost: ${asked.length - (outcomes[200] ?? 0)}, restarts: ${restarts}`);
  }
  assert.deepEqual(outcomes, { 200: asked.length });

  // A session was in the memory of the host before: the protocol has its client begin anew.
  assert.equal((await session.post({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).status, 404);
  const anew = await Session.open(url);
  assert.equal((await anew.post({ jsonrpc: '2.0', id: 2, method: 'tools/list' })).status, 200);
});
