import { execFileSync } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { processMemory } from '../fuzz/processMemory.ts'
import type { AttackTarget } from './attack.ts'
import { startAttack } from './attackProcess.ts'
import { Neighbour, type NeighbourStats } from './neighbour.ts'
import { type Attacker, SCENES, type Scene } from './scenes.ts'
import {
  type AttackedServer,
  GENERATOR_CORE,
  KEY_PATH,
  LIGHT_PATH,
  startBare,
  startHosted,
} from './server.ts'

const MEBIBYTE = 1024 * 1024

/** Milliseconds from one request of the neighbour to the next, unless an answer takes longer. */
const NEIGHBOUR_PERIOD = 20
const MEMORY_PERIOD = 100
/** Part of the time of an attack for which the neighbour is measured alone before it. */
const ALONE = 0.4
/** For which memory may go back to the system. */
const AFTER_SECONDS = 5

/** Not the attackers', where clients are told apart by their address. */
const NEIGHBOUR_ADDRESS = '127.0.0.99'
/** Addresses of strangers: so many have a limit of WebSockets each. */
const STRANGERS = Array.from({ length: 15 }, (_, i) => `127.0.1.${i + 1}`)

/** What is promised under attack: bytes of the node's own, and milliseconds more than twice of those alone. */
const MAX_MEMORY = 1024 * MEBIBYTE
const MORE = 5
const MIN_ANSWERS = 1000

const { values } = parseArgs({
  options: {
    program: { type: 'string' },
    name: { type: 'string' },
    only: { type: 'string' },
    by: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    niceness: { type: 'string', default: '19' },
  },
})

function targetOf(by: Attacker, port: number): AttackTarget {
  const path = by === 'customer' ? KEY_PATH : '/'
  return { port, path, addresses: by === 'stranger' ? STRANGERS : ['127.0.0.1'] }
}

/** Where that is allowed, other programs are not to keep a process that is measured from the processor. */
function bringForward(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_HIGH)
  } catch {
    // Then the machine has to be quiet.
  }
}

async function alone(server: AttackedServer, seconds: number): Promise<NeighbourStats> {
  const neighbour = neighbourOf(server)
  await sleep(seconds * 1000)
  return await neighbour.stop()
}

function neighbourOf({ pid, port }: AttackedServer): Neighbour {
  return new Neighbour(pid, port, LIGHT_PATH, NEIGHBOUR_ADDRESS, NEIGHBOUR_PERIOD)
}

/** Runs a scene beside a neighbour, and prints one row. */
async function run(scene: Scene, name: string, server: AttackedServer, seconds: number): Promise<void> {
  bringForward(server.pid)
  const quiet = await alone(server, seconds * ALONE)
  let most = 0
  const own = () => (server.isAlive() ? processMemory(server.pid).own : 0)
  const watch = setInterval(() => {
    most = Math.max(most, own())
  }, MEMORY_PERIOD)
  const attacks = scene.attacks.map((attack) =>
    startAttack(attack.name, targetOf(scene.by, server.port), Number(values.niceness)),
  )
  const neighbour = neighbourOf(server)
  await sleep(seconds * 1000)
  const stats = await neighbour.stop()
  const seen = await Promise.all(attacks.map((attack) => attack.stop()))
  await sleep(AFTER_SECONDS * 1000)
  clearInterval(watch)
  const isKept =
    server.isAlive() && most < MAX_MEMORY && stats.answers >= MIN_ANSWERS && stats.p99 <= 2 * quiet.p99 + MORE
  const cells = [
    scene.name,
    scene.by,
    name,
    `${quiet.p50.toFixed(2)} / ${quiet.p99.toFixed(2)}`,
    `${stats.p50.toFixed(2)} / ${stats.p99.toFixed(2)} / ${stats.most.toFixed(0)}`,
    `${stats.answers} (${stats.missing} missing)`,
    `${(most / MEBIBYTE).toFixed(0)} / ${(own() / MEBIBYTE).toFixed(0)}`,
    server.isAlive() ? (isKept ? 'kept' : 'not kept') : 'ended',
    seen.join('; '),
  ]
  process.stdout.write(`| ${cells.join(' | ')} |\n`)
}

const program = values.program ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
execFileSync('taskset', ['-apc', GENERATOR_CORE, String(process.pid)])
bringForward(process.pid)
process.stdout.write(
  '| attack | by | server | neighbour alone, ms, p50 / p99 | under attack, p50 / p99 / most | answers | own memory, MiB, most / afterwards | promise | seen |\n|---|---|---|---|---|---|---|---|---|\n',
)
for (const scene of SCENES) {
  if (values.only !== undefined && !scene.name.includes(values.only)) continue
  if (values.by !== undefined && scene.by !== values.by) continue
  const seconds = Number(values.seconds)
  if (scene.comparesBare) {
    const bare = await startBare()
    await run(scene, 'socket library alone', bare, seconds).finally(() => bare.stop())
  }
  const node = await startHosted(program, scene.by === 'nobody' ? 'auto' : 'never')
  await run(scene, values.name ?? 'node', node, seconds).finally(() => node.stop())
}
