import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { RequestMetrics } from '../../../src/gateway/requestMetrics.ts'
import { NO_OWN_LIMITS } from '../../../src/storage/access/keyRecord.ts'
import { toHex } from '../../../src/util/bytes.ts'
import { InterruptTable } from '../../../src/workers/interrupts.ts'
import { openAccess } from '../../support/accessScene.ts'
import { createLocalService, type LocalServiceOptions } from '../../support/ask.ts'
import { keyRecord } from '../../support/keyRecords.ts'
import { openLocalNode } from '../../support/localNode.ts'
import { signedTransaction } from '../../support/signedTransaction.ts'

const RICH = '0xCD2a3d9f938e13Cd947eC05ABC7fe734df8DD826'
const CONTRACT = `0x${'c0'.repeat(20)}`
const LARGE = `0x${'c1'.repeat(20)}`
/** Returns the number of the block and the sent value. */
const CODE = '0x436000523460205260406000f3'
const MAX_UNITS = 400

const interrupts = new InterruptTable()

/** A node with a mined transaction, and services over it with and without answers of the native core. */
async function openScene(t: Test) {
  const { context: alone, core } = openLocalNode(t, { dataDir: t.testdir(), accountQuota: false })
  const context = { ...alone, interrupt: { flags: new Int32Array(interrupts.shared), slot: 0 } }
  const open = (options: LocalServiceOptions) => {
    const service = createLocalService(context, options)
    t.teardown(() => service.close())
    return service
  }
  const openSlow = (options: LocalServiceOptions = {}) => open({ ...options, responseCacheBytes: 0 })
  const openFast = (options: LocalServiceOptions = {}) =>
    open({ ...options, stateStore: core.open.stateStore, responseCacheBytes: 1 << 20 })
  const { ask } = openSlow()
  const send = async (method: string, ...params: unknown[]) => {
    const { text } = await ask(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    t.notMatch(text, /"error"/, method)
    return JSON.parse(text).result
  }
  await send('hardhat_setCode', CONTRACT, CODE)
  await send('hardhat_setCode', LARGE, `0x${'5b'.repeat(3000)}`)
  await send('hardhat_setStorageAt', CONTRACT, '0x1', `0x${'00'.repeat(31)}2a`)
  const hash: string = await send(
    'eth_sendRawTransaction',
    toHex(signedTransaction({ nonce: 0n, value: 5n }).encoded),
  )
  await send('evm_mine')
  return { context, hash, openSlow, openFast }
}

/** Every kind of request that may be answered quickly, and some like them that may not. */
function requests(hash: string): readonly (readonly [method: string, params: string])[] {
  const nobody = `0x${'ee'.repeat(20)}`
  const unknown = `0x${'ab'.repeat(32)}`
  const blocks = ['latest', 'earliest', 'pending', 'safe', '0x0', '0x1', '0x01', '0x99', '1', 'newest', '']
  const call = (more = '') => `{"to":"${CONTRACT}"${more}}`
  return [
    ['eth_chainId', '[]'],
    ['eth_chainId', ''],
    ['eth_blockNumber', '[]'],
    ['eth_gasPrice', '[]'],
    ['net_version', '[]'],
    ['eth_chainId', '[1]'],
    ['eth_nothing', '[]'],
    ...blocks.flatMap((block) => [
      ['eth_getBalance', `["${RICH}","${block}"]`] as const,
      ['eth_getTransactionCount', `["${RICH}","${block}"]`] as const,
      ['eth_getCode', `["${CONTRACT}","${block}"]`] as const,
      ['eth_getStorageAt', `["${CONTRACT}","0x1","${block}"]`] as const,
      ['eth_getBlockByNumber', `["${block}",true]`] as const,
      ['eth_getBlockByNumber', `["${block}",false]`] as const,
      ['eth_call', `[${call()},"${block}"]`] as const,
      ['eth_estimateGas', `[${call()},"${block}"]`] as const,
    ]),
    ['eth_getBalance', `[ "${RICH.toLowerCase()}" , "latest" ]`],
    ['eth_getBalance', `["${RICH}"]`],
    ['eth_getBalance', `["${nobody}","latest"]`],
    ['eth_getBalance', `["${nobody.slice(1)}","latest"]`],
    ['eth_getBalance', `["${RICH}","latest","latest"]`],
    ['eth_getBalance', `["${RICH}",{"blockNumber":"0x1"}]`],
    ['eth_getBalance', `["${RICH}","lat\\u0065st"]`],
    ['eth_getBalance', `["${RICH}","latest",]`],
    ['eth_getBalance', '["ä","latest"]'],
    ['eth_getBalance', '[}'],
    ['eth_getBalance', 'null'],
    ['eth_getBalance', '{}'],
    ['eth_getBalance', '{"address":1}'],
    ['eth_getCode', `["${LARGE}","latest"]`],
    ['eth_getStorageAt', `["${CONTRACT}","0x2","latest"]`],
    ['eth_getStorageAt', `["${CONTRACT}",1,"latest"]`],
    ['rsk_getStorageBytesAt', `["${CONTRACT}","0x1","latest"]`],
    ['eth_getTransactionReceipt', `["${hash}"]`],
    ['eth_getTransactionReceipt', `[ "${hash}" ]`],
    ['eth_getTransactionReceipt', `["${unknown}"]`],
    ['eth_getTransactionReceipt', '["0x12"]'],
    ['eth_getTransactionByHash', `["${hash}"]`],
    ['eth_getTransactionByHash', `["${unknown}"]`],
    ['eth_getBlockByNumber', '["latest"]'],
    ['eth_getBlockByNumber', '["latest",1]'],
    ['eth_getLogs', '[{"fromBlock":"0x0","toBlock":"latest"}]'],
    ['eth_call', `[${call()}]`],
    ['eth_call', `[${call(',"value":"0x1"')},"latest"]`],
    ['eth_call', `[${call(`,"from":"${RICH}","value":"0x1"`)},"latest"]`],
    ['eth_call', `[${call(',"data":"0x0x12"')},"latest"]`],
    ['eth_call', `[${call(',"data":"0x1"')},"latest"]`],
    ['eth_call', `[${call(',"data":null,"input":"0x12"')},"latest"]`],
    ['eth_call', `[${call(',"gas":"0x1"')},"latest"]`],
    ['eth_call', `[${call()},"latest",{}]`],
    ['eth_call', '[{},"latest"]'],
    ['eth_call', '["latest"]'],
    ['eth_estimateGas', `[${call()}]`],
    ['eth_estimateGas', `[{"from":"${nobody}","to":"${RICH}","value":"0x1"}]`],
    ['eth_estimateGas', `[{"from":"${RICH}","to":"${nobody}","value":"0x1"}]`],
  ]
}

const IDS = [
  '1',
  '-3',
  '"two"',
  '""',
  '"a\\"b"',
  '"ä"',
  '123456789012345',
  '1234567890123456789',
  '01',
  '1.0',
  'null',
  '{}',
  'true',
]

/** Bodies of a request, from the usual one to what is none. */
function forms(method: string, params: string): string[] {
  const member = params === '' ? '' : `,"params":${params}`
  const rest = `"method":"${method}"${member}`
  return [
    ...IDS.map((id) => `{"jsonrpc":"2.0","id":${id},${rest}}`),
    `{${rest},"id":7,"jsonrpc":"2.0"}`,
    ` {\t"jsonrpc" : "2.0" ,\n"id" : 7 , ${rest.replace(',', ' , ')} } `,
    `{"id":7,${rest}}`,
    `{"jsonrpc":2,"id":7,${rest}}`,
    `{"jsonrpc":"2.0",${rest}}`,
    `{"jsonrpc":"2.0","id":7,"id":8,${rest}}`,
    `{"jsonrpc":"2.0","id":7,${rest},"more":{"id":9}}`,
    `{"jsonrpc":"2.0","id":7,${rest}} and more`,
    `{"jsonrpc":"2.0","id":7,${rest}`,
    `{"jsonrpc":"2.0","id":7,${rest.replace('method', 'm\\u0065thod')}}`,
    `[{"jsonrpc":"2.0","id":7,${rest}}]`,
    `[{"jsonrpc":"2.0","id":7,${rest}},{"id":8,"method":"eth_chainId"},{"jsonrpc":"2.0",${rest}}]`,
    `[[{"jsonrpc":"2.0","id":7,${rest}}],{"id":8,${rest}}]`,
  ]
}

const counts = (metrics: RequestMetrics) => ({
  requests: metrics.stats().map(({ method, requests: count }) => ({ method, count })),
  errors: metrics.errors().sort((a, b) => (`${a.method} ${a.code}` < `${b.method} ${b.code}` ? -1 : 1)),
})

t.test('quick answers are those of the methods, whatever the form of the request', async (t) => {
  const { context, hash, openSlow, openFast } = await openScene(t)
  const slow = openSlow()
  const fast = openFast()
  const compare = async (body: string) => t.strictSame(await fast.ask(body), await slow.ask(body), body)
  for (const [method, params] of requests(hash)) {
    const usual = `{"jsonrpc":"2.0","id":7,"method":"${method}"${params === '' ? '' : `,"params":${params}`}}`
    // Once before its text is kept, once behind it, once behind the answer itself.
    for (let times = 0; times < 3; times += 1) await compare(usual)
  }
  for (const [method, params] of requests(hash).slice(0, 20)) {
    for (const body of forms(method, params)) await compare(body)
  }
  t.strictSame(counts(fast.metrics), counts(slow.metrics))
  const inFront = fast.metrics.stats().reduce((sum, stats) => sum + stats.inFront + stats.fromCache, 0)
  t.ok(inFront > 300, `${inFront} quick ones`)
  await context.commands.mine()
  for (const { gateway } of [fast, slow]) gateway.onChange()
  for (const [method, params] of requests(hash)) {
    await compare(`{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params || '[]'}}`)
  }
})

t.test('answers that are too large are refused', async (t) => {
  const { hash, openSlow, openFast } = await openScene(t)
  for (const answerBytes of [120, 700, 5000]) {
    const slow = openSlow({ answerBytes })
    const fast = openFast({ answerBytes })
    for (const [method, params] of requests(hash)) {
      const body = `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params || '[]'}}`
      for (let times = 0; times < 3; times += 1) {
        t.strictSame(await fast.ask(body), await slow.ask(body), `${answerBytes} ${body}`)
      }
    }
    t.strictSame(counts(fast.metrics), counts(slow.metrics))
  }
})

t.test('quick answers are charged and counted as the others, and refused like them', async (t) => {
  const { hash, openSlow, openFast } = await openScene(t)
  const openWith = (open: typeof openSlow) => {
    const limits = { ...NO_OWN_LIMITS, rate: 1, burst: MAX_UNITS }
    const access = openAccess([keyRecord('ada', { limits })])
    const caller = access.caller('/ada-secret')
    return { ...access, account: caller.account, service: open({ admission: access.admission, caller }) }
  }
  const slow = openWith(openSlow)
  const fast = openWith(openFast)
  let refused = 0
  for (const [method, params] of [...requests(hash), ...requests(hash)]) {
    const body = `{"jsonrpc":"2.0","id":7,"method":"${method}","params":${params || '[]'}}`
    const answer = await fast.service.ask(body)
    t.strictSame(answer, await slow.service.ask(body), body)
    t.equal(fast.account.used, slow.account.used, body)
    if (answer.status === 429) refused += 1
  }
  t.ok(refused > 20, `${refused} refused`)
  t.equal(fast.account.used, MAX_UNITS)
  t.equal(fast.account.refused, slow.account.refused)
  t.strictSame(counts(fast.service.metrics), counts(slow.service.metrics))
  await Promise.all([fast.admission.flush(), slow.admission.flush()])
  t.strictSame([...fast.book.rows], [...slow.book.rows])
})

t.test('a call whose caller may not have it is not executed', async (t) => {
  const { context, openFast } = await openScene(t)
  const { admission, caller, charge } = openAccess([
    keyRecord('ada', { limits: { ...NO_OWN_LIMITS, rate: 1, burst: 6 } }),
  ])
  const who = caller('/ada-secret')
  const service = openFast({ admission, caller: who })
  const ask = (value: string) =>
    service.ask(
      `{"id":1,"method":"eth_call","params":[{"from":"${RICH}","to":"${CONTRACT}","value":"${value}"},"latest"]}`,
    )
  t.match(await ask('0x1'), { status: 200, text: /"result"/ })
  t.equal(service.gateway.responseCache.misses, 1)
  t.match(await ask('0x2'), { status: 429, text: /-32005/ })
  t.same(service.gateway.responseCache, { ...service.gateway.responseCache, hits: 0, misses: 1 })
  t.equal(charge(who, 'eth_chainId'), null, 'one unit was left')
  t.match(await ask('0x1'), { status: 429 }, 'kept answers are charged, too')
  t.ok(context.chain.head().number > 0)
})

t.test('each request of a batch over the limit is charged and counted like one for no method', async (t) => {
  const { openFast } = await openScene(t)
  const { admission, caller } = openAccess([
    keyRecord('ada', { limits: { ...NO_OWN_LIMITS, rate: 1, burst: 4 } }),
  ])
  const who = caller('/ada-secret')
  const service = openFast({ admission, caller: who, batch: 2 })
  const batch = (count: number) => `[${Array(count).fill('{"id":1,"method":"eth_chainId"}').join()}]`
  const message = 'Cannot dispatch batch requests. 2 is the max number of supported batch requests'
  const refused = { jsonrpc: '2.0', id: 1, error: { code: -32600, message } }
  const { text, status } = await service.ask(batch(3))
  t.equal(status, 200)
  t.same(JSON.parse(text), [refused, refused, refused])
  t.equal(who.account.used, 3)
  // In another turn, where the time of the first one does not count.
  await setImmediate()
  t.match(JSON.parse((await service.ask(batch(3))).text), [
    refused,
    { error: { code: -32005 } },
    { error: { code: -32005 } },
  ])
  t.match(await service.ask(batch(21)), { status: 429, text: /^\{.*-32005/ })
  t.same(
    service.metrics.stats().map(({ method, requests: count }) => [method, count]),
    [['unknown', 7]],
  )
  t.same(
    service.metrics.errors().map(({ code, count }) => [code, count]),
    [
      [-32600, 4],
      [-32005, 3],
    ],
  )
})
