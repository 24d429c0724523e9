import { askOfPeers } from '../../askOfPeers.ts'
import { defineCommand } from '../../command.ts'
import { CommandError } from '../../errors.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { NODE_URL } from '../../nodeClient.ts'
import { textTable } from '../../textTable.ts'

/** The members of a response of sco_peerList that are used. */
interface ListedScore {
  readonly id: string
  readonly type: string
  readonly score: number
  readonly punishments: number
  readonly punishedUntil: number
  readonly [counter: string]: string | number | boolean
}

const HEADINGS = ['id', 'type', 'score', 'punishments', 'punished until', 'counted']
const OTHERS = new Set(['id', 'type', 'score', 'punishments', 'punishedUntil', 'goodReputation'])

/** `rhizome peer score`: the scores of peers in a running node. */
export const peerScore = defineCommand({
  name: 'peer score',
  summary: 'show the scores of the peers that a running node has met',
  files: 'none',
  argument: { placeholder: '[ID]', doc: 'IP address, node id or its first 8 digits; none shows all' },
  options: [],
  extra: {
    ...NODE_URL,
    clear: { kind: 'boolean', group: 'Command', default: false, doc: 'Forget what ID did' },
  },
  run: async ({ extra: { url, clear }, files: [id], stdout }) => {
    if (clear && id === undefined) throw new CommandError('Failed', '--clear needs an ID', EXIT_CODES.usage)
    const method = clear ? 'sco_clearPeerScoring' : 'sco_peerList'
    const scores = (await askOfPeers(url, method, clear ? [id] : [])) as readonly ListedScore[]
    const shown = clear || id === undefined ? scores : scores.filter((score) => isNamed(score, id))
    stdout.write(shown.length === 0 ? 'no scores\n' : textTable(HEADINGS, shown.map(row)))
    return EXIT_CODES.ok
  },
})

/** The node returns the beginning of its ids. */
function isNamed({ id, type }: ListedScore, name: string): boolean {
  return type === 'node' ? name.toLowerCase().replace(/^0x/, '').startsWith(id) : id === name
}

function row(score: ListedScore): readonly string[] {
  const { id, type, punishments, punishedUntil } = score
  const counted = Object.entries(score).filter(([name, value]) => !OTHERS.has(name) && Number(value) > 0)
  return [
    id,
    type,
    String(score.score),
    String(punishments),
    punishedUntil === 0 ? '-' : new Date(punishedUntil).toISOString(),
    counted.map(([name, value]) => `${name} ${value}`).join(', ') || '-',
  ]
}
