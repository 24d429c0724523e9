import { AccessError } from '../../storage/access/errors.ts'
import { createSecret, hashSecret } from '../../util/secretKey.ts'
import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { ACCESS_OPTION_KEYS, FLEET_KEYS_DETAIL, KEY_LOCAL, withKeys } from '../openAccess.ts'

/** `rhizome key rotate ID`: creates a new secret for a key. */
export const keyRotate = defineCommand({
  name: 'key rotate',
  summary: 'give an API key a new secret and print it, which is shown only now',
  details: `WebSockets that were opened with the old secret end with it. ${FLEET_KEYS_DETAIL}`,
  files: 'none',
  argument: { placeholder: '<ID>', doc: 'id of the key' },
  options: ACCESS_OPTION_KEYS,
  extra: {
    grace: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: 31_536_000,
      default: 0,
      doc: 'Seconds for which the old secret goes on working',
    },
    local: KEY_LOCAL,
  },
  run: async ({ config, files, extra, stdout, stderr }) => {
    const [id = ''] = files
    const secret = createSecret()
    const until = Date.now() + extra.grace * 1000
    await withKeys(config, extra.local, (keys) =>
      keys.update(id, (key) => {
        if (key.fromFile) {
          throw new AccessError(
            'ACCESS_FROM_FILE',
            `the key ${id} is of the key file: write its new hash there`,
          )
        }
        return {
          ...key,
          hash: hashSecret(secret),
          previous: extra.grace === 0 ? null : { hash: key.hash, until },
        }
      }),
    )
    const old =
      extra.grace === 0
        ? 'the old one is refused'
        : `the old one works until ${new Date(until).toISOString()}`
    stderr.write(`key ${id}: ${old}; its new secret, which is not shown again:\n`)
    stdout.write(`${secret}\n`)
    return EXIT_CODES.ok
  },
})
