// A local npm registry for tests. It serves packages from folders such as those in node_modules, and tarballs.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

interface Manifest {
  name: string;
  version: string;
}

interface RegistryPackage {
  manifest: Manifest;
  tarball: Buffer;
}

function packed(source: string, folder: string): RegistryPackage {
  const words = ['pack', source, '--pack-destination', folder, '--json', '--ignore-scripts', '--silent'];
  const [found] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8' })) as [{ filename: string }];
  return served(path.join(folder, found.filename));
}

function served(file: string): RegistryPackage {
  const text = execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' });
  return { manifest: JSON.parse(text) as Manifest, tarball: readFileSync(file) };
}

/**
 * Serves packages until the server is closed. Unknown packages get the answer 404, as from npm's own registry.
 * @param sources folders of packages, which are packed first, and tarballs
 * @param folder  folder for the tarballs of packed folders
 */
export async function openRegistry(
  sources: readonly string[],
  folder: string,
): Promise<{ server: Server; url: string }> {
  const all = sources.map((one) => (one.endsWith('.tgz') ? served(one) : packed(one, folder)));
  const server = createServer(({ url = '' }, response) => {
    const asked = decodeURIComponent(url.slice(1));
    const tarball = all.find(({ manifest }) => asked === `${manifest.name}/package.tgz`)?.tarball;
    if (tarball !== undefined) return response.end(tarball);
    const one = all.find(({ manifest }) => asked === manifest.name);
    if (one === undefined) return response.writeHead(404).end('{"error":"not found"}');
    const { name, version } = one.manifest;
    const integrity = `sha512-${createHash('sha512').update(one.tarball).digest('base64')}`;
    const dist = { tarball: `${address()}/${name}/package.tgz`, integrity };
    const versions = { [version]: { ...one.manifest, dist } };
    return response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  });
  const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: address() };
}
