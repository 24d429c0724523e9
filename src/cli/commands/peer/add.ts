import { EnodeError, parseEnode } from '../../../p2p/identity/enode.ts'
import { askOfPeers } from '../../askOfPeers.ts'
import { defineCommand } from '../../command.ts'
import { CommandError } from '../../errors.ts'
import { EXIT_CODES } from '../../exitCodes.ts'
import { NODE_URL } from '../../nodeClient.ts'

/** `rhizome peer add`: makes a running node keep a connection, or stop keeping it. */
export const peerAdd = defineCommand({
  name: 'peer add',
  summary: 'have a running node keep a connection to another one until it stops',
  details: 'The option --peer of start does so for good.',
  files: 'none',
  argument: { placeholder: '<ENODE>', doc: 'enode://<128 hex digits>@host:port' },
  options: [],
  extra: {
    ...NODE_URL,
    remove: { kind: 'boolean', group: 'Command', default: false, doc: 'Drop it, and keep none any more' },
  },
  run: async ({ extra: { url, remove }, files: [enode = ''], stdout }) => {
    checkEnode(enode)
    const isDone = await askOfPeers(url, remove ? 'admin_removePeer' : 'admin_addPeer', [enode])
    if (isDone !== true) {
      throw new CommandError(
        'Failed',
        remove ? 'it had no connection to keep' : 'the node does not connect to itself',
      )
    }
    stdout.write(remove ? 'removed\n' : 'added\n')
    return EXIT_CODES.ok
  },
})

function checkEnode(text: string): void {
  try {
    parseEnode(text)
  } catch (error) {
    if (!(error instanceof EnodeError)) throw error
    throw new CommandError('Failed', error.message, EXIT_CODES.usage, { cause: error })
  }
}
