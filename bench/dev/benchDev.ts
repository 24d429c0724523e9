import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { askNode } from '../../test/support/nodeProcess.ts'
import { readNamedBuilds } from '../namedBuilds.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, saveResults } from '../report/results.ts'
import { type Peer, startAnvil, startRhizome } from '../rpc/peers.ts'
import { ownMiB, processorSeconds, residentMiB } from '../rpc/processStats.ts'

export const DEV_HELP = `bench -- dev: what a development chain costs from its start on, beside anvil: the first answer, 1,000 empty blocks, 100
sends with their receipts, each on a node just started; writes bench/results/dev.{md,json}

  --runs N            turns of all, one after the other (default 7)
  --before NAME=DIR   another build, measured by turns with this one; its dist/cli/main.js is started
  --only NAMES        of the forms "in memory", durable and anvil those that are named, separated by commas; nothing is
                      written then`

const EMPTY_BLOCKS = 1000
const SENDS = 100
const TRANSFER_GAS = '0x5208'

/** What one node took, processor seconds of the whole process; MiB. */
interface Turn {
  readonly start: number
  readonly resident: number
  readonly own: number
  readonly blocks: number
  readonly sends: number
}

type Start = () => Promise<Peer | null>

/** Options of each form of the chain. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  'in memory': ['--in-memory', '--client-name', 'anvil'],
  durable: ['--client-name', 'anvil'],
}

/** `bench -- dev`. */
export async function benchDev(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '7' },
      before: { type: 'string', multiple: true, default: [] },
      only: { type: 'string' },
    },
  })
  const contenders = readContenders(values.before, values.only?.split(',') ?? null)
  const names = Object.keys(contenders)
  const turns = new Map<string, Turn[]>(names.map((name) => [name, []]))
  for (let run = 0; run < Number(values.runs); run += 1) {
    for (const name of run % 2 === 0 ? names : names.toReversed()) {
      const turn = await measure(contenders[name] as Start)
      if (turn !== null) turns.get(name)?.push(turn)
    }
  }
  const peer = turns.get('anvil') ?? []
  const rows = [...turns].flatMap(([name, list]) => (list.length === 0 ? [] : [rowOf(name, list, peer)]))
  if (values.only === undefined) saveResults('dev', describeMachine(), rows, Object.fromEntries(turns))
  else console.table(rows)
}

/** Each form in each build, and anvil, of those that are asked for. */
function readContenders(before: readonly string[], only: readonly string[] | null): Record<string, Start> {
  const builds: (readonly [name: string, program: string | undefined])[] = [
    ['', undefined],
    ...readNamedBuilds(before).map(
      ([name, folder]) => [`, ${name}`, join(folder, 'dist/cli/main.js')] as const,
    ),
  ]
  const forms = Object.entries(FORMS).flatMap(([form, args]) =>
    builds.map(([name, program]) => {
      const start: Start = () => startRhizome(args, `${form}${name}`, program)
      return { form, name: `${form}${name}`, start }
    }),
  )
  const all = [...forms, { form: 'anvil', name: 'anvil', start: startAnvil as Start }]
  const chosen = all.filter(({ form }) => only === null || only.includes(form))
  return Object.fromEntries(chosen.map(({ name, start }) => [name, start]))
}

async function measure(start: Start): Promise<Turn | null> {
  const first = await start()
  if (first?.pid == null) return null
  const turn = {
    start: processorSeconds(first.pid),
    resident: residentMiB(first.pid),
    own: ownMiB(first.pid),
  }
  const blocks = await secondsOf(first, async ({ url }) => {
    for (let block = 0; block < EMPTY_BLOCKS; block += 1) await askNode(url, 'evm_mine', [])
  })
  const second = await start()
  if (second?.pid == null) return null
  const sends = await secondsOf(second, async ({ url }) => {
    const [from, to] = await askNode<Hex[]>(url, 'eth_accounts', [])
    for (let send = 0; send < SENDS; send += 1) {
      const transaction = { from, to, value: '0x1', gas: TRANSFER_GAS }
      const hash = await askNode<Hex>(url, 'eth_sendTransaction', [transaction])
      while ((await askNode<object | null>(url, 'eth_getTransactionReceipt', [hash])) === null);
    }
  })
  return { ...turn, blocks, sends }
}

/** Processor seconds of some work, after which the node ends. */
async function secondsOf(peer: Peer, work: (peer: Peer) => Promise<void>): Promise<number> {
  const pid = peer.pid ?? 0
  const before = processorSeconds(pid)
  await work(peer)
  const used = processorSeconds(pid) - before
  await peer.stop()
  return used
}

function rowOf(name: string, turns: readonly Turn[], peer: readonly Turn[]): Row {
  const of = (list: readonly Turn[], part: keyof Turn) => median(list.map((turn) => turn[part]))
  const beside = (part: keyof Turn) =>
    peer.length === 0 ? '' : ` (${(of(turns, part) / of(peer, part)).toFixed(2)} ×)`
  return {
    node: name,
    'first answer, s': of(turns, 'start').toFixed(2),
    'MiB then': `${of(turns, 'resident').toFixed(0)}, own ${of(turns, 'own').toFixed(0)}`,
    '1,000 empty blocks, s': `${of(turns, 'blocks').toFixed(2)}${beside('blocks')}`,
    '100 sends with receipts, s': `${of(turns, 'sends').toFixed(2)}${beside('sends')}`,
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
