import { parseArgs } from 'node:util'
import { describeMachine } from '../../bench/report/machine.ts'
import { ATTACK_CASES, type AttackCase } from './long/attacks.ts'
import { runIpv6 } from './long/ipv6.ts'
import { createNetworkBuild } from './long/networkBuild.ts'
import { type ResultRow, saveRow } from './long/results.ts'
import { Scene } from './long/scene.ts'
import { runSplit } from './long/split.ts'
import { runTurn, type Turn } from './long/turn.ts'

const MIB = 1024 * 1024
/** Of the speed without an attack. */
const MIN_SPEED = 0.7
const MIB_PER_ATTACKER = 32
const MAX_MIB = 256
const GROWTH = 100
/** How long a node without a defence is attacked at most. */
const OFF_SECONDS = 20

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    blocks: { type: 'string', default: '6000' },
    only: { type: 'string', multiple: true },
    nodes: { type: 'string', default: '8' },
    'defences-off': { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
  },
})

const machine = describeMachine()
const chosen = (name: string) => values.only?.includes(name) ?? true
const print = (text: string) => process.stdout.write(`${text}\n`)
let failed = 0

/** What a node comes to without an attack. */
type Quiet = Pick<Turn, 'speed' | 'perSecond' | 'settled' | 'peak'>

await joinAndSplit()
await attackAll()
process.exitCode = failed === 0 ? 0 : 1

/** Networks of honest nodes: one that is split and heals, one over IPv6. */
async function joinAndSplit(): Promise<void> {
  if (values['defences-off'] || !(chosen('split') || chosen('ipv6'))) return
  const build = await createNetworkBuild()
  const told = (name: string, result: { readonly faults: readonly string[] }) => {
    print(`${name}: ${JSON.stringify(result)}`)
    failed += result.faults.length
    if (values.save) saveRow(machine, 'honest', name, flat(result))
  }
  try {
    if (chosen('split')) told('split', await runSplit(build, Number(values.nodes), Number(values.seconds)))
    if (!chosen('ipv6')) return
    const result = await runIpv6(build)
    if (result === null) print('ipv6: namespaces are not allowed here')
    else told('ipv6', result)
  } finally {
    build.remove()
  }
}

async function attackAll(): Promise<void> {
  const cases = ATTACK_CASES.filter(({ name }) => chosen(name))
  const together = chosen('together') && !values['defences-off']
  if (cases.length === 0 && !together) return
  const scene = await Scene.open(Number(values.blocks), GROWTH)
  try {
    if (values['defences-off']) {
      for (const one of cases) await withoutDefence(scene, one)
      return
    }
    let before = await runTurn(scene, { attacks: [], seconds: 0 })
    report('quiet', before, before)
    for (const one of cases) before = await attackOnce(scene, one.name, [one], before)
    if (together) await attackOnce(scene, 'together', ATTACK_CASES, before)
  } finally {
    scene.close()
  }
}

/** A turn under attack between two quiet ones. @returns the second of these */
async function attackOnce(
  scene: Scene,
  name: string,
  attacks: readonly AttackCase[],
  before: Turn,
): Promise<Turn> {
  const turn = await runTurn(scene, { attacks, seconds: Number(values.seconds) })
  const after = await runTurn(scene, { attacks: [], seconds: 0 })
  report('quiet', after, after)
  const quiet = {
    speed: (before.speed + after.speed) / 2,
    perSecond: (before.perSecond + after.perSecond) / 2,
    settled: (before.settled + after.settled) / 2,
    peak: (before.peak + after.peak) / 2,
  }
  const faults = judge(attacks, turn, quiet)
  const share = turn.speed / quiet.speed
  report(name, turn, quiet)
  for (const fault of faults) print(`    NOT MET: ${fault}`)
  failed += faults.length
  if (values.save) saveRow(machine, 'attacks', name, rowOf(turn, quiet, share, faults))
  return after
}

function judge(attacks: readonly AttackCase[], turn: Turn, quiet: Quiet): string[] {
  const attackers = attacks.reduce((sum, one) => sum + one.attackers, 0)
  const bound = Math.min(MAX_MIB, attackers * MIB_PER_ATTACKER)
  const grown = (turn.settled - quiet.settled) / MIB
  const share = turn.speed / quiet.speed
  const seen = { ...turn.seen, peakGrowth: turn.peak - quiet.peak }
  return [
    ...turn.faults,
    ...(turn.check === null ? [] : [turn.check]),
    ...(quiet.speed === 0 || share >= MIN_SPEED
      ? []
      : [`import had ${share.toFixed(2)} of its speed, at least ${MIN_SPEED}`]),
    ...(grown <= bound ? [] : [`${grown.toFixed(0)} MiB more, at most ${bound}`]),
    ...(attacks.length === 1 ? (attacks[0]?.judge(seen) ?? []) : []),
  ]
}

/** The check of an attack has to fail where its defence is off. */
async function withoutDefence(scene: Scene, one: AttackCase): Promise<void> {
  const program = await scene.build.program(`off-${one.name}`, one.off)
  const quiet = { speed: 0, perSecond: 0, settled: Number.POSITIVE_INFINITY, peak: 150 * MIB }
  const turn = await runTurn(scene, { attacks: [one], seconds: OFF_SECONDS, program, endsEarly: true })
  const faults = judge([one], turn, quiet)
  const files = [...new Set(one.off.map(({ file }) => `src/${file}`))]
  print(`${one.name}: ${one.defence} (${files.join(', ')}) off: ${faults[0] ?? 'NOTHING FAILED'}`)
  for (const fault of faults.slice(1)) print(`    ${fault}`)
  print(`    attackers: ${JSON.stringify(turn.seen.stats)}`)
  if (faults.length === 0) failed += 1
  if (values.save) {
    const row = {
      defence: one.defence,
      file: files.join(', '),
      'what fails then': faults.join('; ') || '**nothing**',
    }
    saveRow(machine, 'off', one.name, row)
  }
}

function rowOf(turn: Turn, quiet: Quiet, share: number, faults: readonly string[]): ResultRow {
  const mib = (bytes: number) => (bytes / MIB).toFixed(0)
  const { stats, refused, excess, scores, mostHalfOpen, mostOfGroup } = turn.seen
  return {
    seconds: (turn.attacked / 1000).toFixed(0),
    'blocks/s': `${turn.speed.toFixed(0)} of ${quiet.speed.toFixed(0)}`,
    share: share.toFixed(2),
    'share by processor time': (turn.perSecond / quiet.perSecond).toFixed(2),
    'blocks followed, most ms': `${turn.followed}, ${turn.lag.toFixed(0)}`,
    'MiB more: settled, peak': `${mib(turn.settled - quiet.settled)}, ${mib(turn.peak - quiet.peak)}`,
    attackers: counts(stats),
    'refused by the node': counts(refused),
    'dropped as too many': String(excess),
    punished: String(scores.filter(({ punishments }) => punishments > 0).length),
    'half open, of one block': `${mostHalfOpen}, ${mostOfGroup}`,
    'store check': turn.check === null ? 'clean' : '**not clean**',
    bars: faults.length === 0 ? 'met' : `**${faults.join('; ')}**`,
  }
}

function counts(of: Readonly<Record<string, number>>): string {
  const some = Object.entries(of).filter(([, count]) => count > 0)
  return some.map(([name, count]) => `${name} ${count}`).join(', ')
}

function flat({ faults, ...stats }: { readonly faults: readonly string[] }): ResultRow {
  const cells = Object.entries(stats).map(([name, value]) => [
    name,
    typeof value === 'number' ? String(Math.round(value * 10) / 10) : String(value),
  ])
  return { ...Object.fromEntries(cells), bars: faults.length === 0 ? 'met' : `**${faults.join('; ')}**` }
}

function report(name: string, turn: Turn, quiet: Quiet): void {
  const { speed, settled, peak, lag, followed, attacked, seen } = turn
  const mib = (bytes: number) => (bytes / MIB).toFixed(0)
  const refused = Object.entries(seen.refused).filter(([, count]) => count > 0)
  print(
    `${name}: ${speed.toFixed(0)} blocks/s (${(speed / quiet.speed).toFixed(2)}; by processor time ${(turn.perSecond / quiet.perSecond).toFixed(2)}), ${followed} more, each within ${lag.toFixed(0)} ms, ` +
      `settled ${mib(settled)} MiB (${mib(settled - quiet.settled)}), peak ${mib(peak)} (${mib(peak - quiet.peak)}), ${(attacked / 1000).toFixed(0)} s`,
  )
  if (name === 'quiet') return
  print(`    attackers: ${JSON.stringify(seen.stats)}`)
  print(
    `    refused: ${JSON.stringify(Object.fromEntries(refused))}, half open at most ${seen.mostHalfOpen}, of one block ${seen.mostOfGroup}, ` +
      `excess ${seen.excess}, memory refused ${seen.memoryRefused}, punished ${seen.scores.filter(({ punishments }) => punishments > 0).length}`,
  )
}
