import { createLogger } from '../../observe/logger.ts'
import { defineCommand } from '../command.ts'
import { EXIT_CODES } from '../exitCodes.ts'
import { migrateConfigured } from '../migration.ts'

/** `rhizome migrate`: converts the stores of an older build to the current formats. */
export const migrate = defineCommand({
  name: 'migrate',
  summary: 'convert the data directory of an older build in place',
  details:
    'The node must not run. An interrupted conversion goes on where it was. `start` and `import` convert by themselves. ' +
    'Older builds cannot read the directory afterwards',
  files: 'none',
  options: ['network', 'dataDir', 'config', 'logLevel', 'logFormat', 'storeLimit', 'stateCache'],
  extra: {},
  run: async ({ config, stdout, stderr }) => {
    const logger = createLogger({ level: config.logLevel, format: config.logFormat, output: stderr })
    const converted = await migrateConfigured(config, logger, { stderr })
    if (converted === null) return EXIT_CODES.ok
    for (const { store, from, to } of converted) stdout.write(`${store}: format ${from} to ${to}\n`)
    if (converted.length === 0) stdout.write('nothing to convert\n')
    return EXIT_CODES.ok
  },
})
