// There is a worker for each plugin, so it links nothing that it does not need: each library costs every one of them a
// millisecond to start, and memory.
// usage: worker_libraries.mjs WORKER
import { execFileSync } from 'node:child_process';

const allowed = /^(libseccomp|libstdc\+\+|libgcc_s|libc|libm|libdl|libpthread|librt|ld-linux[\w-]*|libasan|libubsan|libtsan)\.so\.\d+$/;

const dynamic = execFileSync('readelf', ['-d', process.argv[2]], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
const needed = [...dynamic.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name);
const others = needed.filter((name) => !allowed.test(name));
console.log(`the worker needs ${needed.join(', ')}`);
if (!needed.some((name) => name.startsWith('libc.so'))) {
  console.error('readelf has not said what the worker needs');
  process.exitCode = 1;
}
if (others.length > 0) {
  console.error(`${others.join(', ')}: not wanted in a worker; see APART in cmake/Rooms.cmake`);
  process.exitCode = 1;
}
