import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startNode } from '../support/nodeProcess.ts'

/** What the file `suite.json` of a suite says. */
interface Suite {
  /** Options of the node, as flags. */
  readonly node: readonly string[]
  /** Arguments of Node.js in the folder of the suite; the address of the node is in `NODE_URL`. */
  readonly run: readonly string[]
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

/**
 * @param clientName name of the node's program, in place of that of the suite
 * @returns the exit code of the suite
 */
async function run(name: string, clientName: string | undefined): Promise<number> {
  const folder = join(HERE, name)
  const suite = JSON.parse(readFileSync(join(folder, 'suite.json'), 'utf8')) as Suite
  for (const other of [name, ...(suite.with ?? [])]) install(join(HERE, other))
  const dataDir = mkdtempSync(join(tmpdir(), `rhizome-${name}-`))
  const node = await startNode({
    dataDir,
    args: [...suite.node, ...(clientName === undefined ? [] : ['--client-name', clientName])],
  })
  try {
    // None of the loaders that run this file: the suite is somebody else's program.
    const { NODE_OPTIONS: _, ...env } = process.env
    const child = spawn(process.execPath, suite.run, {
      cwd: folder,
      stdio: 'inherit',
      env: { ...env, NODE_URL: node.url, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', HOME: dataDir },
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    return code ?? 1
  } finally {
    await node.stop()
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
