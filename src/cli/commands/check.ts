import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'

/** `rhizome check`: walks the store and says what is wrong with it. */
export const check = defineCommand({
  name: 'check',
  summary: 'walk the store and print what is wrong with it',
  files: 'none',
  options: ['network', 'dataDir', 'config', 'logLevel', 'logFormat'],
  extra: {
    blocks: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 128,
      doc: 'Newest blocks whose whole state is read',
    },
    full: { kind: 'boolean', group: 'Command', default: false, doc: 'Read the state of every block' },
  },
  run: async () => {
    throw new CommandError('NotBuilt', 'check: this version cannot check a store yet')
  },
})
