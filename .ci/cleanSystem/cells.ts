import { type Attempt, untilAnswer } from './answer.ts'
import type { Mount } from './machine.ts'
import type { ReadmeCommands } from './readme.ts'
import { refusal } from './refusal.ts'
import type { CleanRoot, RunOptions } from './root.ts'
import { CELLS, type Cell, type NodeRelease, RELEASE_TESTS, type System } from './systems.ts'
import type { Row } from './table.ts'

/** Where the checkout is cloned to in a root. */
export const CLONE = '/home/rhizome'
const DATA = '/root/.rhizome'
/** What stays between the cells of a system: the built native core. */
const KEPT = 'native/target'

/** What the cells of one system share. */
export interface Bench {
  readonly root: CleanRoot
  readonly system: System
  readonly commands: ReadmeCommands
  readonly nodes: ReadonlyMap<NodeRelease, Mount>
  readonly log: (line: string) => void
}

/** What a command with a Node.js in a folder of the root takes. Throws when that Node.js was not fetched. */
export function nodeOptions(bench: Bench, node: NodeRelease, folder: string): RunOptions {
  const mount = bench.nodes.get(node)
  if (mount === undefined) throw new Error(`Node.js ${node.version} was not fetched`)
  return { folder, mounts: [mount], onLine: bench.log }
}

/** Clones the checkout, which lies at /source.git in the root, at a commit into an empty folder. */
export async function clone(bench: Bench, commit: string): Promise<void> {
  await bench.root.run(`git clone --quiet /source.git ${CLONE}`, { onLine: bench.log })
  await bench.root.run(`git checkout --quiet --detach ${commit}`, { folder: CLONE, onLine: bench.log })
}

/** Bytes on disk below a folder of the root. */
export async function bytesOf(bench: Bench, folder: string): Promise<number> {
  const lines = await bench.root.run(`du --summarize --block-size=1 ${folder}`)
  return Number.parseInt(lines.at(-1) ?? '', 10)
}

/** Runs a cell. What fails in it is in its row: only a root that does not work throws. */
export async function runCell(bench: Bench, cell: Cell): Promise<Row[]> {
  return cell.expected === 'answers' ? [await firstCommand(bench, cell)] : await refusals(bench, cell)
}

async function firstCommand(bench: Bench, { system, node }: Cell): Promise<Row> {
  await bench.root.run(`git clean -dffxq --exclude=/${KEPT} && rm -rf ${DATA}`, { folder: CLONE })
  const command = bench.commands.start
  const attempt = await untilAnswer(bench.root, command, nodeOptions(bench, node, CLONE))
  return {
    ...rowOf(system, node, command, attempt),
    passed: attempt.answered,
    outcome: attempt.answered ? 'answers' : `exit ${attempt.status}`,
    bytes: await bytesOf(bench, CLONE),
  }
}

/** What was installed with another Node.js is started with this one, then it is installed with this one. */
async function refusals(bench: Bench, { system, node }: Cell): Promise<Row[]> {
  const working = CELLS.filter((cell) => cell.system === system && cell.expected === 'answers')
  const rows: Row[] = []
  for (const command of ['npm start', 'npm ci']) {
    const attempt = await untilAnswer(bench.root, command, nodeOptions(bench, node, CLONE))
    const sentence =
      attempt.status === 0
        ? null
        : refusal(
            attempt.lines,
            working.map((cell) => cell.node.major),
          )
    rows.push({
      ...rowOf(system, node, command, attempt),
      passed: sentence !== null,
      outcome:
        sentence === null ? `no refusal in one sentence (exit ${attempt.status})` : `refused: ${sentence}`,
      bytes: null,
    })
  }
  return rows
}

/** README's command for the tests, to its end: this takes as long as the tests do. */
export async function testCommand(bench: Bench, cell: Cell): Promise<Row> {
  await bench.root.run('git clean -dffxq', { folder: CLONE })
  return toSummary(bench, cell, bench.commands.test)
}

/** What README's first command installed and built passes some tests, which elsewhere run with another build of the core. */
export function releaseTests(bench: Bench, cell: Cell): Promise<Row> {
  return toSummary(bench, cell, `npm test -- ${RELEASE_TESTS.join(' ')}`)
}

/** Runs a command for tests to its end. */
async function toSummary(bench: Bench, { system, node }: Cell, command: string): Promise<Row> {
  const began = performance.now()
  const running = bench.root.start(command, nodeOptions(bench, node, CLONE))
  const status = await running.ended
  const summary = running.lines.filter((line) => /^# \{ total: \d+/.test(line)).at(-1)
  return {
    system: system.name,
    node: node.version,
    command,
    passed: status === 0,
    outcome: `exit ${status}${summary === undefined ? '' : `, ${summary.slice(2)}`}`,
    seconds: (performance.now() - began) / 1000,
    firstAnswer: null,
    bytes: await bytesOf(bench, CLONE),
  }
}

export const rowOf = (system: System, node: NodeRelease, command: string, attempt: Attempt) => ({
  system: system.name,
  node: node.version,
  command,
  seconds: attempt.total,
  firstAnswer: attempt.answered ? attempt.start : null,
})
