import { fillDefaults } from '../../src/config/load.ts'
import { createFleetService } from '../../src/node/chainThread/fleetService.ts'
import { createLocalNode } from '../../src/node/localNode.ts'
import { nodeInfoFromConfig } from '../../src/node/nodeInfo.ts'
import { chainOptionsFromConfig } from '../../src/node/options/chainOptions.ts'
import { DeathAt, dieAtCommits } from './dieAtCommits.ts'

/**
 * Moves the head of a member of a fleet to an executed block, and kills itself behind the commit of one of the stores:
 * `states` or `chain`.
 */
const [dataDir = '', hash = '', point = ''] = process.argv.slice(2)

const death = new DeathAt(point, 1)
dieAtCommits(death)
const config = fillDefaults({ network: 'regtest', mining: false, dataDir, fleet: ['nats://127.0.0.1:4222'] })
const { core } = createLocalNode({
  chain: chainOptionsFromConfig(config, 'Rhizome-test'),
  node: nodeInfoFromConfig(config, 'test'),
})
if (core.fleet === null) throw new Error('no member of a fleet')
death.isArmed = true
await createFleetService(core, core.fleet).moveHead(Buffer.from(hash, 'hex'))
