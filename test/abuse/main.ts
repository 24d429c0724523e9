import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { processMemory } from '../fuzz/processMemory.ts'
import { type Attack, call } from './attack.ts'
import { manyFilters, manySubscriptions } from './filters.ts'
import { LightClient } from './lightClient.ts'
import { refusedFlood } from './refusedFlood.ts'
import {
  type AttackedServer,
  GENERATOR_CORE,
  KEY_PATH,
  LIGHT_PATH,
  startBare,
  startHosted,
} from './server.ts'
import { unreadHttp, unreadWebSockets } from './unread.ts'

const MEBIBYTE = 1024 * 1024
/** Requests a second of the light client. */
const LIGHT_RATE = 100
const MEMORY_PERIOD = 100
const QUIET_SECONDS = 3

interface Case {
  readonly attack: Attack
  /** Whether the node has keys; the light client then comes with one. */
  readonly withKeys: boolean
  /** Whether the socket library alone is put under the same attack. */
  readonly comparesBare: boolean
}

const CASES: readonly Case[] = [
  { attack: refusedFlood(1), withKeys: true, comparesBare: true },
  { attack: refusedFlood(2000), withKeys: true, comparesBare: true },
  { attack: manyFilters(280), withKeys: false, comparesBare: false },
  { attack: manyFilters(2000, 1400), withKeys: false, comparesBare: false },
  { attack: manySubscriptions(95), withKeys: false, comparesBare: false },
  { attack: unreadWebSockets(100), withKeys: true, comparesBare: false },
  { attack: unreadHttp(500), withKeys: true, comparesBare: false },
]

/** Runs an attack beside a light client, and prints one row. */
async function run({ attack, withKeys }: Case, name: string, server: AttackedServer): Promise<void> {
  const light = new LightClient(
    `http://127.0.0.1:${server.port}${withKeys ? LIGHT_PATH : '/'}`,
    call('eth_chainId'),
    LIGHT_RATE,
    // Not the attacker's, where clients are told apart by their address.
    withKeys ? '127.0.0.1' : '127.0.0.9',
  )
  let most = 0
  const own = () => (server.isAlive() ? processMemory(server.pid).own / MEBIBYTE : 0)
  const watch = setInterval(() => {
    most = Math.max(most, own())
  }, MEMORY_PERIOD)
  await sleep(QUIET_SECONDS * 1000)
  const running = attack.start({ port: server.port, keyPath: KEY_PATH })
  await sleep(attack.seconds * 1000)
  const { p50, p99, most: longest, failures } = await light.stop()
  const summary = running.summary()
  running.stop()
  await sleep(QUIET_SECONDS * 1000)
  clearInterval(watch)
  const cells = [
    attack.name,
    name,
    `${p50.toFixed(1)} / ${p99.toFixed(1)} / ${longest.toFixed(0)} ms`,
    String(failures),
    `${most.toFixed(0)} / ${own().toFixed(0)} MiB`,
    server.isAlive() ? 'runs' : 'ended',
    summary,
  ]
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

const { values } = parseArgs({
  options: { program: { type: 'string' }, name: { type: 'string' }, only: { type: 'string' } },
})
const program = values.program ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
execFileSync('taskset', ['-pc', GENERATOR_CORE, String(process.pid)])
process.stdout.write(
  '| attack | server | light client p50 / p99 / most | failures | own memory, most / afterwards | process | seen |\n|---|---|---|---|---|---|---|\n',
)
for (const one of CASES) {
  if (values.only !== undefined && !one.attack.name.includes(values.only)) continue
  if (one.comparesBare) {
    const bare = await startBare()
    await run(one, 'socket library alone', bare).finally(() => bare.stop())
  }
  const node = await startHosted(program, one.withKeys)
  await run(one, values.name ?? 'node', node).finally(() => node.stop())
}
