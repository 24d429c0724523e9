import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'

/** `rhizome import FILE…`: reads blocks, validates, executes and stores them. */
export const importBlocks = defineCommand({
  name: 'import',
  summary: 'import blocks from files',
  details:
    'Accepts recorded JSON lines (an rlp per line), concatenated RLP blocks and exports of the reference node. ' +
    'Stops at the first invalid block; an interrupted import goes on where it was.',
  files: 'some',
  options: ['network', 'dataDir', 'config', 'workers', 'logLevel', 'logFormat', 'commitEvery', 'stateCache'],
  extra: {},
  run: async () => {
    throw new CommandError('NotBuilt', 'import: this version cannot import blocks yet')
  },
})
