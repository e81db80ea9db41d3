// A process that burns processor time until it is killed, or whoever forked it is gone.
process.on('disconnect', () => process.exit(0));
process.send('burning');
function burn() {
  const end = performance.now() + 100;
  while (performance.now() < end);
  setImmediate(burn);
}
setImmediate(burn);
