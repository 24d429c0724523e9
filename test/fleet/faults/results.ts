import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Machine, machineText } from '../../../bench/report/machine.ts'
import { RESULTS_FOLDER } from '../../../bench/report/results.ts'
import type { Rule } from '../checker/violation.ts'
import type { Round } from './round.ts'

/** What is kept of a round. */
interface KeptRound extends Omit<Round, 'violations' | 'history' | 'phases'> {
  readonly violations: readonly { readonly rule: Rule; readonly message: string }[]
  /** Among the runs. */
  readonly run: number
}

/** What came of a build that breaks a rule. */
export interface PlantedResult {
  /** Section of fleet.md. */
  readonly rule: string
  readonly name: string
  /** Rounds until it was found, or until it was given up. */
  readonly rounds: number
  /** What the checker said; null when it was not found. */
  readonly found: string | null
}

/** Rounds of one seed, which several runs may have made, and what came of planted faults. */
interface Results {
  readonly planted: (PlantedResult & { readonly run: number })[]
  readonly seed: number
  /** Members, servers of NATS, milliseconds of a lease. */
  readonly fleet: string
  readonly runs: string[]
  readonly rounds: KeptRound[]
}

const FILE = join(RESULTS_FOLDER, 'fleet-faults')
const NOTE =
  'By `npm run ts -- test/fleet/faults/main.ts --save`: one fleet is disturbed round after round while clients use it, ' +
  'each request at a member at random, and a checker decides by the recorded history of each round whether a rule of ' +
  'src/fleet/fleet.md was broken. Round N of a seed makes the same fault whenever it is run.'
const MOST_MESSAGE = 300

/**
 * Keeps rounds of one seed, in the place of those of another one, and what came of planted faults. The file is read
 * before each change, for another run may keep what it found meanwhile.
 */
export class RoundResults {
  readonly #machine: string
  readonly #seed: number
  readonly #fleet: string

  constructor(seed: number, fleet: string, machine: Machine) {
    this.#seed = seed
    this.#fleet = fleet
    this.#machine = machineText(machine)
  }

  /** The round after the last one that is kept of the seed. */
  get next(): number {
    const known = read()
    const rounds = this.#isSame(known) ? (known?.rounds ?? []) : []
    return Math.max(0, ...rounds.map(({ round }) => round)) + 1
  }

  add({ violations, history: _, phases: __, ...round }: Round): void {
    const known = read()
    const { seed, fleet } = { seed: this.#seed, fleet: this.#fleet }
    const rest = { planted: known?.planted ?? [], runs: known?.runs ?? [] }
    const results = known !== null && this.#isSame(known) ? known : { ...rest, seed, fleet, rounds: [] }
    results.rounds.push({
      ...round,
      violations: violations.map(({ rule, message }) => ({ rule, message: message.slice(0, MOST_MESSAGE) })),
      run: this.#runOf(results),
    })
    write(results)
  }

  addPlanted(result: PlantedResult): void {
    const results = read() ?? { planted: [], seed: this.#seed, fleet: this.#fleet, runs: [], rounds: [] }
    const { planted } = results
    const at = planted.findIndex(({ name }) => name === result.name)
    planted.splice(at < 0 ? planted.length : at, at < 0 ? 0 : 1, { ...result, run: this.#runOf(results) })
    write(results)
  }

  #isSame(results: Results | null): boolean {
    return results?.seed === this.#seed && results.fleet === this.#fleet
  }

  #runOf({ runs }: Results): number {
    const at = runs.indexOf(this.#machine)
    return at < 0 ? runs.push(this.#machine) - 1 : at
  }
}

function write(all: Results): void {
  const results = withoutOldRuns(all)
  mkdirSync(RESULTS_FOLDER, { recursive: true })
  writeFileSync(`${FILE}.json`, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(`${FILE}.md`, documentOf(results))
}

/** Runs of which neither a round nor a planted fault is kept are left out. */
function withoutOldRuns({ runs, rounds, planted, ...rest }: Results): Results {
  const used = new Set([...rounds, ...planted].map(({ run }) => run))
  const left = runs.flatMap((run, at) => (used.has(at) ? [{ run, at }] : []))
  const renumbered = new Map(left.map(({ at }, index) => [at, index]))
  const moved = <T extends { readonly run: number }>(kept: T): T => ({
    ...kept,
    run: renumbered.get(kept.run) ?? 0,
  })
  return { ...rest, runs: left.map(({ run }) => run), rounds: rounds.map(moved), planted: planted.map(moved) }
}

function documentOf({ seed, fleet, runs, rounds, planted }: Results): string {
  const found = rounds.flatMap(({ round, fault, what, violations, run }) =>
    violations.map(({ rule, message }) =>
      row([String(round), `${fault}, ${what}`, rule, message, String(run + 1)]),
    ),
  )
  const ofRounds = [
    `Seed ${seed}: ${fleet}.`,
    table(rounds),
    found.length === 0
      ? 'No rule was broken.'
      : [...heading(['round', 'fault', 'rule', 'message', 'run']), ...found].join('\n'),
  ]
  const ofPlanted = [
    '## Planted faults',
    'Each is a build that breaks a rule; the checker has to find it within a few rounds.',
    [
      ...heading(['rule', 'fault', 'found in round', 'by', 'run']),
      ...planted.map(({ rule, name, rounds: tries, found: by, run }) =>
        row([
          `src/fleet/${rule}`,
          name,
          by === null ? `**not in ${tries}**` : String(tries),
          by ?? '',
          String(run + 1),
        ]),
      ),
    ].join('\n'),
  ]
  const parts = [
    ...['# fleet-faults', NOTE],
    ...(rounds.length === 0 ? [] : ofRounds),
    ...(planted.length === 0 ? [] : ofPlanted),
    '## Runs',
    runs.map((run, at) => `${at + 1}. ${run}${roundsOf(rounds, at)}`).join('\n'),
  ]
  return `${parts.join('\n\n')}\n`
}

function read(): Results | null {
  return existsSync(`${FILE}.json`) ? (JSON.parse(readFileSync(`${FILE}.json`, 'utf8')) as Results) : null
}

/** What came of rounds, by kind of fault, as a table. */
export function table(rounds: readonly Omit<KeptRound, 'run'>[]): string {
  const kinds = [...new Set(rounds.map(({ fault }) => fault))].sort()
  const lines = [...kinds.map((kind) => [kind, rounds.filter(({ fault }) => fault === kind)] as const)]
  return [
    ...heading(COLUMNS),
    ...lines.map(([kind, own]) => lineOf(kind, own)),
    lineOf('**all**', rounds),
  ].join('\n')
}

const COLUMNS = [
  'fault',
  'rounds',
  'violations',
  'answered',
  'refused',
  'without an answer',
  'heads',
  'reorganisations',
  'transactions',
  'blocks',
  'healed after, median',
  'at most',
]

function lineOf(name: string, rounds: readonly Omit<KeptRound, 'run'>[]): string {
  const sum = (of: (round: Omit<KeptRound, 'run'>) => number) =>
    rounds.reduce((total, round) => total + of(round), 0).toLocaleString('en')
  const healed = rounds.map(({ healedMilliseconds }) => healedMilliseconds).sort((a, b) => a - b)
  const seconds = (milliseconds = 0) => `${(milliseconds / 1000).toFixed(1)} s`
  return row([
    ...[name, String(rounds.length), sum(({ violations }) => violations.length)],
    ...[sum(({ answered }) => answered), sum(({ refused }) => refused), sum(({ unknown }) => unknown)],
    ...[sum(({ heads }) => heads), sum(({ reorganisations }) => reorganisations)],
    ...[sum(({ transactions }) => transactions), sum(({ blocks }) => blocks)],
    ...[seconds(healed[healed.length >> 1]), seconds(healed.at(-1))],
  ])
}

function roundsOf(rounds: readonly KeptRound[], run: number): string {
  const own = rounds.filter((round) => round.run === run).map(({ round }) => round)
  return own.length === 0 ? '' : `; rounds ${own[0]} to ${own.at(-1)}`
}

function heading(columns: readonly string[]): string[] {
  return [row(columns), row(columns.map(() => '---'))]
}

function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`
}
