import t, { type Test } from 'tap'
import { InterruptTable } from '../../../src/workers/interrupts.ts'
import { createLocalService } from '../../support/ask.ts'
import { openLocalNode } from '../../support/localNode.ts'

const RICH = '0xCD2a3d9f938e13Cd947eC05ABC7fe734df8DD826'
const NOBODY = `0x${'ee'.repeat(20)}`
const contract = (number: number) => `0x${number.toString(16).padStart(2, '0').repeat(20)}`
/** What the contracts do. */
const CODE = {
  returnsCaller: '3360005260206000f3',
  returnsNumber: '4360005260206000f3',
  returnsValue: '3460005260206000f3',
  returnsData: '366000600037366000f3',
  reverts: '602a60005260206000fd',
  halts: 'fe',
  loops: '5b600056',
} as const
const CONTRACTS = Object.keys(CODE) as (keyof typeof CODE)[]
const address = (name: keyof typeof CODE) => contract(0xc0 + CONTRACTS.indexOf(name))

function request(method: string, params: unknown, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

const interrupts = new InterruptTable()

/** Services over one node: `slow` has the methods alone, `fast` the native calls, too; `ran` counts the methods. */
async function openScene(t: Test, responseCacheBytes = 0) {
  const { context: alone, core } = openLocalNode(t, { dataDir: t.testdir(), accountQuota: false })
  const context = { ...alone, interrupt: { flags: new Int32Array(interrupts.shared), slot: 0 } }
  const slow = createLocalService(context, { responseCacheBytes: 0 })
  for (const name of CONTRACTS) {
    const answer = await slow.ask(request('hardhat_setCode', [address(name), `0x${CODE[name]}`]))
    t.notMatch(answer.text, /"error"/)
  }
  await context.commands.mine()
  const counter = { ran: 0 }
  const { execution } = context
  const counted: typeof execution = {
    ...execution,
    output: (...args) => {
      counter.ran += 1
      return execution.output(...args)
    },
    estimate: (...args) => {
      counter.ran += 1
      return execution.estimate(...args)
    },
    atKnown: (...args) => {
      counter.ran += 1
      return execution.atKnown(...args)
    },
  }
  const { stateStore } = core.open
  const fast = createLocalService({ ...context, execution: counted }, { responseCacheBytes, stateStore })
  t.teardown(() => {
    slow.close()
    fast.close()
  })
  return { context, slow, fast, counter }
}

t.test('short calls and estimates are answered from their bytes as their methods do', async (t) => {
  const { slow, fast, counter } = await openScene(t)
  const objects = [
    { to: address('returnsCaller') },
    { to: address('returnsCaller'), from: RICH },
    { from: RICH.toLowerCase(), to: address('returnsValue'), value: '0x10' },
    { to: address('returnsData'), data: '0x0102FF' },
    { to: address('returnsData'), input: '0x' },
    { to: address('returnsNumber'), data: '0x00' },
    { from: RICH, to: NOBODY, value: '0x1' },
    { to: NOBODY },
  ]
  for (const object of objects) {
    for (const body of [
      request('eth_call', [object, 'latest'], 'one'),
      request('eth_estimateGas', [object, 'latest'], -2),
      request('eth_estimateGas', [object]),
      request('eth_call', [object, '0x1']),
      request('eth_estimateGas', [object, { blockNumber: '0x1' }]),
    ]) {
      t.same(await fast.ask(body), await slow.ask(body), body)
    }
  }
  t.equal(counter.ran, 0, 'none went to its method')
})

t.test('what is not ordinary, not short or fails is left to the method', async (t) => {
  const { slow, fast, counter } = await openScene(t)
  const ordinary = { to: address('returnsCaller') }
  const bodies = [
    request('eth_call', [ordinary, 'pending']),
    request('eth_call', [ordinary, '0x9']),
    request('eth_call', [{ ...ordinary, gas: '0x10000' }, 'latest']),
    request('eth_call', [{ ...ordinary, data: '0x1' }, 'latest']),
    request('eth_call', [{ to: 'x' }, 'latest']),
    request('eth_call', [{ to: address('reverts') }, 'latest']),
    request('eth_call', [{ to: address('halts') }, 'latest']),
    request('eth_call', [{ to: address('loops') }, 'latest']),
    request('eth_call', [ordinary, 'latest', {}]),
    request('eth_estimateGas', [{ to: address('reverts') }]),
    request('eth_estimateGas', [{ from: NOBODY, to: RICH, value: '0x1' }]),
  ]
  for (const body of bodies) t.same(await fast.ask(body), await slow.ask(body), body)
  t.equal(counter.ran, bodies.length - 2, 'once each, but those whose parameters or block are wrong')
})

t.test('a kept answer holds until the head changes', async (t) => {
  const { context, slow, fast } = await openScene(t, 1 << 20)
  const body = request('eth_call', [{ to: address('returnsNumber') }, 'latest'])
  const first = await fast.ask(body)
  t.same(first, await slow.ask(body))
  await context.commands.mine()
  t.same(await fast.ask(body), first, 'nobody has said that there is a new head')
  fast.gateway.onChange()
  t.same(await fast.ask(body), await slow.ask(body))
  t.notSame(await fast.ask(body), first)
})
