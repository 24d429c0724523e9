import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { cliArguments } from '../support/cli.ts'
import { askNode, freePort } from '../support/nodeProcess.ts'
import { LOADER, ROOT } from '../support/sources.ts'
import { testFolder } from '../support/testFolder.ts'

const POLL_MS = 50
const hasScript = spawnSync('script', ['--version']).status === 0
const NO_TERMINAL = !hasScript && process.env['CI'] !== 'true' && 'there is no script(1) to make a terminal'

const full = () => openSync('/dev/full', 'w')

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(NODE_|TAP|_TAPJS|RHIZOME_)/.test(name)),
  )
}

/** `rhizome` with these words. The test runner patches spawn: what it adds has to be taken off behind it. */
function words(args: readonly string[]): string[] {
  return ['env', '-u', 'NODE_OPTIONS', process.execPath, ...cliArguments(), ...args]
}

function run(args: readonly string[], stdio: readonly ('ignore' | 'pipe' | number)[]): ChildProcess {
  const [program = '', ...rest] = words(args)
  return spawn(program, rest, { env: environment(), stdio: [...stdio] })
}

interface Started {
  readonly url: string
  ask(method: string): Promise<unknown>
}

async function untilUp(t: Test, port: number, hasEnded: () => boolean): Promise<Started> {
  const url = `http://127.0.0.1:${port}`
  const ask = (method: string) => askNode(url, method, [])
  for (;;) {
    if (hasEnded()) {
      t.fail('it does not start')
      return { url, ask }
    }
    const up = await ask('eth_chainId').then(
      () => true,
      () => false,
    )
    if (up) return { url, ask }
    await sleep(POLL_MS)
  }
}

/** Pipes by name: what is read of them is up to the test. */
function pipe(t: Test): { readonly reader: number; readonly writer: number; readonly path: string } {
  const path = join(testFolder(t), 'pipe')
  spawnSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { reader, writer: openSync(path, 'w'), path }
}

/** A hang-up without a terminal: the node reads its configuration again, and logs that. */
async function logSomething({ ask }: Started, child: { kill(signal: NodeJS.Signals): unknown }) {
  for (let line = 0; line < 3; line += 1) {
    child.kill('SIGHUP')
    await ask('eth_blockNumber')
    await sleep(POLL_MS)
  }
}

const OUTPUTS: Readonly<Record<string, (t: Test) => { stdio: number[]; format?: string; cut?: () => void }>> =
  {
    'standard error on a full disk': () => ({ stdio: [openSync('/dev/null', 'w'), full()] }),
    'the same, log for people': () => ({ stdio: [openSync('/dev/null', 'w'), full()], format: 'pretty' }),
    'standard output on a full disk': () => ({ stdio: [full(), openSync('/dev/null', 'w')] }),
    'standard error whose reader has gone': (t) => {
      const { reader, writer } = pipe(t)
      return { stdio: [openSync('/dev/null', 'w'), writer], cut: () => closeSync(reader) }
    },
    'both outputs whose reader has gone before it started': (t) => {
      const { reader, writer } = pipe(t)
      closeSync(reader)
      return { stdio: [writer, writer] }
    },
    'standard error whose reader stands still': (t) => {
      const { writer, path } = pipe(t)
      const filler = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
      try {
        for (;;) writeSync(filler, Buffer.alloc(4096))
      } catch {
        // It is full.
      }
      return { stdio: [openSync('/dev/null', 'w'), writer] }
    },
  }

for (const [name, open] of Object.entries(OUTPUTS)) {
  t.test(`a node goes on and ends cleanly: ${name}`, async (t) => {
    const { stdio, cut, format = 'json' } = open(t)
    const port = await freePort()
    const args = ['--http-port', String(port), '--workers', '1', '--log-format', format]
    const child = run(['start', '--data-dir', testFolder(t), ...args], ['ignore', ...stdio])
    t.teardown(() => child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    const node = await untilUp(t, port, () => child.exitCode !== null)
    cut?.()
    await logSomething(node, child)
    t.equal(await node.ask('eth_blockNumber'), '0x0')
    child.kill('SIGTERM')
    t.strictSame(await ended, [0, null])
  })
}

t.test('worker threads that cannot log go on', async (t) => {
  const { reader, writer } = pipe(t)
  closeSync(reader)
  const entry = join(ROOT, 'test/support/logInThreads.ts')
  const child = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, '--import', LOADER, entry], {
    env: environment(),
    stdio: ['ignore', 'pipe', writer],
  })
  let said = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  t.strictSame(await once(child, 'close'), [0, null])
  t.equal(said, 'the worker has logged, the main thread has logged\n')
})

t.test('a command whose result nobody gets says so, and its progress may be lost', async (t) => {
  const dataDir = testFolder(t)
  const printing = ['config', 'show', '--data-dir', dataDir]
  const [lost] = await once(run(printing, ['ignore', full(), 'ignore']), 'exit')
  t.equal(lost, 1)
  const { reader, writer } = pipe(t)
  closeSync(reader)
  const child = run(printing, ['ignore', writer, 'pipe'])
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  t.strictSame(await once(child, 'close'), [1, null])
  t.match(said, /^error: the standard output could not be written: EPIPE[^\n]*\n$/)
  const [warned] = await once(
    run(['key', 'list', '--data-dir', dataDir], ['ignore', 'ignore', full()]),
    'exit',
  )
  t.equal(warned, 0)
})

/** A node at a terminal, which `close` closes; `code` is what the shell saw of its end. */
async function startAtTerminal(t: Test, input: string) {
  const folder = testFolder(t)
  const port = await freePort()
  const args = ['start', '--data-dir', join(folder, 'data'), '--http-port', String(port), '--workers', '1']
  const command = words(args)
    .map((word) => `'${word}'`)
    .join(' ')
  // The shell leads the session and gets the hang-up of the system, but has to tell how the node ended.
  const lines = [
    "trap '' HUP",
    'exec 3<&0',
    `${command} <${input} &`,
    'echo $! >pid',
    'wait $!',
    'echo $? >end',
  ]
  writeFileSync(join(folder, 'start.sh'), `${lines.join('\n')}\n`)
  const terminal = spawn('script', ['-qec', 'sh start.sh', '/dev/null'], {
    cwd: folder,
    env: environment(),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const read = (name: string) => {
    const path = join(folder, name)
    return existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  }
  const signal = (name: NodeJS.Signals) => {
    const pid = Number(read('pid'))
    if (pid === 0 || read('end') !== '') return
    try {
      process.kill(pid, name)
    } catch (error) {
      // It has ended, which the shell has not said yet.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
  t.teardown(() => {
    terminal.kill('SIGKILL')
    signal('SIGKILL')
  })
  const node = await untilUp(t, port, () => read('end') !== '' || terminal.exitCode !== null)
  const close = async () => {
    const closed = once(terminal, 'exit')
    terminal.kill('SIGKILL')
    await closed
  }
  const code = async () => {
    while (read('end') === '') await sleep(POLL_MS)
    return Number(read('end'))
  }
  return { node, signal, close, code }
}

t.test('a terminal that is closed stops the node cleanly', { skip: NO_TERMINAL }, async (t) => {
  const { signal, close, code } = await startAtTerminal(t, '&3')
  await close()
  // One comes from the shell of the terminal and one from the system, at any time until the end.
  const ended = code()
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  while (!hasEnded) {
    signal('SIGHUP')
    await sleep(1)
  }
  t.equal(await ended, 0)
})

t.test('a node in the background survives its terminal', { skip: NO_TERMINAL }, async (t) => {
  const { node, signal, close, code } = await startAtTerminal(t, '/dev/null')
  await close()
  await logSomething(node, { kill: signal })
  t.equal(await node.ask('eth_blockNumber'), '0x0')
  signal('SIGTERM')
  t.equal(await code(), 0)
})
