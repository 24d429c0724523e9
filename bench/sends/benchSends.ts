import { Generator, type LoadStats } from '../load/generator.ts'
import { describeMachine } from '../report/machine.ts'
import { type Row, type Section, saveSections } from '../report/results.ts'
import { type Peer, startAnvil, startGeth, startRhizome } from '../rpc/peers.ts'
import { processorTimes } from '../rpc/processStats.ts'
import { readSendsOptions, type SendsOptions } from './options.ts'
import { type FunctionShare, PROFILED, Profile } from './profile.ts'
import { prepareSends, type SendScene } from './scene.ts'
import { type ThreadTime, threadTimes, usedBetween } from './threads.ts'

const SECONDS_LIMIT = 120
/** Gas limit for a block of one second of transfers, as that of anvil. */
const EVERY_SECOND = ['--block-time', '1', '--target-gas-limit', '30000000']
/** A turn has more transactions than the blocks have room for after which one leaves the pool. */
const STAYING = ['--outdated-blocks', '1000']
/** Threads and functions that are listed have at least so many microseconds of a send. */
const MIN_SHOWN_MICROSECONDS = 0.3

/** Whoever is sent to. */
interface Side {
  readonly name: string
  readonly peer: Peer
  readonly pid: number
  readonly scene: SendScene
}

/** One turn of a side. Microseconds are for one send. */
interface Turn {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Processor time until everything was answered. */
  readonly taken: number
  /** The part of it in the kernel. */
  readonly system: number
  /** Processor time until everything was mined; not a number where it was not. */
  readonly mined: number
  readonly threads: readonly ThreadTime[]
}

/** `bench -- sends`. */
export async function benchSends(args: string[]): Promise<void> {
  const options = readSendsOptions(args)
  const machine = describeMachine()
  const generator = new Generator()
  const sides: Side[] = []
  try {
    if (!options.fresh) {
      for (const start of startsOf(options)) {
        const side = await openSide(start, options)
        if (side !== null) sides.push(side)
      }
    }
    const turns = options.fresh
      ? await measureFresh(options, generator)
      : await measureTurns(sides, options, generator)
    const sections: Section[] = [
      {
        title: options.instant ? 'Sends, a block as soon as something waits' : 'Sends, a block every second',
        note:
          `Medians of ${options.runs} turns${options.fresh ? ', each of a node that has just started,' : ''} of ` +
          `${options.accounts * options.perAccount} transfers of ${options.accounts} accounts over ${options.connections} connections. Processor time is that of the whole ` +
          'process for one send: until all were answered, and until all were mined.',
        rows: [...turns].map(([name, list]) => rowOf(name, list)),
      },
      {
        title: 'Threads',
        note: 'Microseconds of each thread for one send, until all were answered; in the order of their start.',
        rows: [...turns].flatMap(([name, list]) => threadRows(name, list)),
      },
    ]
    if (options.profile) sections.push(await profileSection(options, generator))
    saveSections('sends', machine, sections, { options, turns: Object.fromEntries(turns) })
  } finally {
    await Promise.all(sides.map(({ peer }) => peer.stop()))
    generator.close()
  }
}

type Start = () => Promise<Peer | null>

function startsOf(options: SendsOptions): Start[] {
  const args = nodeArguments(options)
  return [
    ...buildsOf(options).map(
      ([name, program]): Start =>
        () =>
          startRhizome(args, name, program),
    ),
    ...(options.alone
      ? []
      : [
          () => startAnvil(options.instant ? [] : ['--block-time', '1']),
          () => startGeth(options.instant ? [] : ['--dev.period', '1', '--dev.gaslimit', '30000000']),
        ]),
  ]
}

/** A node with the accounts that send; null where the program is not installed. */
async function openSide(start: Start, options: SendsOptions): Promise<Side | null> {
  const peer = await start()
  if (peer?.pid == null) return null
  return { name: peer.name, peer, pid: peer.pid, scene: await prepareSends(peer, options) }
}

/** The first load of nodes, each started for its turn. */
async function measureFresh(options: SendsOptions, generator: Generator): Promise<Map<string, Turn[]>> {
  const turns = new Map<string, Turn[]>()
  const starts = startsOf(options)
  for (let run = 0; run < options.runs; run += 1) {
    for (const start of run % 2 === 0 ? starts : starts.toReversed()) {
      const side = await openSide(start, options)
      if (side === null) continue
      try {
        const turn = await measure(side, options.connections, generator)
        turns.set(side.name, [...(turns.get(side.name) ?? []), turn])
      } finally {
        await side.peer.stop()
      }
    }
  }
  // This build first, then the others in their order.
  return new Map([...turns].toSorted(([a], [b]) => orderOf(a, options) - orderOf(b, options)))
}

function orderOf(name: string, options: SendsOptions): number {
  const index = buildsOf(options).findIndex(([build]) => build === name)
  return index === -1 ? Number.MAX_SAFE_INTEGER : index
}

function nodeArguments({ instant }: SendsOptions): readonly string[] {
  return [...STAYING, ...(instant ? [] : EVERY_SECOND)]
}

function buildsOf({ before }: SendsOptions): (readonly [name: string, program: string | undefined])[] {
  return [
    ['this build', undefined],
    ...before.map(([name, folder]) => [name, `${folder}/dist/cli/main.js`] as const),
  ]
}

async function measureTurns(
  sides: readonly Side[],
  { runs, connections }: SendsOptions,
  generator: Generator,
): Promise<Map<string, Turn[]>> {
  const turns = new Map<string, Turn[]>(sides.map(({ peer }) => [peer.name, []]))
  for (let run = 0; run <= runs; run += 1) {
    for (const side of run % 2 === 0 ? sides : sides.toReversed()) {
      const turn = await measure(side, connections, generator)
      if (run > 0) turns.get(side.peer.name)?.push(turn)
    }
  }
  return turns
}

async function measure({ peer, pid, scene }: Side, connections: number, generator: Generator): Promise<Turn> {
  const bodies = scene.next()
  const file = generator.write(bodies)
  const [before, threads] = [processorTimes(pid), threadTimes(pid)]
  const stats = await sendAll(peer, file, bodies.length, connections, generator)
  const [taken, after] = [processorTimes(pid), threadTimes(pid)]
  const isMined = await scene.mined()
  const mined = processorTimes(pid)
  const micros = (seconds: number) => (seconds / bodies.length) * 1e6
  const all = ({ user, system }: { user: number; system: number }) => user + system
  return {
    perSecond: stats.requestsPerSecond,
    p50: stats.p50,
    p99: stats.p99,
    taken: micros(all(taken) - all(before)),
    system: micros(taken.system - before.system),
    mined: isMined ? micros(all(mined) - all(before)) : Number.NaN,
    threads: usedBetween(threads, after).map((thread) => ({ ...thread, seconds: micros(thread.seconds) })),
  }
}

/** @throws Error when a transaction was refused or not answered */
async function sendAll(
  { name, url }: Peer,
  file: string,
  count: number,
  connections: number,
  generator: Generator,
): Promise<LoadStats> {
  const stats = await generator.load(url, file, { seconds: SECONDS_LIMIT, connections, once: true })
  if (stats.failures > 0) throw new Error(`${name} refused ${stats.failures}: ${stats.firstFailure}`)
  if (stats.requests < count) throw new Error(`${name} took ${stats.requests} of ${count}`)
  return stats
}

function rowOf(name: string, list: readonly Turn[]): Row {
  const median = (value: (turn: Turn) => number) => medianOf(list.map(value))
  return {
    who: name,
    'taken/s': Math.round(median(({ perSecond }) => perSecond)),
    'p50 ms': median(({ p50 }) => p50).toFixed(2),
    'p99 ms': median(({ p99 }) => p99).toFixed(2),
    'µs until answered': median(({ taken }) => taken).toFixed(1),
    'of them in the kernel': median(({ system }) => system).toFixed(1),
    'µs until mined': list.some(({ mined }) => Number.isNaN(mined))
      ? 'not all were'
      : median(({ mined }) => mined).toFixed(1),
  }
}

function threadRows(who: string, list: readonly Turn[]): Row[] {
  const ids = list.at(-1)?.threads ?? []
  return ids
    .map(({ id, name }, index): Row & { readonly micros: number } => ({
      who,
      thread: `${index + 1} ${name}`,
      micros: medianOf(
        // Nodes that are started for each turn have other ids, in the same order.
        list.map(
          ({ threads }) => (threads.find((thread) => thread.id === id) ?? threads[index])?.seconds ?? 0,
        ),
      ),
    }))
    .filter(({ micros }) => micros >= MIN_SHOWN_MICROSECONDS)
    .map(({ micros, ...row }) => ({ ...row, µs: micros.toFixed(1) }))
}

/** A node of each build under the profiler while it takes and mines a turn, after one that warms it up. */
async function profileSection(options: SendsOptions, generator: Generator): Promise<Section> {
  const rows: Row[] = []
  for (const [name, program] of buildsOf(options)) {
    const peer = await startRhizome(nodeArguments(options), name, program, PROFILED)
    try {
      if (peer.pid === null) continue
      const side = { name, peer, pid: peer.pid, scene: await prepareSends(peer, options) }
      await measure(side, options.connections, generator)
      const order = threadTimes(side.pid).map(({ id }) => id)
      const profile = new Profile(side.pid)
      const { mined } = await measure(side, options.connections, generator)
      rows.push(...functionRows(name, await profile.end(), order, mined))
    } finally {
      await peer.stop()
    }
  }
  return {
    title: 'Functions',
    note:
      'Microseconds in a function itself for one send, of one turn, until all were mined: its part of the samples times ' +
      'the processor time of that turn. What a thread spends in functions that take less is one row.',
    rows,
  }
}

function functionRows(
  who: string,
  functions: readonly FunctionShare[],
  order: readonly number[],
  micros: number,
): Row[] {
  const placeOf = (thread: number) => order.indexOf(thread) + 1
  const isShown = ({ share }: FunctionShare) => share * micros >= MIN_SHOWN_MICROSECONDS
  const rest = new Map<number, number>()
  for (const { thread, share } of functions.filter((one) => !isShown(one))) {
    rest.set(placeOf(thread), (rest.get(placeOf(thread)) ?? 0) + share)
  }
  const shown = functions.filter(isShown).map(({ thread, object, name, share }) => ({
    thread: placeOf(thread),
    object,
    name,
    share,
  }))
  const others = [...rest].map(([thread, share]) => ({ thread, object: '', name: 'others', share }))
  return [...shown, ...others]
    .toSorted((a, b) => a.thread - b.thread || b.share - a.share)
    .map(({ thread, object, name, share }) => ({
      who,
      thread,
      object,
      function: name,
      µs: (share * micros).toFixed(2),
    }))
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
