import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type Admission, OPEN_ADMISSION } from '../../../src/gateway/admission.ts'
import { RpcError } from '../../../src/rpc/errors.ts'
import { METHODS } from '../../../src/rpc/methods.ts'
import { InterruptTable } from '../../../src/workers/interrupts.ts'
import { createLocalService, type LocalServiceOptions } from '../../support/ask.ts'
import { openLocalNode } from '../../support/localNode.ts'

const RICH = '0xCD2a3d9f938e13Cd947eC05ABC7fe734df8DD826'
const CONTRACT = `0x${'c0'.repeat(20)}`
const NOBODY = `0x${'ee'.repeat(20)}`
const SOMEBODY = `0x${'e0'.repeat(20)}`
const EDITS = [
  ['hardhat_setBalance', [SOMEBODY, '0x1234567890abcdef1234567890']],
  ['hardhat_setNonce', [SOMEBODY, '0x105']],
  ['hardhat_setCode', [CONTRACT, `0x${'60'.repeat(700)}`]],
  ['hardhat_setStorageAt', [CONTRACT, '0x1', `0x${'00'.repeat(31)}2a`]],
  ['hardhat_setStorageAt', [CONTRACT, '0x2', `0x${'ff'.repeat(32)}`]],
] as const

const interrupts = new InterruptTable()

function request(method: string, params: unknown, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** A node of four blocks, and services over it with and without answers in the front thread. */
async function openScene(t: Test) {
  const { context: alone, core } = openLocalNode(t, { dataDir: t.testdir(), accountQuota: false })
  const context = { ...alone, interrupt: { flags: new Int32Array(interrupts.shared), slot: 0 } }
  const open = (options: LocalServiceOptions = {}) => {
    const service = createLocalService(context, { responseCacheBytes: 0, ...options })
    t.teardown(() => service.close())
    return service
  }
  const slow = open()
  for (let i = 0; i < 3; i++) await context.commands.mine()
  for (const [method, params] of EDITS) t.notMatch((await slow.ask(request(method, params))).text, /"error"/)
  await context.commands.mine()
  const { stateStore } = core.open
  return { context, slow, open, fast: open({ stateStore }), stateStore }
}

/** Requests that went to the pool. */
const pooled = ({ dispatcher }: ReturnType<typeof createLocalService>) => dispatcher.stats()['read']?.answered

t.test('answers are those of the methods', async (t) => {
  const { slow, fast } = await openScene(t)
  // What nobody has read since it was written may be on disk only.
  await slow.ask(request('eth_getCode', [CONTRACT, 'latest']))
  const blocks = ['latest', 'earliest', 'safe', 'finalized', '0x0', '0x3', '0x03', '0x4']
  let asked = 0
  for (const block of blocks) {
    for (const account of [RICH, RICH.toLowerCase(), CONTRACT, NOBODY, SOMEBODY]) {
      const bodies = [
        request('eth_getBalance', [account, block]),
        request('eth_getTransactionCount', [account, block], 'two'),
        request('eth_getCode', [account, block], -3),
        request('eth_getAccountInfo', [account, block]),
        ...['0x0', '0x1', '0x02', `0x${'0'.repeat(63)}2`].flatMap((slot) => [
          request('eth_getStorageAt', [account, slot, block]),
          request('rsk_getStorageBytesAt', [account, slot, block]),
          request('ext_getStorageBytesAt', [account, slot, block]),
        ]),
      ]
      for (const body of [...bodies, `[${bodies.join(' , ')}]`]) {
        t.same(await fast.ask(body), await slow.ask(body), body.slice(0, 200))
        asked += 1
      }
    }
  }
  const latest = request('eth_getBalance', [SOMEBODY])
  t.match((await fast.ask(latest)).text, '"result":"0x1234567890abcdef1234567890"')
  t.equal(asked, blocks.length * 5 * 17)
  t.equal(pooled(fast), 0, 'nothing of it went to the pool')
})

t.test('what is not ordinary goes the general way', async (t) => {
  const { context, slow, fast } = await openScene(t)
  const hash = context.chain.headerByNumber(2)?.hashHex
  const bodies = [
    request('eth_getBalance', [SOMEBODY, 'pending']),
    request('eth_getTransactionCount', [SOMEBODY, 'pending']),
    request('eth_getBalance', [SOMEBODY, hash]),
    request('eth_getBalance', [SOMEBODY, { blockHash: hash }]),
    request('eth_getBalance', [SOMEBODY, { blockNumber: '0x2' }]),
    request('eth_getBalance', [SOMEBODY, '0x5']),
    request('eth_getBalance', [SOMEBODY, 'newest']),
    request('eth_getBalance', [SOMEBODY, '2']),
    request('eth_getBalance', [SOMEBODY.slice(2), 'latest']),
    request('eth_getBalance', [SOMEBODY.slice(0, 41), 'latest']),
    request('eth_getBalance', []),
    request('eth_getBalance', null),
    request('eth_getCode', [CONTRACT]),
    request('eth_getCode', [CONTRACT, 'pending']),
    request('eth_getStorageAt', [CONTRACT, 1, 'latest']),
    request('eth_getStorageAt', [CONTRACT, '1', 'latest']),
    request('eth_getStorageAt', [CONTRACT, '0x', 'latest']),
    request('eth_getBalance', [SOMEBODY, 'latest']).replace('latest', '\\u006catest'),
    request('eth_getBalance', [SOMEBODY, 'latest']).replace('"id":1,', ''),
    request('eth_getBalance', [SOMEBODY, 'latest']).replace('"]', '",]'),
  ]
  for (const body of bodies) t.same(await fast.ask(body), await slow.ask(body), body)
  const good = request('eth_getBalance', [SOMEBODY, 'latest'], 5)
  for (const body of [...bodies, request('eth_chainId', [])]) {
    const batch = `[${good},${body},${good}]`
    t.same(await fast.ask(batch), await slow.ask(batch), batch)
  }
  t.ok((pooled(fast) ?? 0) > bodies.length)
})

t.test('a change of the head or of its state is seen at once', async (t) => {
  const { context, slow, fast } = await openScene(t)
  const body = request('eth_getBalance', [SOMEBODY, 'latest'])
  const before = await fast.ask(body)
  await slow.ask(request('hardhat_setBalance', [SOMEBODY, '0x7']))
  fast.gateway.onChange()
  t.match(before.text, /"0x1234/)
  t.match((await fast.ask(body)).text, /"result":"0x7"/)
  const next = request('eth_getBalance', [SOMEBODY, '0x5'])
  t.match((await fast.ask(next)).text, /Block 0x5 not found/)
  await context.commands.mine()
  fast.gateway.onChange()
  t.match((await fast.ask(next)).text, /"result":"0x7"/)
})

t.test('admission is asked for each request, once', async (t) => {
  const { open, stateStore } = await openScene(t)
  const charged: string[] = []
  const admission: Admission = {
    ...OPEN_ADMISSION,
    charge: (_caller, place) => {
      const name = METHODS[place]?.name ?? ''
      charged.push(name)
      return name === 'eth_getCode' ? new RpcError('methodUnavailable', 'closed') : null
    },
  }
  const { ask } = open({ stateStore, admission })
  const balance = request('eth_getBalance', [NOBODY, 'latest'], 1)
  const code = request('eth_getCode', [CONTRACT, 'latest'], 2)
  const ok = '{"jsonrpc":"2.0","id":1,"result":"0x0"}'
  const refused = '{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"closed"}}'
  t.equal((await ask(`[${balance},${code},${balance}]`)).text, `[${ok},${refused},${ok}]`)
  t.equal((await ask(`[${balance},${balance}]`)).text, `[${ok},${ok}]`)
  t.equal((await ask(code)).text, refused)
  t.equal((await ask(balance)).text, ok)
  const get = ['eth_getBalance', 'eth_getCode', 'eth_getBalance']
  t.same(charged, [...get, 'eth_getBalance', 'eth_getBalance', 'eth_getCode', 'eth_getBalance'])
})

t.test('limits of batches and answers are those of the others', async (t) => {
  const { slow, open, stateStore } = await openScene(t)
  const code = request('eth_getCode', [CONTRACT, 'latest'])
  const { ask } = open({ stateStore, batch: 3, answerBytes: 2000 })
  const limited = open({ batch: 3, answerBytes: 2000 })
  const bodies = [code, `[${code}]`, `[${code},${code}]`, `[${[code, code, code, code].join()}]`, '[]']
  for (const body of bodies) {
    // A client that had its time in one turn is answered more shortly.
    await nextTurn()
    const found = await ask(body)
    await nextTurn()
    t.same(found, await limited.ask(body), body)
  }
  t.match((await ask(`[${code},${code}]`)).text, /-32011|too large|exceed/i)
  t.notSame(await ask(`[${code},${code}]`), await slow.ask(`[${code},${code}]`))
})

t.test('methods that are closed, or have a lane by configuration, are not answered here', async (t) => {
  const { context, open, stateStore } = await openScene(t)
  const { enabled } = context.node.settings
  const closed = open({ stateStore, enabled: { ...enabled, disabledMethods: ['eth_getBalance'] } })
  const balance = request('eth_getBalance', [NOBODY, 'latest'])
  t.match((await closed.ask(balance)).text, /does not exist/)
  t.match((await closed.ask(`[${balance}]`)).text, /does not exist/)
})
