import { importNodeKey } from '../../../p2p/identity/nodeKeyFile.ts'
import { defineCommand } from '../../command.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { withKeyErrors } from './id.ts'

/** `rhizome peer import-key`: imports the identity of another node. */
export const peerImportKey = defineCommand({
  name: 'peer import-key',
  summary: 'take the key of a node of RSKj, so that others know this node by it',
  details:
    'FILE is its nodeId.properties, or has 64 hex digits. Two nodes must not run with one key. A running node takes it when it starts again.',
  files: 'none',
  argument: { placeholder: '<FILE>', doc: 'file with the key' },
  options: ['network', 'dataDir', 'config'],
  extra: {
    replace: {
      kind: 'boolean',
      group: 'Command',
      default: false,
      doc: 'Put it in the place of the key that is there, which is lost',
    },
  },
  run: async ({ config: { dataDir }, files: [file = ''], extra, stdout }) => {
    const key = withKeyErrors(() => importNodeKey(dataDir, file, extra.replace))
    stdout.write(`${key.id.toString('hex')}\n`)
    return EXIT_CODES.ok
  },
})
