import { OPTION_KEYS } from '../../config/schema.ts'
import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'

/** `rhizome start`: runs the node until it is interrupted. */
export const start = defineCommand({
  name: 'start',
  summary: 'run the node',
  details: 'Ends cleanly on Ctrl-C or SIGTERM.',
  files: 'none',
  options: OPTION_KEYS,
  extra: {},
  run: async () => {
    throw new CommandError('NotBuilt', 'start: this version cannot run the node yet')
  },
})
