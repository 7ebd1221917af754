/**
 * Packages the agent as one executable: an esbuild bundle inside a copy of Node (single executable application).
 *
 * Node is stripped before the bundle is added, because stripping afterwards can remove the bundle. See
 * docs/decisions/0005-packaging.md.
 */
import { chmod, copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { verifyNode } from './node-binary.ts';
import { run } from './run.ts';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const NODE = join(ROOT, 'node_modules/node/bin/node');
/** Marks the position in the binary where Node looks for the bundle (Node docs, single executable applications). */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The version of the Node for the ramdisk. */
export async function nodeVersion(signal: AbortSignal): Promise<string> {
  await verifyNode(NODE);
  return (await run(NODE, ['--version'], { signal })).trim();
}

export interface AgentExecutable {
  readonly path: string;
  readonly bytes: number;
}

export async function buildAgentExecutable(options: {
  readonly outDir: string;
  /** The file that bundleAgent wrote. */
  readonly bundle: string;
  readonly signal: AbortSignal;
}): Promise<AgentExecutable> {
  const { outDir, signal } = options;
  await mkdir(outDir, { recursive: true });
  const bundle = join(outDir, 'agent.cjs');
  await copyFile(options.bundle, bundle);
  const blob = join(outDir, 'agent.blob');
  const configuration = join(outDir, 'sea.json');
  // Names without directories, because the blob contains them and must not depend on the build directory.
  const sea = {
    main: basename(bundle),
    output: basename(blob),
    disableExperimentalSEAWarning: true,
    useCodeCache: true,
  };
  await writeFile(configuration, JSON.stringify(sea));
  const path = join(outDir, 'ingot-agent');
  await copyFile(NODE, path);
  await verifyNode(path);
  await chmod(path, 0o755);
  await run('strip', [path], { signal });
  // The blob is made with the stripped copy, because the code cache must match the binary. With a fixed seed the cache
  // is the same in each build. V8 accepts the cache without the seed, so the agent runs without it.
  await run(path, ['--random-seed=1', '--experimental-sea-config', basename(configuration)], {
    cwd: outDir,
    signal,
  });
  await run(
    process.execPath,
    [join(ROOT, 'node_modules/postject/dist/cli.js'), path, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE],
    { signal },
  );
  await Promise.all([rm(blob), rm(configuration)]);
  return { path, bytes: (await stat(path)).size };
}

/** Bundles into one CommonJS file, the only form that a single executable application supports. */
export async function bundleAgent(entry: string, outfile: string): Promise<void> {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    logLevel: 'error',
  });
}
