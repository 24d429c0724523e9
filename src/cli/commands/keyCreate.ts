import type { OptionalTextOption } from '../../config/option.ts'
import { KEY_ID, type KeyLimits, type LimitName } from '../../storage/access/keyRecord.ts'
import { createKeyId, createSecret, hashSecret } from '../../util/secretKey.ts'
import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { ACCESS_OPTION_KEYS, FLEET_KEYS_DETAIL, KEY_LOCAL, withKeys } from '../openAccess.ts'
import { KEY_BEYOND_HEAD, KEY_REVERT_ERRORS } from './keySet.ts'

const limit = (doc: string) =>
  ({
    kind: 'optionalText',
    group: 'Command',
    placeholder: 'N',
    pattern: /^\d{1,12}$/,
    default: null,
    doc: `${doc}; 0 is no limit, none the node's own for keys`,
  }) as const satisfies OptionalTextOption

const LIMITS = {
  rate: limit('Cost units a second'),
  burst: limit('Cost units at once after a rest'),
  dailyQuota: limit('Cost units a day'),
  concurrency: limit('Requests at once'),
  sockets: limit('WebSockets at once'),
  subscriptions: limit('Subscriptions at once, of all WebSockets together'),
} as const satisfies Readonly<Record<LimitName, OptionalTextOption>>

const names = (placeholder: string, doc: string) =>
  ({ kind: 'list', group: 'Command', placeholder, default: [], doc }) as const

/** `rhizome key create`: creates a key and shows its secret, once. */
export const keyCreate = defineCommand({
  name: 'key create',
  summary: 'make an API key and print its secret, which is shown only now',
  details: `A running node takes it within a second. Only the hash of the secret is stored. ${FLEET_KEYS_DETAIL}`,
  files: 'none',
  options: ACCESS_OPTION_KEYS,
  extra: {
    id: {
      kind: 'optionalText',
      group: 'Command',
      placeholder: 'ID',
      pattern: KEY_ID,
      default: null,
      doc: 'Id in lists, logs and metrics; none makes one',
    },
    name: { kind: 'text', group: 'Command', placeholder: 'TEXT', default: '', doc: 'Whose key it is' },
    modules: names('NAME,…', 'Modules that it opens; none and no methods opens all that the node offers'),
    methods: names('METHOD,…', 'Methods that it opens, beside its modules'),
    origins: names('ORIGIN,…', 'Web pages that may use it; none lets every page'),
    revertErrors: KEY_REVERT_ERRORS,
    beyondHead: KEY_BEYOND_HEAD,
    ...LIMITS,
    local: KEY_LOCAL,
  },
  run: async ({ config, extra, stdout, stderr }) => {
    const secret = createSecret()
    const id = extra.id ?? createKeyId()
    const set = (list: readonly string[]) => (list.length === 0 ? null : new Set(list))
    await withKeys(config, extra.local, (keys) =>
      keys.create({
        id,
        name: extra.name,
        hash: hashSecret(secret),
        created: Date.now(),
        disabled: false,
        fromFile: false,
        fromFleet: false,
        previous: null,
        modules: set(extra.modules),
        methods: set(extra.methods),
        origins: set(extra.origins),
        revertErrors: extra.revertErrors === 'node' ? null : extra.revertErrors,
        beyondHead: extra.beyondHead === 'node' ? null : extra.beyondHead,
        limits: limitsOf(extra),
      }),
    )
    stderr.write(`key ${id}; its secret, which is not shown again:\n`)
    stdout.write(`${secret}\n`)
    return EXIT_CODES.ok
  },
})

function limitsOf(extra: Readonly<Record<LimitName, string | null>>): KeyLimits {
  const number = (text: string | null) => (text === null ? null : Number(text))
  return {
    rate: number(extra.rate),
    burst: number(extra.burst),
    dailyQuota: number(extra.dailyQuota),
    concurrency: number(extra.concurrency),
    sockets: number(extra.sockets),
    subscriptions: number(extra.subscriptions),
  }
}
