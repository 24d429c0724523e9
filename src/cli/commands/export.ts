import { defineCommand } from '../command.ts'
import { CommandError } from '../errors.ts'

/** `rhizome export`: writes the canonical chain as RLP blocks. */
export const exportBlocks = defineCommand({
  name: 'export',
  summary: 'write the canonical chain to a file',
  files: 'none',
  options: ['network', 'dataDir', 'config', 'logLevel', 'logFormat'],
  extra: {
    from: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 1,
      doc: 'First block',
    },
    to: {
      kind: 'integer',
      group: 'Command',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: () => Number.MAX_SAFE_INTEGER,
      defaultText: 'the head',
      doc: 'Last block',
    },
    output: {
      kind: 'optionalText',
      group: 'Command',
      placeholder: 'FILE',
      default: null,
      doc: 'File to write; none writes to the standard output',
    },
  },
  run: async () => {
    throw new CommandError('NotBuilt', 'export: this version cannot export blocks yet')
  },
})
