import { setTimeout as sleep } from 'node:timers/promises'
import { writeStateEdit } from '../../src/chain/tables/stateEdits.ts'
import { openConfiguredChain } from '../../src/cli/openNode.ts'
import { loadConfig } from '../../src/config/load.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { commitBoth } from '../../src/storage/commitBoth.ts'
import { BlockMaker } from '../chain/blockMaker.ts'
import { createStateWorkload } from './stateWorkload.ts'

const POLL_MS = 50

/**
 * Opens a data directory of a development chain. With a root it makes the state under it the one after the head, as if
 * a user had edited it; with a size and a number of blocks it makes these on a state of that size. Prints the root of the
 * head. Has a process to itself, because the state is written by another program in between.
 */
const [dataDir = '', task = '', ...args] = process.argv.slice(2)
const opened = openConfiguredChain(loadConfig({ flags: { network: 'regtest', dataDir } }))
const { chain, environment, stateStore, close } = opened
if (task === 'edit') {
  const edited = Buffer.from((args[0] ?? '').replace('0x', ''), 'hex')
  commitBoth(stateStore, environment, (writer) => writeStateEdit(writer, chain.head.hash, edited))
  stateStore.setHead(edited)
  // Opened for genesis, the table began to move there: while it moves back, all reads and blocks go to the trie.
  while (!stateStore.hasValues(edited)) await sleep(POLL_MS)
}
if (task === 'blocks') {
  const [size, blocks] = args.map(Number)
  const maker = new BlockMaker(networkByName('regtest'), opened)
  const workload = createStateWorkload(size ?? 0)
  const last = workload.setup.length + (blocks ?? 0)
  while (chain.head.number < last) maker.makeCommit(workload, 0, last, () => undefined)
}
process.stdout.write(`0x${chain.head.fields.stateRoot.toString('hex')}\n`)
await close()
