import t from 'tap'
import { checkConflicts } from '../../../src/config/conflicts.ts'
import { fillDefaults } from '../../../src/config/load.ts'
import type { PartialConfig } from '../../../src/config/schema.ts'

const check = (config: PartialConfig) => () => checkConflicts(fillDefaults({ network: 'regtest', ...config }))

t.test('options of peers that name nobody are refused with what is expected', async (t) => {
  t.doesNotThrow(check({ trustedPeers: ['ab'.repeat(64), '10.0.0.0/8', '::1'], p2pAddress: '203.0.113.5' }))
  t.throws(check({ trustedPeers: ['ab'.repeat(63)] }), { message: /--trusted-peers: expected node ids/ })
  t.throws(check({ p2pAddress: 'node.example' }), { message: /--p2p-address: expected an IP address/ })
  t.throws(check({ checkpoints: ['12:0x34'] }), { message: /--checkpoints: expected HEIGHT:HASH/ })
})
