import { BEYOND_HEAD } from '../../config/beyondHead.ts'
import { REVERT_FORMS } from '../../config/revertForm.ts'
import { AccessError } from '../../storage/access/errors.ts'
import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { ACCESS_OPTION_KEYS, FLEET_KEYS_DETAIL, KEY_LOCAL, withKeys } from '../openAccess.ts'

/** Forms of revert errors for callers of a key; `node` for the node's default. */
export const KEY_REVERT_ERRORS = {
  kind: 'choice',
  group: 'Command',
  values: ['node', ...REVERT_FORMS],
  default: 'node',
  doc: 'How its callers are told of reverts: reference for code -32015, geth for code 3 and execution reverted, node for what the node is set to',
} as const

/** The wish of a key's callers for ranges beyond the head; `node` for the node's default. */
export const KEY_BEYOND_HEAD = {
  kind: 'choice',
  group: 'Command',
  values: ['node', ...BEYOND_HEAD],
  default: 'node',
  doc: 'What happens to a range of logs that ends beyond the head: cut, refuse, node for what the node is set to',
} as const

/** Leaves a setting of a key as it is. */
const KEEP = 'keep'

/** `rhizome key set ID`. */
export const keySet = defineCommand({
  name: 'key set',
  summary: 'change how callers of an API key are told of reverts and of ranges beyond the head',
  details: `A running node does so within a second, on open connections, too. What is not named stays. ${FLEET_KEYS_DETAIL}`,
  files: 'none',
  argument: { placeholder: '<ID>', doc: 'id of the key' },
  options: ACCESS_OPTION_KEYS,
  extra: {
    revertErrors: { ...KEY_REVERT_ERRORS, values: [KEEP, ...KEY_REVERT_ERRORS.values], default: KEEP },
    beyondHead: { ...KEY_BEYOND_HEAD, values: [KEEP, ...KEY_BEYOND_HEAD.values], default: KEEP },
    local: KEY_LOCAL,
  },
  run: async ({ config, files, extra, stdout }) => {
    const [id = ''] = files
    const key = await withKeys(config, extra.local, (keys) =>
      keys.update(id, (key) => {
        if (key.fromFile) {
          throw new AccessError('ACCESS_FROM_FILE', `the key ${id} is of the key file: set it there`)
        }
        const { revertErrors, beyondHead } = extra
        return {
          ...key,
          ...(revertErrors === KEEP ? {} : { revertErrors: revertErrors === 'node' ? null : revertErrors }),
          ...(beyondHead === KEEP ? {} : { beyondHead: beyondHead === 'node' ? null : beyondHead }),
        }
      }),
    )
    const { revertErrors, beyondHead } = key
    stdout.write(
      `key ${id}: reverts as ${revertErrors ?? 'the node tells them'}; ranges beyond the head: ${beyondHead ?? 'as the node does'}\n`,
    )
    return EXIT_CODES.ok
  },
})
