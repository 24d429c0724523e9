import t from 'tap'
import type { FleetStatus } from '../../../src/fleet/interface.ts'
import { createLocalService } from '../../support/ask.ts'
import { openNodeContext } from '../../support/chainContext.ts'

const HEAD = '0xd4ad81091f44b6272b0d70e48840a41041aba1883d4a241f70aa30bfd92ac3d3'
const BLOCK = { number: 258, hash: Buffer.alloc(32, 7), totalDifficulty: 1n << 70n }
const SELF = '0123456789abcdef'

const STATUS: FleetStatus = {
  fleet: 'rhizome',
  self: SELF,
  number: 2,
  absence: 'cutOff',
  reason: 'nats://10.0.0.1:4222 does not answer',
  head: { ...BLOCK, revision: 16, epoch: 3, leader: SELF, members: [SELF] },
  waits: { number: 259, signatures: 1, needed: 2 },
  leader: SELF,
  isLeader: true,
  members: [
    { id: SELF, name: 'a', number: 2, version: '0.1.0', serves: true, head: BLOCK, lag: 12.4, load: 0.12345 },
    {
      id: 'f'.repeat(16),
      name: 'b',
      number: 3,
      version: '0.1.0',
      serves: false,
      head: null,
      lag: null,
      load: 0,
    },
  ],
  standstill: 0,
  holds: { p50: 1.23, p99: 9.99, longest: 20, count: 40 },
  counts: { rounds: 5 },
}

async function ask(fleet: FleetStatus | null, method: string): Promise<unknown> {
  const context = openNodeContext({ head: HEAD }, { flags: new Int32Array(8192), slot: 0 })
  const status = () => ({ ...context.status(), ...(fleet === null ? {} : { fleet }) })
  const service = createLocalService({ ...context, status })
  const { text } = await service.ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method }))
  service.close()
  return (JSON.parse(text) as { result: unknown }).result
}

t.test('the fleet as a member sees it, without addresses', async (t) => {
  const hash = `0x${'07'.repeat(32)}`
  const block = { number: '0x102', hash, totalDifficulty: '0x400000000000000000' }
  for (const method of ['rsk_getFleetStatus', 'ext_getFleetStatus']) {
    t.same(
      await ask(STATUS, method),
      {
        fleet: 'rhizome',
        self: SELF,
        number: '0x2',
        absence: 'cutOff',
        leader: SELF,
        isLeader: true,
        head: { ...block, revision: '0x10', epoch: '0x3' },
        waits: { number: '0x103', signatures: '0x1', needed: '0x2' },
        holds: { p50: 1.2, p99: 10, longest: 20, count: 40 },
        members: [
          {
            id: SELF,
            name: 'a',
            number: '0x2',
            version: '0.1.0',
            serves: true,
            head: block,
            lag: 12,
            load: 0.123,
          },
          {
            id: 'f'.repeat(16),
            name: 'b',
            number: '0x3',
            version: '0.1.0',
            serves: false,
            head: null,
            lag: null,
            load: 0,
          },
        ],
        counts: { rounds: 5 },
      },
      method,
    )
  }
  t.equal(await ask(null, 'rsk_getFleetStatus'), null)
})
