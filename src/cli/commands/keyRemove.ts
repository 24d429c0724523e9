import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { ACCESS_OPTION_KEYS, FLEET_KEYS_DETAIL, KEY_LOCAL, withKeys } from '../openAccess.ts'

/** `rhizome key remove ID`. */
export const keyRemove = defineCommand({
  name: 'key remove',
  summary: 'remove an API key; its usage is kept',
  details: `A node alone that has no key left takes requests without one, unless it has --require-key always; \`key disable\` does not do that. ${FLEET_KEYS_DETAIL}`,
  files: 'none',
  argument: { placeholder: '<ID>', doc: 'id of the key' },
  options: ACCESS_OPTION_KEYS,
  extra: { local: KEY_LOCAL },
  run: async ({ config, extra, files, stdout }) => {
    const [id = ''] = files
    await withKeys(config, extra.local, (keys) => keys.remove(id))
    stdout.write(`key ${id} removed\n`)
    return EXIT_CODES.ok
  },
})
