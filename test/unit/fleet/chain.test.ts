import t, { type Test } from 'tap'
import { impersonatedSignature } from '../../../src/chain/codec/impersonated.ts'
import { Transaction } from '../../../src/chain/codec/transaction.ts'
import type { FleetChainEvent } from '../../../src/fleet/interface.ts'
import { createChainService } from '../../../src/node/chainThread/chainThreadService.ts'
import { FleetChain } from '../../../src/node/chainThread/fleetChain.ts'
import { createFleetService } from '../../../src/node/chainThread/fleetService.ts'
import { whyNotInFleet } from '../../../src/node/chainThread/whyNotInFleet.ts'
import { openHeadScene, request } from '../../support/headScene.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { COW, signedTransaction } from '../../support/signedTransaction.ts'
import { until } from '../../support/syncScene.ts'
import { testFolder } from '../../support/testFolder.ts'

const SEND_WAIT = 10_000
const HOUR = 3_600_000
const resultOf = ({ text }: { text: string }): unknown => (JSON.parse(text) as { result: unknown }).result

function openMember(t: Test) {
  const fleet = new FleetChain(SEND_WAIT)
  const { core } = openLocalNode(
    t,
    { dataDir: testFolder(t), fleet: ['nats://127.0.0.1:1'], accountQuota: false, mining: false },
    { sharing: fleet },
  )
  const events: FleetChainEvent[] = []
  const told: (readonly Buffer[])[] = []
  let confirm: () => void = () => undefined
  const detach = fleet.attach(
    {
      announce: (transactions) => {
        told.push(transactions)
        return new Promise((resolve) => {
          confirm = resolve
        })
      },
      announceWork: async () => undefined,
    },
    (event) => events.push(event),
  )
  const service = createFleetService(core, fleet)
  return { core, chain: core.open.chain, fleet, service, events, told, detach, confirm: () => confirm() }
}

t.test('a block is the head with its execution while nobody is waited for', async (t) => {
  const { core, chain, service, events } = openMember(t)
  await service.makeBlocks({ kind: 'self' })
  await core.mine()
  t.equal(chain.head.number, 1)
  t.equal(chain.best, chain.head)
  await service.begin()
  await until(() => events.length === 2)
  t.match(events, [{ kind: 'executed' }, { kind: 'adopted', head: { number: 1 } }])
})

t.test('a block that is held is adopted when others have it, and peers have it before', async (t) => {
  const { core, chain, service, events } = openMember(t)
  await service.makeBlocks({ kind: 'self' })
  await service.holdHeads(HOUR)
  const peers: number[] = []
  core.sharing.onExecuted((blocks) => peers.push(...blocks.map(({ number }) => number)))
  const mined = core.mine({ count: 2 })
  await until(() => peers.length > 0)
  t.equal(chain.head.number, 0)
  t.equal(chain.best.number, 1)
  t.same(peers, [1])
  t.match(await service.begin(), { adopted: { number: 0 }, executed: { number: 1 } })
  t.equal(events.filter(({ kind }) => kind === 'adopted').length, 0)
  await service.adopt(Buffer.alloc(32, 1))
  t.equal(chain.head.number, 0, 'a block that is not there')
  await service.adopt(chain.best.hash)
  t.equal(chain.head.number, 1)
  await until(() => chain.best.number > 1)
  t.equal(chain.best.number, 2, 'the next block is made on it')
  await service.adopt(chain.best.hash)
  await mined
  t.equal(chain.head.number, 2)
})

t.test(
  'heads stand still for nobody: not for a fleet thread that hangs, nor for one that ends',
  async (t) => {
    const { core, chain, service, detach } = openMember(t)
    await service.makeBlocks({ kind: 'self' })
    await service.holdHeads(30)
    await core.mine()
    t.equal(chain.head.number, 1, 'the chain thread adopts by itself')
    await service.holdHeads(HOUR)
    const mined = core.mine()
    await until(() => chain.best.number === 2)
    t.equal(chain.head.number, 1)
    detach()
    await mined
    t.equal(chain.head.number, 2)
    t.equal(core.sharing.adoptsAtOnce(), true)
  },
)

t.test('a block that waits is there after a restart, and is adopted then', async (t) => {
  const dataDir = testFolder(t)
  const open = () => {
    const fleet = new FleetChain(SEND_WAIT)
    const node = openLocalNode(t, { dataDir, fleet: ['nats://127.0.0.1:1'] }, { sharing: fleet })
    return { ...node, service: createFleetService(node.core, fleet) }
  }
  const first = open()
  await first.service.makeBlocks({ kind: 'self' })
  await first.service.holdHeads(HOUR)
  void first.core.mine()
  await until(() => first.core.open.chain.best.number === 1)
  await first.service.begin()
  await first.close()
  const again = open()
  t.equal(again.core.open.chain.head.number, 0)
  t.equal(again.core.open.chain.best.number, 1)
  await again.service.holdHeads(null)
  await until(() => again.core.open.chain.head.number === 1)
  t.equal(again.core.open.chain.head.number, 1)
})

t.test('a send is answered when the others have it', async (t) => {
  const { core, told, confirm, service } = openMember(t)
  const { encoded } = signedTransaction({ nonce: 0n })
  let isAnswered = false
  const sent = core.sendTransaction(encoded).then((outcome) => {
    isAnswered = true
    return outcome
  })
  await until(() => told.length > 0)
  t.same(told, [[encoded]])
  t.equal(isAnswered, false)
  t.equal((await service.waiting()).length, 32, 'it is durable meanwhile')
  confirm()
  t.match(await sent, { status: 'accepted' })
})

t.test('what was heard is kept like what was sent, and is told again to nobody', async (t) => {
  const { core, told, service } = openMember(t)
  const { encoded } = signedTransaction({ nonce: 0n })
  await service.receive([encoded, Buffer.from('rubbish')])
  t.equal(core.journaled, 1)
  t.same(told, [])
  const hashes = await service.waiting()
  t.same(await service.lacking(Buffer.concat([hashes, Buffer.alloc(32, 7)])), Buffer.alloc(32, 7))
  t.same(await service.transactions(Buffer.concat([hashes, Buffer.alloc(32, 7)])), [encoded])
})

t.test('who does not make blocks says who does', async (t) => {
  const { core, service } = openMember(t)
  await t.rejects(core.mine(), { kind: 'methodUnavailable', message: /does not know yet/ })
  await t.rejects(createChainService(core).mine({}), {
    kind: 'methodUnavailable',
    message: /does not know yet/,
  })
  await service.makeBlocks({ kind: 'other', name: 'm7' })
  await t.rejects(core.mine(), { kind: 'methodUnavailable', message: /m7 makes the blocks/ })
})

t.test('a chain that others would not take is none of a fleet', async (t) => {
  const { core, context } = openLocalNode(t, { dataDir: testFolder(t), accountQuota: false, mining: false })
  t.equal(await whyNotInFleet(core), null)
  const dev = context.commands.dev
  const balance = 10n ** 18n
  await core.mine({ count: 3 })
  t.equal(await whyNotInFleet(core), null, 'blocks that were made as usual')
  const { fields } = signedTransaction({ nonce: 0n })
  const unsigned = new Transaction({ ...fields, signature: impersonatedSignature(COW.address) })
  t.match(await core.sendImpersonated(unsigned.encoded), { status: 'accepted' })
  t.match(await whyNotInFleet(core), /the pool holds/)
  await core.mine()
  t.match(await whyNotInFleet(core), /block 4 holds a transaction of an impersonated account/)
  await dev?.editAccount({ address: COW.address, balance })
  t.match(await whyNotInFleet(core), /edited by hand/)
})

t.test('a request that names an announced block waits for it', async (t) => {
  const fleet = new FleetChain(SEND_WAIT)
  const { gateway, core, ask, reportHead, mine } = openHeadScene(t, fleet)
  fleet.makeBlocks({ kind: 'self' })
  await mine()
  reportHead()
  t.equal(resultOf(await ask(request('eth_getBlockByNumber', ['0x2', false]))), null, 'nobody has it')
  fleet.hold(HOUR)
  void core.mine()
  await until(() => core.open.chain.best.number === 2)
  const { hash } = core.open.chain.best
  const hex = `0x${hash.toString('hex')}`
  gateway.blockExecuted(2)
  t.match(
    resultOf(await ask(request('eth_getBlockByHash', [hex, false]))),
    { hash: hex },
    'by its hash at once',
  )
  const early = ask(request('eth_getBlockByNumber', ['0x2', false]))
  t.equal(gateway.waitingForBlocks, 1, 'others may have adopted it already')
  gateway.announce([{ number: 2, hash }])
  const named = [
    request('eth_getBlockByNumber', ['0x2', false]),
    request('eth_getBalance', [`0x${COW.address.toString('hex')}`, '0x2']),
    request('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }]),
    `[${request('eth_chainId', [], 7)},${request('eth_getBlockByNumber', ['0x2', false], 8)}]`,
  ].map((body) => ask(body))
  t.equal(gateway.waitingForBlocks, 5)
  t.equal(resultOf(await ask(request('eth_blockNumber'))), '0x1', 'the others do not')
  t.equal(resultOf(await ask(request('eth_getBlockByNumber', ['0x3', false]))), null)
  await fleet.adopt(hash)
  reportHead()
  t.match((await early)?.text, /"number":"0x2"/)
  const [block, balance, logs, batch] = await Promise.all(named)
  t.match(block?.text, /"number":"0x2"/)
  t.match(balance?.text, /"result":"0x[1-9a-f]/)
  t.match(logs?.text, /"result":\[/)
  t.match(batch?.text, /"id":8.*"number":"0x2"/)
  const unknown = Buffer.alloc(32, 9)
  const askUnknown = () => ask(request('eth_getBlockByHash', [`0x${unknown.toString('hex')}`, false]))
  const announce = () => gateway.announce([{ number: 3, hash: unknown }])
  announce()
  const told = setInterval(announce, 500)
  t.teardown(() => clearInterval(told))
  t.match(await askUnknown(), { status: 503, text: /-32005/ }, 'whoever is there says it again and again')
  clearInterval(told)
  announce()
  t.equal(resultOf(await askUnknown()), null, 'whoever has it went away')
  t.equal(gateway.blockWaits.late, 1)
})
