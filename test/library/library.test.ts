import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import ts from 'typescript'
import type {
  DevelopmentNode,
  DevelopmentNodeError,
  DevelopmentNodeOptions,
} from '../../src/library/developmentNode.ts'
import { buildPackage, runNode } from '../support/builtPackage.ts'
import { askNode } from '../support/nodeProcess.ts'
import { ROOT } from '../support/sources.ts'
import { testFolder } from '../support/testFolder.ts'

/** Starts one after the other; `STARTS=50` is the long run. */
const STARTS = Number(process.env['STARTS'] ?? 8)
const PROCESSES = ['same', 'child'] as const

interface Left {
  readonly resources: readonly string[]
  readonly descriptors: number
  readonly threads: number
  readonly listeners: readonly string[]
  readonly residentMegabytes: number
}

/** What `manyStarts.mjs` prints. */
interface ManyStarts {
  readonly listeners: readonly string[]
  readonly before: Left
  readonly after: Left
  readonly answers: readonly string[]
  readonly ends: readonly string[]
  readonly unhandled: number
}

t.before(buildPackage)

async function start(t: Test, options: DevelopmentNodeOptions = {}): Promise<DevelopmentNode> {
  const { createNode } = await import('rhizome')
  const node = await createNode(options)
  t.teardown(() => node.stop())
  return node
}

t.test('two nodes at once, in either place, know nothing of one another', async (t) => {
  for (const place of PROCESSES) {
    const [one, two] = await Promise.all([start(t, { process: place }), start(t, { process: place })])
    t.not(one.port, two.port)
    await askNode(one.url, 'evm_mine', [])
    t.equal(await askNode(one.url, 'eth_blockNumber', []), '0x1')
    t.equal(await askNode(two.url, 'eth_blockNumber', []), '0x0')
    await one.stop()
    t.equal(await askNode(two.url, 'eth_blockNumber', []), '0x0')
    t.equal(one.stop(), one.stop(), 'a second stop is the first')
    await t.rejects(askNode(one.url, 'eth_blockNumber', []))
  }
})

t.test('many starts leave no handle, no listener, and end no process', async (t) => {
  for (const [place, times] of [
    ['same', STARTS],
    ['child', 3],
  ] as const) {
    const { code, stdout, stderr } = await runNode(['test/library/manyStarts.mjs', String(times), place])
    t.equal(code, 0, stderr)
    const { listeners, before, after, answers, ends, unhandled } = JSON.parse(stdout) as ManyStarts
    t.same(answers, Array(times).fill('0x7'))
    const { residentMegabytes: was, ...kept } = before
    const { residentMegabytes: is, ...left } = after
    t.same(left, kept, 'resources, descriptors, threads and listeners are those of before')
    // lmdb-js closes what is open at the end of the process, from its first store on.
    const ofNodes = (names: readonly string[]) => names.filter((name) => !name.startsWith('exit '))
    t.same(ofNodes(after.listeners), ofNodes(listeners), 'nobody listens to signals or errors')
    t.same(ends, [])
    t.equal(unhandled, 0)
    t.comment(`${place}: ${was} MiB resident after the first node, ${is} MiB after ${times}`)
  }
})

t.test('what does not start says why and leaves nothing', async (t) => {
  const { createNode, DevelopmentNodeError: Refused } = await import('rhizome')
  const running = await start(t)
  const dataDir = testFolder(t)
  const keeper = await start(t, { dataDir })
  const before = temporaryFolders()
  const refused = async (options: object, code: string, message: RegExp) => {
    const error = await createNode(options).then(
      () => null,
      (thrown: DevelopmentNodeError) => thrown,
    )
    t.ok(error instanceof Refused)
    t.match(error, { code, message })
  }
  for (const place of PROCESSES) {
    await refused({ process: place, port: running.port }, 'LISTEN_FAILED', /is the port in use/)
    await refused({ process: place, host: '0.0.0.0' }, 'EXPOSED', /everybody who reaches the machine/)
  }
  await refused({ dataDir }, 'DATA_DIR_LOCKED', /another/)
  await refused({ prot: 1 }, 'UnknownOption', /^createNode: prot is no option/)
  await refused({ port: 70_000 }, 'InvalidValue', /expected integer from 0 to 65535, got 70000/)
  await refused({ config: { callGasCap: 'x' } }, 'InvalidValue', /^createNode: callGasCap: expected integer/)
  await refused({ config: { tlsCert: '/a' } }, 'Conflict', /belong together/)
  await refused({ network: 'main' }, 'InvalidValue', /regtest, devnet/)
  await refused({ process: 'thread' }, 'InvalidValue', /same, child/)
  await refused({ accounts: { count: 11 } }, 'InvalidValue', /from 0 to 10/)
  await refused({ signal: AbortSignal.abort() }, 'ABORTED', /while it started/)
  t.same(temporaryFolders(), before)
  await keeper.stop()
  t.equal(await askNode(running.url, 'eth_blockNumber', []), '0x0', 'others go on')
})

t.test('a signal stops a node, also while it starts', async (t) => {
  const { createNode } = await import('rhizome')
  for (const place of PROCESSES) {
    const before = temporaryFolders()
    const early = new AbortController()
    const starting = createNode({ process: place, signal: early.signal })
    early.abort()
    await t.rejects(starting, { code: 'ABORTED' })
    t.same(temporaryFolders(), before)
    const late = new AbortController()
    const node = await start(t, { process: place, signal: late.signal })
    late.abort()
    await node.stop()
    t.same(temporaryFolders(), before)
  }
})

t.test('a folder that is given is kept, and accounts have what they are to have', async (t) => {
  const dataDir = testFolder(t)
  const options = {
    dataDir,
    accounts: { count: 2, balance: 3n },
    automine: false,
    config: { safeDistance: 1 },
  }
  const first = await start(t, options)
  t.equal(first.accounts.length, 2)
  t.equal(first.chainId, 33)
  t.equal(await askNode(first.url, 'eth_getBalance', [first.accounts[1]?.address, 'latest']), '0x3')
  await askNode(first.url, 'evm_mine', [])
  await first.stop()
  const again = await start(t, { ...options, process: 'child' })
  t.equal(await askNode(again.url, 'eth_blockNumber', []), '0x1')
})

t.test('a node in a process of its own ends with its parent, and its end is told', async (t) => {
  const before = temporaryFolders()
  const parent = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, 'test/library/orphan.mjs'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(parent.stdout, 'data')) as [Buffer]
  t.equal(await askNode(String(url), 'eth_blockNumber', []), '0x0')
  parent.kill('SIGKILL')
  await until(async () => (await askNode(String(url), 'eth_blockNumber', []).catch(() => null)) === null)
  await until(async () => temporaryFolders().length === before.length)

  const node = await start(t, { process: 'child' })
  const [child] = childrenOf(process.pid)
  if (child === undefined) throw new Error('the node has no process')
  process.kill(child, 'SIGKILL')
  await t.rejects(node.failed, { code: 'CHILD_ENDED', message: /SIGKILL/ })
  await node.stop()
  t.same(temporaryFolders(), before)
})

t.test('the examples run', async (t) => {
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/examples/vitest/vitest.config.ts',
  ]
  for (const args of [['--test', 'test/examples/nodeTest/token.test.mjs'], vitest]) {
    const { code, stdout, stderr } = await runNode(args)
    t.equal(code, 0, stdout + stderr)
  }
})

t.test('the types resolve without the types of Node.js, and need no other room', (t) => {
  const file = join(ROOT, 'test/library/usage.mts')
  for (const [module, moduleResolution] of [
    [ts.ModuleKind.Node16, ts.ModuleResolutionKind.Node16],
    [ts.ModuleKind.Preserve, ts.ModuleResolutionKind.Bundler],
  ] as const) {
    const program = ts.createProgram([file], {
      ...{
        module,
        moduleResolution,
        target: ts.ScriptTarget.ES2022,
        lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      },
      ...{ strict: true, noEmit: true, skipLibCheck: false, types: [] },
    })
    const messages = ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)
    t.same(messages, [])
    const used = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(ROOT, 'dist')))
    t.same(
      used
        .map(({ fileName }) => fileName.slice(ROOT.length))
        .filter((name) => !/dist\/(config|library)\//.test(name)),
      [],
    )
    t.ok(used.length > 0)
  }
  t.end()
})

/** Folders of nodes that end with them. */
function temporaryFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => /^rhizome-[A-Za-z0-9]{6}$/.test(name))
}

/** Processes that a process started and that run the entry of nodes. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((id) => id > 0 && isNodeOf(id, parent))
}

function isNodeOf(id: number, parent: number): boolean {
  try {
    const status = readFileSync(`/proc/${id}/status`, 'utf8')
    const words = readFileSync(`/proc/${id}/cmdline`, 'utf8')
    return status.includes(`PPid:\t${parent}\n`) && words.includes('library/childMain.js')
  } catch {
    // It ended meanwhile.
    return false
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50))
}
