import { type KeyRecord, LIMIT_NAMES } from '../../storage/access/keyRecord.ts'
import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { ACCESS_OPTION_KEYS, KEY_LOCAL, withKeys } from '../openAccess.ts'
import { textTable } from '../textTable.ts'

/** `rhizome key list`: all keys with their permissions and limits, without secrets and hashes. */
export const keyList = defineCommand({
  name: 'key list',
  summary: 'list the API keys and what they open',
  files: 'none',
  options: ACCESS_OPTION_KEYS,
  extra: { json: { kind: 'boolean', group: 'Command', default: false, doc: 'Print JSON' }, local: KEY_LOCAL },
  run: async ({ config, extra, stdout }) => {
    const keys = await withKeys(config, extra.local, (keys) => keys.keys())
    const now = Date.now()
    if (extra.json)
      stdout.write(
        `${JSON.stringify(
          keys.map((key) => describe(key, now)),
          null,
          2,
        )}\n`,
      )
    else if (keys.length === 0) stdout.write('no keys: `key create` makes one\n')
    else
      stdout.write(
        textTable(
          HEADINGS,
          keys.map((key) => row(describe(key, now))),
        ),
      )
    return EXIT_CODES.ok
  },
})

const HEADINGS = ['id', 'state', 'created', 'opens', 'limits', 'name']

function describe({ hash: _, previous, ...key }: KeyRecord, now: number) {
  const list = (names: ReadonlySet<string> | null) => names && [...names]
  return {
    ...key,
    created: new Date(key.created).toISOString(),
    previousUntil: previous !== null && previous.until > now ? new Date(previous.until).toISOString() : null,
    modules: list(key.modules),
    methods: list(key.methods),
    origins: list(key.origins),
  }
}

function row(key: ReturnType<typeof describe>): string[] {
  const { modules, methods, origins, revertErrors, beyondHead, limits, previousUntil } = key
  const opens = [...(modules ?? []), ...(methods ?? [])].join(',') || 'all'
  const states = [key.disabled ? 'disabled' : 'enabled']
  if (key.fromFile) states.push('of the key file')
  if (key.fromFleet) states.push('of the fleet')
  if (revertErrors !== null) states.push(`reverts as ${revertErrors}`)
  if (beyondHead !== null) states.push(`ranges beyond the head: ${beyondHead}`)
  if (previousUntil !== null) states.push(`old secret until ${previousUntil}`)
  return [
    key.id,
    states.join(', '),
    key.created.slice(0, 10),
    origins === null ? opens : `${opens} for ${origins.join(',')}`,
    LIMIT_NAMES.flatMap((name) => (limits[name] === null ? [] : [`${name} ${limits[name]}`])).join(', ') ||
      '-',
    key.name,
  ]
}
