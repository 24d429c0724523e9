import type { Config } from '../../config/schema.ts'
import { AccessError } from '../../storage/access/errors.ts'
import { type DayUsage, dayText } from '../../storage/access/usageRecord.ts'
import { localDay } from '../../util/localDay.ts'
import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { ACCESS_OPTION_KEYS, withAccessStore } from '../openAccess.ts'
import { textTable } from '../textTable.ts'

const HEADINGS = ['id', 'day', 'method', 'requests', 'cost', 'bytes', 'errors', 'refused']

/** `rhizome key usage [ID]`: usage of a key, or of all keys and of requests without one. */
export const keyUsage = defineCommand({
  name: 'key usage',
  summary: 'show what was asked with an API key, or with all, by day and method',
  details: 'A running node writes its counts down every second. The id - stands for requests without a key.',
  files: 'none',
  argument: { placeholder: '[ID]', doc: 'id of the key; none shows all' },
  options: ACCESS_OPTION_KEYS,
  extra: {
    days: {
      kind: 'integer',
      group: 'Command',
      minimum: 1,
      maximum: 10_000,
      default: 1,
      doc: 'Days up to today, in the timezone of the quota',
    },
    json: { kind: 'boolean', group: 'Command', default: false, doc: 'Print JSON' },
  },
  run: async ({ config, files, extra, stdout }) => {
    const [id] = files
    const days = await usageHere(config, id, extra.days)
    const rows = days.flatMap(rowsOf)
    if (extra.json) stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
    else if (rows.length === 0) stdout.write('no usage\n')
    else
      stdout.write(
        textTable(
          HEADINGS,
          rows.map((row) => Object.values(row).map(String)),
        ),
      )
    return EXIT_CODES.ok
  },
})

/** As the data directory has it. */
function usageHere(config: Config, id: string | undefined, days: number): Promise<DayUsage[]> {
  return withAccessStore(config, (store) => {
    const known = store.usedIds()
    if (id !== undefined && !known.includes(id) && !store.keys().some((key) => key.id === id)) {
      throw new AccessError('ACCESS_UNKNOWN_KEY', `there is no key ${id}: see \`key list\``)
    }
    const today = localDay(Date.now(), store.timezone())
    const ids = id === undefined ? known : [id]
    return ids.flatMap((one) => store.usage(one, today - days + 1, today))
  })
}

function rowsOf({ id, day, methods }: DayUsage) {
  return [...methods].map(([method, { count, cost, bytes, errors, refused }]) => ({
    id,
    day: dayText(day),
    method,
    requests: count,
    cost,
    bytes,
    errors,
    refused,
  }))
}
