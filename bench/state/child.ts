import { writeStateEdit } from '../../src/chain/tables/stateEdits.ts'
import { openConfiguredChain } from '../../src/cli/openNode.ts'
import { loadConfig } from '../../src/config/load.ts'
import { commitBoth } from '../../src/storage/commitBoth.ts'

/**
 * Opens a data directory of a development chain, and with a root makes the state under it the one after the head, as if
 * a user had edited it. Prints the root of the state after the head. Has a process to itself, because the state is
 * written by another program in between.
 */
const [dataDir = '', root = ''] = process.argv.slice(2)
const { chain, environment, stateStore, close } = openConfiguredChain(
  loadConfig({ flags: { network: 'regtest', dataDir } }),
)
const { head } = chain
if (root !== '') {
  const edited = Buffer.from(root.replace('0x', ''), 'hex')
  commitBoth(stateStore, environment, (writer) => writeStateEdit(writer, head.hash, edited))
}
process.stdout.write(`0x${head.fields.stateRoot.toString('hex')}\n`)
await close()
