import { join } from 'node:path'
import { readHead } from '../../src/chain/tables/metadata.ts'
import { writeStateEdit } from '../../src/chain/tables/stateEdits.ts'
import { openConfiguredChain } from '../../src/cli/openNode.ts'
import { loadConfig } from '../../src/config/load.ts'
import { networkByName } from '../../src/config/networks/byName.ts'
import { CHAIN_FOLDER } from '../../src/execution/chainFolders.ts'
import { ChainEnvironment } from '../../src/storage/chainEnvironment.ts'
import { BlockMaker } from '../chain/blockMaker.ts'
import { createStateWorkload } from './stateWorkload.ts'

/**
 * Opens a data directory of a development chain. With a root it makes the state under it the one after the head, as if
 * a user had edited it; with a size and a number of blocks it makes these on a state of that size. Prints the root of the
 * head. Has a process to itself, because the state is written by another program in between.
 */
const [dataDir = '', task = '', ...args] = process.argv.slice(2)
if (task === 'edit') {
  // Without the state store, which would begin to bring its table to the state that the head has until now.
  const environment = new ChainEnvironment(join(dataDir, CHAIN_FOLDER))
  const edited = Buffer.from((args[0] ?? '').replace('0x', ''), 'hex')
  environment.transaction((writer) =>
    writeStateEdit(writer, readHead(environment) ?? Buffer.alloc(0), edited),
  )
  await environment.close()
}
const opened = openConfiguredChain(loadConfig({ flags: { network: 'regtest', dataDir } }))
const { chain, close } = opened
if (task === 'blocks') {
  const [size, blocks] = args.map(Number)
  const maker = new BlockMaker(networkByName('regtest'), opened)
  const workload = createStateWorkload(size ?? 0)
  const last = workload.setup.length + (blocks ?? 0)
  while (chain.head.number < last) maker.makeCommit(workload, 0, last, () => undefined)
}
process.stdout.write(`0x${chain.head.fields.stateRoot.toString('hex')}\n`)
await close()
