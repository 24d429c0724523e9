import { fillDefaults } from '../../src/config/load.ts'
import { createLocalNode } from '../../src/node/localNode.ts'
import { nodeInfoFromConfig } from '../../src/node/nodeInfo.ts'
import { chainOptionsFromConfig } from '../../src/node/options/chainOptions.ts'
import { DeathAt, dieAtCommits } from './dieAtCommits.ts'

/**
 * Makes a block of a transaction that nobody signed, and kills itself behind the commit of one of the stores: `states`
 * or `chain`.
 */
const [dataDir = '', transaction = '', point = ''] = process.argv.slice(2)

const death = new DeathAt(point, 1)
dieAtCommits(death)
const config = fillDefaults({ network: 'regtest', mining: false, dataDir })
const { core } = createLocalNode({
  chain: chainOptionsFromConfig(config, 'Rhizome-test'),
  node: nodeInfoFromConfig(config, 'test'),
})
await core.sendImpersonated(Buffer.from(transaction, 'hex'))
death.isArmed = true
await core.mine()
