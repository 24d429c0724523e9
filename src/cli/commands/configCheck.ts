import { readConfigFile } from '../../config/file.ts'
import { nodeSchema } from '../../config/optionNames.ts'
import { OPTION_KEYS } from '../../config/schema.ts'
import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'

/**
 * `rhizome config check [FILE…]`: validates the files, and the flags and environment in any case
 * (they are read before a command runs).
 */
export const configCheck = defineCommand({
  name: 'config check',
  summary: 'validate configuration files, flags and environment',
  files: 'any',
  options: OPTION_KEYS,
  extra: {},
  run: async ({ config, files, stdout, stderr }) => {
    const named = config.config === null ? files : [config.config, ...files]
    const schema = nodeSchema((text) => stderr.write(`warning: ${text}\n`))
    for (const file of files) readConfigFile(file, schema)
    stdout.write(
      named.length === 0 ? 'flags and environment: ok\n' : named.map((file) => `${file}: ok\n`).join(''),
    )
    return EXIT_CODES.ok
  },
})
