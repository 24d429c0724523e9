import { formatEnode } from '../../../p2p/identity/enode.ts'
import { NodeKeyError, openNodeKey } from '../../../p2p/identity/nodeKeyFile.ts'
import { defineCommand } from '../../command.ts'
import { CommandError } from '../../errors.ts'
import { EXIT_CODES } from '../../exitCodes.ts'

/** Default address of a node: that of this machine. */
const THIS_MACHINE = '127.0.0.1'

/** `rhizome peer id`: the identity of the node. */
export const peerId = defineCommand({
  name: 'peer id',
  summary: 'print the node id and the enode URL of this node',
  details: 'Its key is made when there is none yet. Others reach it by the address of --p2p-address.',
  files: 'none',
  options: ['network', 'dataDir', 'config', 'p2pPort', 'p2pAddress'],
  extra: {},
  run: async ({ config: { dataDir, p2pPort, p2pAddress }, stdout }) => {
    const id = withKeyErrors(() => openNodeKey(dataDir)).id.toString('hex')
    const enode = formatEnode({ id, host: p2pAddress ?? THIS_MACHINE, port: p2pPort })
    stdout.write(`${id}\n${enode}\n`)
    return EXIT_CODES.ok
  },
})

/** Runs an action on the key of a node; its errors become messages for the user. */
export function withKeyErrors<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    if (!(error instanceof NodeKeyError)) throw error
    throw new CommandError('Failed', error.message, undefined, { cause: error })
  }
}
