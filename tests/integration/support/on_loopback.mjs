// Loaded before a program that listens on all addresses, so that it listens on this machine's own.
import net from 'node:net';

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function onLoopback(port, ...rest) {
  return listen.call(this, { port: Number(port), host: '127.0.0.1' }, ...rest.filter((each) => typeof each === 'function'));
};
