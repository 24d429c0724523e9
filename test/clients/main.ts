import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { prepareUpstream } from '../e2e/forkProjects.ts'
import { asking } from '../fork/upstreamChain.ts'
import { type NodeProcess, startNode } from '../support/nodeProcess.ts'

/** What the file `suite.json` of a suite says. */
interface Suite {
  /** Options of the node, as flags. */
  readonly node: readonly string[]
  /** Arguments of Node.js in the folder of the suite; the address of the node is in `NODE_URL`. */
  readonly run: readonly string[]
  /**
   * True where the node is a fork of another one that has protocols of lending and minting: `UPSTREAM_URL` has its
   * address, `TOKEN`, `ORACLE`, `LOANS`, `STABLE` and `WHALE` those of the contracts and of an account with tokens.
   */
  readonly forks?: boolean
  /** Other suites whose packages it uses. */
  readonly with?: readonly string[]
}

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** Suites have their packages and lock file to themselves: nothing of them is installed with the node. */
function install(folder: string): void {
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return
  const options = { cwd: folder, stdio: 'inherit' } as const
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options)
}

/** A node that another one forks. */
interface Forked {
  readonly upstream: NodeProcess
  /** Options of the node that forks it. */
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

async function openUpstream(dataDir: string): Promise<Forked> {
  const upstream = await startNode({ dataDir: join(dataDir, 'upstream') })
  try {
    const { protocols, head } = await prepareUpstream(asking(upstream.url))
    const { token, oracle, loans, stable, whale } = protocols
    const cache = join(dataDir, 'answers')
    return {
      upstream,
      args: ['--fork-url', upstream.url, '--fork-block', String(head), '--fork-cache', cache],
      env: {
        ...{ UPSTREAM_URL: upstream.url, TOKEN: token, ORACLE: oracle },
        ...{ LOANS: loans, STABLE: stable, WHALE: whale },
      },
    }
  } catch (error) {
    await upstream.stop()
    throw error
  }
}

/**
 * @param clientName name of the node's program, in place of that of the suite
 * @returns the exit code of the suite
 */
async function run(name: string, clientName: string | undefined): Promise<number> {
  const folder = join(HERE, name)
  const suite = JSON.parse(readFileSync(join(folder, 'suite.json'), 'utf8')) as Suite
  for (const other of [name, ...(suite.with ?? [])]) install(join(HERE, other))
  const dataDir = mkdtempSync(join(tmpdir(), `rhizome-${name}-`))
  const forked = suite.forks === true ? await openUpstream(dataDir) : null
  let node: NodeProcess | null = null
  try {
    node = await startNode({
      dataDir: join(dataDir, 'node'),
      args: [
        ...suite.node,
        ...(forked?.args ?? []),
        ...(clientName === undefined ? [] : ['--client-name', clientName]),
      ],
    })
    // None of the loaders that run this file: the suite is somebody else's program.
    const { NODE_OPTIONS: _, ...env } = process.env
    const child = spawn(process.execPath, suite.run, {
      cwd: folder,
      stdio: 'inherit',
      env: {
        ...env,
        ...forked?.env,
        NODE_URL: node.url,
        HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
        HOME: dataDir,
      },
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    return code ?? 1
  } finally {
    await node?.stop()
    await forked?.upstream.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const known = readdirSync(HERE).filter((name) => existsSync(join(HERE, name, 'suite.json')))
const { values, positionals: asked } = parseArgs({
  options: { 'client-name': { type: 'string' } },
  allowPositionals: true,
})
const unknown = asked.filter((name) => !known.includes(name))
if (unknown.length > 0 || asked.length === 0) {
  console.log(`npm run clients -- [--client-name NAME] SUITE...\nsuites: ${known.join(', ')}`)
  process.exitCode = unknown.length > 0 ? 1 : 0
} else {
  for (const name of asked) {
    const code = await run(name, values['client-name'])
    console.log(`${name}: ${code === 0 ? 'passed' : `failed with code ${code}`}`)
    if (code !== 0) process.exitCode = 1
  }
}
