import { moduleOf } from '../../rpc/availability.ts'
import type { MethodDefinition } from '../../rpc/defineMethod.ts'
import { ANVIL, GETH, NOT_OFFERED, PARTLY_SPECIFIED, RSKJ, SPECIFIED } from './peerMethods.ts'

const YES = '✓'
const NO = '–'
const PEERS = [RSKJ, GETH, ANVIL]

/** Table of the README: every method by module, and which other nodes have it. */
export function methodTable(methods: readonly MethodDefinition[], unsupported: ReadonlySet<string>): string {
  const offered = methods.filter(({ audience }) => audience !== 'internal').map(toRow)
  const absent = [...unsupported, ...NOT_OFFERED].map((name) => ({ names: [name], own: NO, doc: '' }))
  const rows = [...offered, ...absent].sort(byModule)
  return [
    `| method | specification | ${PEERS.map(({ title }) => title).join(' | ')} | Rhizome | |`,
    `|---|:-:|${PEERS.map(() => ':-:').join('|')}|:-:|---|`,
    ...rows.map(formatRow),
  ].join('\n')
}

interface Row {
  readonly names: readonly string[]
  readonly own: string
  readonly doc: string
}

function toRow({ name, aliases, audience, doc }: MethodDefinition): Row {
  return { names: [name, ...aliases], own: audience === 'dev' ? 'dev' : YES, doc }
}

function formatRow({ names, own, doc }: Row): string {
  const has = (set: ReadonlySet<string>) => names.some((name) => set.has(name))
  const specified = has(PARTLY_SPECIFIED) ? 'partly' : has(SPECIFIED) ? YES : NO
  const peers = PEERS.map((peer) => (has(peer.names) ? YES : NO)).join(' | ')
  const shown = names.map((name) => `\`${name}\``).join(', ')
  return `| ${shown} | ${specified} | ${peers} | ${own} | ${doc.replaceAll('|', '\\|')} |`
}

function byModule(a: Row, b: Row): number {
  const [first = ''] = a.names
  const [second = ''] = b.names
  return compare(moduleOf(first), moduleOf(second)) || compare(first, second)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
